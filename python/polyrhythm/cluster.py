"""Rollouts and training on several processes or machines, with the bytes of one: the local executor.

    from polyrhythm import cluster

    cluster.rollout(config="configs/quadruped.yaml", policy="runs/q", episodes=1000, out="runs/walk", slices=3)
    cluster.train(config="configs/quadruped.yaml", out="runs/q", slices=3)

The worlds are cut into slices, and each has a worker process. This process merges what they
record, or learns from what they collect. `polyrhythm.ray` has the same two functions on Ray.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polyrhythm import _library
from polyrhythm._processes import Failed, Lost, Processes
from polyrhythm._team import Mixed, Team
from polyrhythm.parts import Collector, Learner, Rollout, Segment, rollout_request

__all__ = ["Differs", "Failed", "Lost", "Mixed", "Processes", "facts", "rollout", "train"]

_ENGINES = re.compile(r"/lib(polyrhythm|mujoco|box2d|openblas)[^/]*\.so")


class Differs(Exception):
    """A segment arrived twice with other bytes: the machines do not compute the same."""


def facts() -> dict[str, str]:
    """What decides the bits of this machine and process, beside configuration and seed; and its name, `host`.

    It loads the library.
    """
    _library.library()
    lines = (line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines())
    engines = sorted({words[5] for words in lines if len(words) == 6 and _ENGINES.search(words[5])})
    cpu = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    told = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in cpu.splitlines())}
    result = {
        "host": platform.node(),
        "processor": told.get("model name", platform.machine()),
        "features of the processor": _digest(told.get("flags", told.get("Features", "")).encode()),
        "C library": " ".join(platform.libc_ver()),
    }
    for path in engines:
        if "openblas" not in Path(path).name:
            result[f"library {_ENGINES.search(path)[1]}"] = _digest(Path(path).read_bytes())
        else:
            kernel = ctypes.CDLL(path).openblas_get_corename
            kernel.restype = ctypes.c_char_p
            result["library openblas"] = _digest(Path(path).read_bytes())
            result["OpenBLAS kernel"] = kernel().decode()
    return result


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def rollout(
    task: str | None = None,
    *,
    out: str | os.PathLike[str],
    episodes: int | None = None,
    seconds: float | str | None = None,
    policy: str | os.PathLike[str] = "random",
    slices: int | Sequence[tuple[int, int]] = 2,
    workers: int = 1,
    mixed: bool = False,
    executor: Any = None,
    config: str | os.PathLike[str] | None = None,
    text: str | None = None,
    seed: int | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Record a dataset as `train rollout` does, with the same bytes; return what `train merge` says.

    Each worker records its slice to a folder beside `out`, `.NAME.slices`, which all machines and
    this process must share. Where a worker is lost, another one goes on with its slice after the last
    segment that was done. After an error the slices stay there as they are, and the next call with the
    same arguments goes on with them.

    Args:
        task: a task's name, or else `config`, a path, or `text`, a configuration's contents.
        out: the folder of the dataset, new or empty.
        episodes: of all worlds together; or else
        seconds: of simulated time of each world, exact where it is a text.
        policy: as of `train rollout`.
        slices: how many workers, or the worlds (first, end) of each, whole blocks, in order.
        workers: threads of each worker.
        mixed: take machines whose `facts` differ from this one's. Their bits may differ.
        executor: where workers run; `Processes()`, on this machine, if it is None.
        seed: the configuration's if it is None.
        overrides: keys of a configuration and their values, or a task's options.
    """
    body = rollout_request(task, policy=policy, episodes=episodes, seconds=seconds, config=config, text=text, seed=seed,
                           workers=workers, overrides=overrides)  # fmt: skip
    asked = json.dumps(body["worlds"]).encode()
    divided = _library.library().text("polyrhythm_split", asked, slices) if isinstance(slices, int) else [list(each) for each in slices]
    target = Path(os.path.abspath(os.fsdecode(out)))
    if target.exists() and any(target.iterdir()):
        raise ValueError(f"out is {target}, which is not empty; want a new or an empty folder")
    kept = _beside(target)
    folders = [kept / f"{first}-{end}" for first, end in divided]
    left = [_Slice({**body, "from": s[0], "to": s[1], "folder": str(f)}) for s, f in zip(divided, folders, strict=True) if not _is_done(f)]
    with Team(
        executor or Processes(), "polyrhythm.cluster:Recording", [(one.request,) for one in left],
        facts=facts(), mixed=mixed, restore=lambda number: left[number].snapshot, restored=True,
    ) as team:  # fmt: skip
        team.each("next", take=lambda number, segment: left[number].take(segment), late=lambda number, segment: left[number].compare(segment))
    merged = _merge(folders, target, mixed)
    shutil.rmtree(kept)
    return merged


def _beside(out: Path) -> Path:
    """The folder of the slices beside `out`. Workers must find it, so they do not make it."""
    kept = out.with_name(f".{out.name}.slices")
    kept.mkdir(parents=True, exist_ok=True)
    return kept


def _is_done(folder: Path) -> bool:
    return (folder / "slice.json").exists()  # it is written last


def _shared(folder: Path) -> None:
    """Raise FileNotFoundError on a machine that does not share the folder of the slices."""
    if not folder.parent.is_dir():
        raise FileNotFoundError(f"{folder.parent} does not exist on {platform.node()}; want a folder that all machines share")


