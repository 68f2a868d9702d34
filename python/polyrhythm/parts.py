"""Training in parts: one learner, and a collector for each slice of its worlds.

The collectors may run in any process of any machine with the same versions and processor.
What learner and collectors exchange is bytes:

    learner = Learner(config="configs/quadruped.yaml", out="runs/q", slices=3)
    collectors = [Collector(assignment) for assignment in learner.assignments]
    while (orders := learner.orders()) is not None:
        for collector in collectors:
            learner.add(collector.collect(orders))
    report = learner.close()

The run folder then has the bytes of `train run`, for any slices. A collector that is lost
is replaced, anywhere, and its part of the rollout collected again, with the same bytes:

    collectors[i] = Collector(learner.assignments[i], snapshot=learner.snapshot(i))
    learner.add(collectors[i].collect(learner.orders()))

A rollout of a slice is recorded segment by segment, and goes on anywhere from where one of them ended:

    slice = Rollout("quadruped", slice=(0, 40), policy="runs/q", episodes=100, out="runs/a")
    while not (segment := slice.next()).done:
        snapshot = segment.snapshot

This module starts no process and talks to no network.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import struct
from collections.abc import Mapping, Sequence
from ctypes import byref, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any

from polyrhythm import _library, _request

_HEAD = struct.Struct("<8sI7I2xq32s")  # of a part, as package rl of the Go module describes it
_MAGIC = b"PRH-PART"
_WAIT = 200  # ms that a call into the library lasts at most, so that Ctrl-C is seen


@dataclass(frozen=True)
class PartId:
    """Which part some bytes are."""

    first: int
    """The first world of its slice."""
    end: int
    """The world after the last."""
    step: int
    """Control steps of each world before the rollout: it names the segment."""
    orders: str
    """Digest of the orders under which it was collected."""
    digest: str
    """Digest of the bytes: two parts of one slice, step and orders have the same."""


def identify(part: bytes) -> PartId:
    """Say which part this is. It reads the head only: `Learner.add` checks everything."""
    if len(part) < _HEAD.size + 32 or part[:8] != _MAGIC:
        raise ValueError(f"{len(part)} bytes that begin with {part[:8]!r} are no part of a rollout")
    _, _, first, worlds, *_, step, orders = _HEAD.unpack_from(part)
    return PartId(first, first + worlds, step, orders.hex(), part[-32:].hex())


@dataclass(frozen=True)
class Segment:
    """A segment of a rollout that `Rollout.next` has recorded."""

    first: int
    """The first world of its slice."""
    end: int
    """The world after the last."""
    number: int
    """Counted from 1."""
    done: bool
    """It is the last one of the slice, which is complete when the rollout is closed."""
    episodes: int
    """That have ended in the slice so far."""
    faults: int
    """Of them, those that a fault ended."""
    snapshot: bytes
    """Where the slice stands after it: what another `Rollout` goes on from."""

    @property
    def digest(self) -> str:
        """SHA-256 of the snapshot: the same segment of the same slice has the same."""
        return hashlib.sha256(self.snapshot).hexdigest()


def rollout_request(
    task: str | None = None,
    *,
    policy: str | os.PathLike[str] = "random",
    episodes: int | None = None,
    seconds: float | str | None = None,
    config: str | os.PathLike[str] | None = None,
    text: str | None = None,
    seed: int | None = None,
    workers: int | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What the library is asked for a rollout, without slice and folder. It checks only what it needs."""
    if sum(value is not None for value in (task, config, text)) != 1:
        raise TypeError("want one of task, config and text")
    if (episodes is None) == (seconds is None):
        raise TypeError(f"episodes is {episodes!r} and seconds is {seconds!r}; want one of them")
    flat = dict(overrides or {})
    asked = _request.request(task=task, options=flat if task else None, config=config, text=text, seed=seed,
                             overrides=None if task else flat, workers=workers)  # fmt: skip
    by = os.fsdecode(policy)  # a name, or a path, which is made absolute for processes elsewhere
    return {
        "worlds": json.loads(asked), "policy": by if by in ("random", "zero") else os.path.abspath(by),
        "episodes": episodes or 0, "seconds": "" if seconds is None else str(seconds),
    }  # fmt: skip


