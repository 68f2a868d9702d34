"""Training in parts: one learner, and a collector for each slice of its worlds.

The collectors may run in any process of any machine with the same versions and processor.
What learner and collectors exchange is bytes:

    learner = Learner(config="configs/quadruped.yaml", out="runs/q", slices=3)
    collectors = [Collector(assignment) for assignment in learner.assignments]
    while (weights := learner.weights()) is not None:
        for collector in collectors:
            learner.add(collector.collect(weights))
    report = learner.close()

The run folder then has the bytes of `train run`, for any slices. A collector that is lost is replaced, anywhere,
and its part of the rollout collected again, with the same bytes. A rollout of a slice is recorded segment by
segment, and goes on anywhere from where one of them ended. docs/how-to/training-in-parts.md has examples.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

from polyrhythm import _library, _repr, _request

_WAIT = 200  # ms that a call into the library lasts at most, so that Ctrl-C is seen


class PartId(NamedTuple):
    """Which part some bytes are."""

    first: int  # world of its slice
    end: int  # the world after the last
    step: int  # control steps of each world before the rollout: it names the segment
    weights: str  # digest of the weights under which it was collected
    digest: str  # of the bytes: two parts of one slice, step and weights have the same


def identify(part: bytes) -> PartId:
    """Say which part this is. ValueError where it is none, or damaged."""
    return PartId(**_library.library().ask("identify", None, part)[0])


class Segment(NamedTuple):
    """A segment of a rollout that `Collector.next` has recorded."""

    first: int  # world of its slice
    end: int  # the world after the last
    number: int  # counted from 1
    done: bool  # it is the last one of the slice, which is complete when the collector is closed
    episodes: int  # that have ended in the slice so far
    faults: int  # of them, those that a fault ended
    snapshot: bytes  # where the slice stands after it: what another collector goes on from

    def __repr__(self) -> str:
        return _repr.line("Segment", **self._asdict())

    @property
    def digest(self) -> str:
        """SHA-256 of the snapshot: the same segment of the same slice has the same."""
        return hashlib.sha256(self.snapshot).hexdigest()


def assignments(
    task: str | None = None,
    *,
    slices: int | Sequence[tuple[int, int]] = 1,
    policy: str | os.PathLike[str] = "random",
    episodes: int | None = None,
    seconds: float | str | None = None,
    config: str | os.PathLike[str] | None = None,
    text: str | None = None,
    seed: int | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> list[bytes]:
    """What the collectors of a rollout are opened with, in the order of worlds; as of `polyrhythm.cluster.rollout`."""
    if sum(value is not None for value in (task, config, text)) != 1:
        raise TypeError("want one of task, config and text")
    if (episodes is None) == (seconds is None):
        raise TypeError(f"episodes is {episodes!r} and seconds is {seconds!r}; want one of them")
    asked = _request.request(task=task, config=config, text=text, seed=seed, options=overrides)
    by = os.fsdecode(policy)  # a name, or a path, which is made absolute for processes elsewhere
    named = by in ("random", "zero") or by.startswith("builtin:")
    body = {
        "worlds": json.loads(asked), "policy": by if named else _request.path("policy", by),
        "episodes": episodes or 0, "seconds": "" if seconds is None else str(seconds),
    }  # fmt: skip
    if isinstance(slices, int):
        split, _ = _library.library().ask("split", {"worlds": body["worlds"], "count": slices})
        slices = [(one["From"], one["To"]) for one in split]
    return [json.dumps({"rollout": {**body, "from": first, "to": end}}).encode() for first, end in slices]


def slice_of(assignment: bytes) -> tuple[int, int]:
    """The worlds (first, end) of an assignment."""
    (about,) = json.loads(assignment).values()
    return about["from"], about["to"]


class Learner(AbstractContextManager):
    """A training whose rollouts collectors collect. It may be used from any thread.

    It evaluates, writes checkpoints and metrics and keeps the point to resume from as
    `train run` does. `with` closes it.
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
            workers: threads of the update; one per processor if it is None, also with `resume`.
            overrides: keys of a configuration and their values, as of `make_vec`. With `resume`, settings
                of the update that are other ones from now on, such as training.learning_rate; what
                may not change in a run is refused by name. changes.json in the run folder then has them.
            keep_point: leave resume.state in the folder of a training that is done.
        """
        body = _request.training(task, out, resume, config, text, seed, workers, overrides)
        body["keep"] = keep_point
        if isinstance(slices, int):
            body["count"] = slices
        else:
            body["slices"] = [{"From": int(first), "To": int(end)} for first, end in slices]
            if not body["slices"]:
                raise ValueError("slices is empty; want at least one")
        self._open = _library.Open("learner", body)
        about = self._open.description
        self.folder: str = about["folder"]  # the run folder
        self.recording: bool = about["recording"]  # whether collectors may record
        # What the collectors of the slices are opened with, in the order of worlds.
        self.assignments = [json.dumps({"training": a}).encode() for a in about["assignments"]]
        self.slices = [slice_of(assignment) for assignment in self.assignments]  # the worlds (first, end) of each

    def weights(self, timeout: float | None = None) -> bytes | None:
        """Wait until a rollout is to be collected; return its weights, None when the training is over.

        They are the same until all parts have arrived. TimeoutError after `timeout` seconds.
        """
        left = timeout
        while True:
            wait = _WAIT if left is None else max(0, min(_WAIT, int(left * 1000)))
            waiting, weights = self._open.ask("weights", wait)
            if not waiting:
                return weights or None
            if left is not None and (left := left - wait / 1000) <= 0:
                raise TimeoutError(f"the learner had no weights for {timeout} s")

    def add(self, part: bytes) -> None:
        """Give the learner a part of the rollout.

        One that has arrived already changes nothing, if it is the same. Error says by name
        what does not belong.
        """
        self._open.ask("add", None, part)

    def add_rollouts(self, parts: Sequence[bytes]) -> tuple[bytes | None, dict[str, float | None] | None]:
        """Give the parts of all slices; return the weights of the next rollout and the newest metrics."""
        missing = [self.slices[i] for i in self.missing]
        for part in parts:
            about = identify(part)
            self.add(part)
            missing = [s for s in missing if s != (about.first, about.end)]
        if missing:  # not self.missing, which may be of the next rollout already
            raise _library.Error(f"the parts of the slices {missing} are missing")
        return self.weights(), self.metrics

    def snapshot(self, number: int) -> bytes:
        """Where the worlds of a slice stand at the beginning of this rollout, for a new collector."""
        return self._open.ask("snapshot", number)[1]

    @property
    def missing(self) -> list[int]:
        """The numbers of the slices whose parts of this rollout have not arrived."""
        return self._open.ask("progress")[0]["missing"]

    @property
    def metrics(self) -> dict[str, float | None] | None:
        """Those of the newest iteration, as in metrics.csv; None where a cell is empty, or before the first."""
        return self._open.ask("progress")[0]["metrics"]

    def status(self) -> dict[str, Any]:
        """How far the training is: `task`, `env_steps` of `total`, `steps_per_s` so far, `mean_return` of the newest
        iteration in which an episode ended, and the `warnings` since the last call.
        """
        return self._open.ask("status")[0]

    def close(self) -> dict[str, Any]:
        """End the training, unless it is over; return its report, as in run.json.

        A training that is ended before its last step can be resumed, and goes on after its last whole
        iteration. Error is why it failed. Further calls return the same. A learner that nobody refers to any more
        is closed.
        """
        return self._open.ask("end")[0]

    def __repr__(self) -> str:
        if not hasattr(self, "slices"):  # it could not begin
            return _repr.line("Learner", "not open")
        return _repr.line("Learner", folder=self.folder, slices=self.slices)

    def __exit__(self, kind: Any, *_: object) -> None:
        with suppress(*[_library.Error] if kind else []):  # the first reason counts
            self.close()


class Collector(AbstractContextManager):
    """The worlds of a slice of a training or of a rollout, in this process. One thread at a time uses it."""

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
            assignment: one of `Learner.assignments`, or of `assignments`.
            workers: threads that step worlds; one per processor if it is None.
            dataset: a folder to record the worlds to, of a rollout, or of a training whose configuration
                records: new or empty, or with a snapshot that of the lost collector. What that one recorded
                after the snapshot is removed; a folder with anything else in it is refused.
            snapshot: of `Learner.snapshot`, or of a `Segment`, or empty for the beginning of the slice again;
                None for the first collector of the slice.
        """
        body: dict[str, Any] = {**json.loads(assignment), "workers": workers or 0}
        if dataset is not None:
            body["dataset"] = _request.path("dataset", dataset)
        self._open = _library.Open("collector", body, snapshot)
        self._shown = {"slice": slice_of(assignment), "dataset": body.get("dataset")}

    def __repr__(self) -> str:
        return _repr.line("Collector", **getattr(self, "_shown", {}))

    def collect(self, weights: bytes) -> bytes:
        """Collect a rollout under the learner's weights; return the part for `Learner.add`."""
        return self._open.ask("collect", None, weights)[1]

    def next(self) -> Segment:
        """Record a segment of a rollout. The dataset up to it is then on the disk."""
        about, snapshot = self._open.ask("next")
        return Segment(**about, snapshot=snapshot)

    def close(self) -> None:
        """Complete the dataset, or remove an empty one, and free the engine. Closing again does nothing."""
        self._open.ask("release")

    def __exit__(self, *_: object) -> None:
        self.close()