class _Slice:
    """What this process knows of a slice that is recorded: where it stands, also for the next call."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.request = request
        self._file = Path(request["folder"] + ".snapshot")
        # Without one the slice begins, and what a lost worker has left is removed.
        self.snapshot = self._file.read_bytes() if self._file.exists() and Path(request["folder"]).exists() else b""
        self._digests: dict[int, str] = {}  # by segment

    def take(self, segment: Segment) -> bool:
        """Keep where the slice stands after a segment; say whether there is another one."""
        self.compare(segment)
        self.snapshot = segment.snapshot
        partial = self._file.with_suffix(".partial")
        partial.write_bytes(self.snapshot)
        partial.replace(self._file)
        return not segment.done

    def compare(self, segment: Segment) -> None:
        """Raise Differs where the segment has arrived already with other bytes."""
        first = self._digests.setdefault(segment.number, segment.digest)
        if first != segment.digest:
            raise Differs(
                f"segment {segment.number} of the worlds {segment.first}:{segment.end} arrived twice, "
                f"with the digests {first} and {segment.digest}, want the same"
            )


class Recording:
    """What a worker of a rollout has: a slice, which it goes on with from a snapshot."""

    def __init__(self, request: dict[str, Any], snapshot: bytes) -> None:
        self._request, self._snapshot, self._rollout = request, snapshot, None

    def facts(self) -> dict[str, str]:
        return facts()

    def next(self) -> Segment:
        """Record a segment; after the last one complete the dataset."""
        if self._rollout is None:
            _shared(Path(self._request["folder"]))
            self._rollout = Rollout.of(self._request, self._snapshot)
        segment = self._rollout.next()
        if segment.done:
            self._rollout.close()
        return segment


def _merge(folders: Sequence[Path], out: Path, mixed: bool) -> dict[str, Any]:
    merging = Processes().start("polyrhythm.cluster:Merging")
    try:
        return merging.call("merge", json.dumps({"folders": [str(f) for f in folders], "out": str(out), "mixed": mixed})).result()
    finally:
        merging.stop()


class Merging:
    """A process that merges, so that Ctrl-C ends it."""

    def merge(self, request: str) -> dict[str, Any]:
        return _library.library().text("polyrhythm_merge", request.encode())


def train(
    task: str | None = None,
    *,
    out: str | os.PathLike[str],
    slices: int | Sequence[tuple[int, int]] = 2,
    workers: int = 1,
    executor: Any = None,
    resume: bool = False,
    **arguments: Any,
) -> dict[str, Any]:
    """Train as `train run` does, with the same bytes in the run folder; return the report, as in run.json.

    A worker that is lost is made again, where the executor chooses, from the state of its worlds
    at the beginning of the rollout, and collects the same part once more. A machine whose `facts`
    differ is refused. With `recording.enabled` each worker records its slice to a folder beside `out`,
    `.NAME.slices`, which all machines and this process must share; at the end they become `out`/dataset.

    Args:
        task: a task's name, or else `config=` or `text=`.
        out: the run folder, new or empty, or that of the training to resume.
        slices: how many workers, or the worlds (first, end) of each, whole blocks, in order.
        workers: threads of each worker.
        executor: where workers run; `Processes()`, on this machine, if it is None.
        resume: go on with the stopped training in `out`.
        arguments: `config`, `text`, `seed` and `overrides`, as of `polyrhythm.parts.Learner`.
    """
    learner = Learner(task, out=out, slices=slices, resume=resume, keep_point=True, **arguments)
    folders = _datasets(learner)
    try:
        orders = learner.orders()
        if orders is not None or learner.recording:
            jobs = [(assignment, workers, folder) for assignment, folder in zip(learner.assignments, folders, strict=True)]
            with Team(
                executor or Processes(), "polyrhythm.cluster:Collecting", jobs,
                facts=facts(), restore=learner.snapshot, restored=resume or learner.recording,
            ) as team:  # fmt: skip
                while orders is not None:
                    # What a worker that was given up sends late goes to the learner too, which compares it.
                    team.each("collect", orders, take=lambda _, part: learner.add(part))
                    orders = learner.orders()
                if learner.recording:
                    learner.close()  # raises what a training that failed has to say
                    team.each("close", take=lambda *_: None)
        report = learner.close()
    except BaseException:
        try:
            learner.close()
        except _library.Error:
            pass  # the first reason counts
        raise
    _finish(Path(learner.folder), folders if learner.recording else [])
    return report


def _datasets(learner: Learner) -> list[str | None]:
    """The folders of the datasets of the slices."""
    if not learner.recording:
        return [None] * len(learner.slices)
    kept = _beside(Path(learner.folder))
    return [str(kept / f"{first}-{end}") for first, end in learner.slices]


def _finish(out: Path, datasets: Sequence[str]) -> None:
    """Merge what was recorded in a training that is done, which then is not to be resumed any more."""
    if datasets:
        shutil.rmtree(out / "dataset", ignore_errors=True)  # of a call that was lost below
        _merge([Path(folder) for folder in datasets], out / "dataset", False)
    (out / "resume.point").unlink(missing_ok=True)
    if datasets:
        shutil.rmtree(_beside(out))


class Collecting:
    """What a worker of a training has: the worlds of a slice."""

    def __init__(self, assignment: bytes, workers: int, dataset: str | None, snapshot: bytes | None) -> None:
        self._open = {"workers": workers, "dataset": dataset, "snapshot": snapshot}
        self._assignment, self._collector = assignment, None

    def facts(self) -> dict[str, str]:
        return facts()

    def collect(self, orders: bytes) -> bytes:
        return self._opened().collect(orders)

    def close(self) -> None:
        """Complete the dataset."""
        self._opened().close()

    def _opened(self) -> Collector:
        """The collector: after its `facts` were asked for, since it takes the dataset from a lost one."""
        if self._collector is None:
            if self._open["dataset"] is not None:
                _shared(Path(self._open["dataset"]))
            self._collector = Collector(self._assignment, **self._open)
        return self._collector