class Rollout:
    """A slice of a rollout, in this process, recorded segment by segment. One thread at a time uses it."""

    def __init__(
        self, task: str | None = None, *, slice: tuple[int, int], out: str | os.PathLike[str], snapshot: bytes | None = None, **arguments: Any
    ) -> None:
        """Open the worlds.

        Args:
            task: a task's name, or else `config=` or `text=`.
            slice: the worlds (first, end), whole blocks.
            out: the folder of the slice's dataset, new or empty, or with a snapshot that of the
                rollout which is to be replaced; what that one recorded after the snapshot is removed.
            snapshot: of a `Segment`; empty for the beginning of the slice again, None for the first time.
            arguments: `policy`, `episodes` or `seconds` of the whole run, `seed`, `workers` and `overrides`, as of
                `polyrhythm.cluster.rollout`.
        """
        body = rollout_request(task, **arguments)
        self._open({**body, "from": slice[0], "to": slice[1], "folder": os.path.abspath(os.fsdecode(out))}, snapshot)

    @classmethod
    def of(cls, request: Mapping[str, Any], snapshot: bytes | None) -> Rollout:
        """A rollout by a request: that of `rollout_request` with `from`, `to` and `folder`."""
        self = cls.__new__(cls)
        self._open(request, snapshot)
        return self

    def _open(self, request: Mapping[str, Any], snapshot: bytes | None) -> None:
        self._slice = (request["from"], request["to"])
        self._library = _library.library()
        number = c_int64()
        self._library.on_death(self, "polyrhythm_slice_close", number)
        size = len(snapshot) if snapshot is not None else 0
        self._library.call("polyrhythm_slice_open", json.dumps(request).encode(), snapshot, size, byref(number))
        self._number = number.value

    def next(self) -> Segment:
        """Record a segment. The dataset up to it is then on the disk."""
        data, size = c_void_p(), c_int64()
        about = self._library.text("polyrhythm_slice_next", self._number, byref(data), byref(size))
        return Segment(*self._slice, **about, snapshot=_take(self._library, data, size))

    def close(self) -> None:
        """Complete the dataset and free the engine. Again: nothing."""
        self._library.call("polyrhythm_slice_close", self._number)

    def __enter__(self) -> Rollout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Learner:
    """A training whose rollouts collectors collect. It may be used from any thread.

    It evaluates, writes checkpoints and metrics and keeps the point to resume from as
    `train run` does.
    """

    def __init__(
        self,
        task: str | None = None,
        *,
        out: str | os.PathLike[str],
        slices: int | Sequence[tuple[int, int]] = 1,
        resume: bool = False,
        config: str | os.PathLike[str] | None = None,
        text: str | None = None,
        seed: int | None = None,
        workers: int | None = None,
        overrides: Mapping[str, Any] | None = None,
        keep_point: bool = False,
    ) -> None:
        """Begin a training.

        Args:
            task: a task's name, with the configuration that `train run --task` has; or else
            out: the run folder, new or empty, or that of the training to resume.
            slices: how many, or the worlds (first, end) of each, whole blocks, in order.
            resume: go on with the stopped training in `out`, whose configuration it keeps, except for
                `overrides`. Where its collectors recorded datasets, the slices must be the same.
            config: the path of a configuration.
            text: a configuration's contents.
            seed: the configuration's if it is None.
            workers: threads of the update; one per processor if it is None.
            overrides: keys of a configuration and their values, as of `make_vec`. With `resume`, settings
                of the update that are other ones from now on, such as training.learning_rate; what
                may not change in a run is refused by name. changes.json in the run folder then has them.
            keep_point: leave resume.point in the folder of a training that is done.
        """
        given = [value for value in (task, config, text) if value is not None]
        if len(given) != (0 if resume else 1):
            wanted = "none of them to resume" if resume else "one of them"
            raise TypeError(f"{len(given)} of task, config and text are given; want {wanted}")
        if resume and (seed is not None or workers is not None):
            raise TypeError("seed or workers is given; want none of them to resume")
        body: dict[str, Any] = {"out": os.path.abspath(os.fsdecode(out)), "resume": resume, "keep": keep_point}
        if isinstance(slices, int):
            body["count"] = slices
        else:
            body["slices"] = [[int(first), int(end)] for first, end in slices]
            if not body["slices"]:
                raise ValueError("slices is empty; want at least one")
        if resume:
            body["set"] = json.loads(_request.request(text="", overrides=overrides))["overrides"]
        else:
            if task is not None:
                body["task"], text = task, ""
            request = _request.request(config=config, text=text, seed=seed, overrides=overrides, workers=workers)
            body["worlds"] = json.loads(request)
        self._library = _library.library()
        number = c_int64()
        self._library.on_death(self, "polyrhythm_learner_close", number)
        self._about = self._library.text("polyrhythm_learner_open", json.dumps(body).encode(), byref(number))
        self._number = number.value
        self.assignments: list[bytes] = [json.dumps(a).encode() for a in self._about["assignments"]]
        """What the collectors of the slices are opened with, in the order of worlds."""

    @property
    def folder(self) -> str:
        """The run folder."""
        return self._about["folder"]

    @property
    def recording(self) -> bool:
        """Whether collectors may record."""
        return self._about["recording"]

    @property
    def slices(self) -> list[tuple[int, int]]:
        """The worlds (first, end) of each slice."""
        return [(a["from"], a["to"]) for a in self._about["assignments"]]

    def orders(self, timeout: float | None = None) -> bytes | None:
        """Wait until a rollout is to be collected; return its orders, None when the training is over.

        They are the same until all parts have arrived. TimeoutError after `timeout` seconds.
        """
        data, size, left = c_void_p(), c_int64(), timeout
        while True:
            wait = _WAIT if left is None else max(0, min(_WAIT, int(left * 1000)))
            self._library.call("polyrhythm_learner_orders", self._number, wait, byref(data), byref(size))
            if size.value > 0:
                return _take(self._library, data, size)
            if size.value == 0:
                return None
            if left is not None and (left := left - wait / 1000) <= 0:
                raise TimeoutError(f"the learner had no orders for {timeout} s")

    def add(self, part: bytes) -> None:
        """Give the learner a part of the rollout.

        One that has arrived already changes nothing, if it is the same. Error says by name
        what does not belong.
        """
        self._library.call("polyrhythm_learner_add", self._number, part, len(part))

    def absorb(self, parts: Sequence[bytes]) -> tuple[bytes | None, dict[str, float | None] | None]:
        """Give the parts of all slices; return the orders of the next rollout and the newest metrics."""
        missing = [self.slices[i] for i in self.missing]
        for part in parts:
            about = identify(part)
            self.add(part)
            missing = [s for s in missing if s != (about.first, about.end)]
        if missing:  # not self.missing, which may be of the next rollout already
            raise _library.Error(f"the parts of the slices {missing} are missing")
        return self.orders(), self.metrics

    def snapshot(self, number: int) -> bytes:
        """Where the worlds of a slice stand at the beginning of this rollout, for a collector in place of a lost one."""
        data, size = c_void_p(), c_int64()
        self._library.call("polyrhythm_learner_snapshot", self._number, number, byref(data), byref(size))
        return _take(self._library, data, size)

    @property
    def missing(self) -> list[int]:
        """The numbers of the slices whose parts of this rollout have not arrived."""
        return self._library.text("polyrhythm_learner_state", self._number)["missing"]

    @property
    def metrics(self) -> dict[str, float | None] | None:
        """Those of the newest iteration, as in metrics.csv; None where a cell is empty, or before the first."""
        return self._library.text("polyrhythm_learner_state", self._number)["metrics"]

    def close(self) -> dict[str, Any]:
        """End the training, unless it is over; return its report, as in run.json.

        A training that is ended before its last step can be resumed, and goes on after its last whole
        iteration. Error is why it failed. Again: the same. A learner that nobody refers to any more is closed.
        """
        return self._library.text("polyrhythm_learner_end", self._number)


class Collector:
    """The worlds of a slice, in this process. One thread at a time uses it."""

    def __init__(
        self,
        assignment: bytes,
        *,
        workers: int | None = None,
        dataset: str | os.PathLike[str] | None = None,
        snapshot: bytes | None = None,
    ) -> None:
        """Open the worlds.

        Args:
            assignment: one of `Learner.assignments`.
            workers: threads that step worlds; one per processor if it is None.
            dataset: a folder to record the worlds to, if the configuration records: new or
                empty, or with a snapshot that of the lost collector.
            snapshot: of `Learner.snapshot`; None for the first collector of the slice.
        """
        body: dict[str, Any] = {"assignment": json.loads(assignment)}
        if workers is not None:
            body["workers"] = workers
        if dataset is not None:
            body["dataset"] = os.path.abspath(os.fsdecode(dataset))
        self._library = _library.library()
        number = c_int64()
        self._library.on_death(self, "polyrhythm_collector_close", number)
        size = len(snapshot) if snapshot is not None else 0
        self._library.call("polyrhythm_collector_open", json.dumps(body).encode(), snapshot, size, byref(number))
        self._number = number

    def collect(self, orders: bytes) -> bytes:
        """Collect a rollout under the learner's orders; return the part for `Learner.add`."""
        data, size = c_void_p(), c_int64()
        self._library.call("polyrhythm_collector_collect", self._number, orders, len(orders), byref(data), byref(size))
        return _take(self._library, data, size)

    def close(self) -> None:
        """Complete the dataset and free the engine. Again: nothing."""
        self._library.call("polyrhythm_collector_close", self._number)

    def __enter__(self) -> Collector:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _take(library: _library.Library, data: c_void_p, size: c_int64) -> bytes:
    """Copy bytes that the library has allocated, and free them."""
    try:
        return ctypes.string_at(data.value or 0, size.value)
    finally:
        library.c.polyrhythm_free(data)
