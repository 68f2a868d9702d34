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
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any

from polyrhythm import _library, _request
from polyrhythm._display import Display
from polyrhythm._files import MAX_STATE, read_file
from polyrhythm._processes import Failed, Lost, Processes
from polyrhythm._team import Mixed, Team
from polyrhythm.parts import Collector, Learner, Segment, assignments, slice_of

__all__ = ["Differs", "Failed", "Lost", "Mixed", "Processes", "facts", "rollout", "train"]

_SLICE = re.compile(r"\d+-\d+(\.snapshot|\.partial)?")
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
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in cpu.splitlines())}
    result = {
        "host": platform.node(),
        "processor": fields.get("model name", platform.machine()),
        "features of the processor": _digest(fields.get("flags", fields.get("Features", "")).encode()),
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
    cameras: Mapping[str, Mapping[str, Any]] | None = None,
    config: str | os.PathLike[str] | None = None,
    text: str | None = None,
    seed: int | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Record a dataset as `train rollout` does, with the same bytes; return what `train merge` says.

    That is a mapping with the task, its episodes, faults, rows and bytes, `no_log`: why there is no log though a
    slice has one, or an empty text, and the names of the `cameras` whose pictures it has. Each worker records its
    slice to a folder beside `out`, `.NAME.slices`, which all machines and this process must share. Where a worker is
    lost, another one goes on with its slice after the last segment that was done. After an error the next call with
    the same arguments goes on with the slices.

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
        cameras: pictures that each worker adds to its slice, as `train render --into` does, by the names of cameras of
            the model: `{"track": {"size": (84, 84), "kinds": ["rgb", "depth"]}}`; rgb alone if no kinds are given.
        seed: the configuration's if it is None.
        overrides: keys of a configuration and their values, or a task's options.
    """
    drawing = [_camera(name, of) for name, of in (cameras or {}).items()]
    by = os.fsdecode(policy)
    if not (by in ("random", "zero") or by.startswith("builtin:") or os.path.exists(by)):
        wanted = "random, zero, a checkpoint, or a script that ends in .csv"
        raise _library.not_found(by, f"policy is {by}, which is not there; want {wanted}")
    asked = {"policy": policy, "episodes": episodes, "seconds": seconds, "config": config, "text": text, "seed": seed}
    all_of = assignments(task, slices=slices, overrides=overrides, **asked)
    target = Path(_request.path("out", out))
    if target.exists() and any(target.iterdir()):
        advice = "give another name, or remove the folder first"
        raise ValueError(f"out is {target}, which is not empty; want a new or an empty folder: {advice}")
    folders = _datasets(target, map(slice_of, all_of))
    left = [_Slice(one, folder) for one, folder in zip(all_of, folders, strict=True)
        if not (folder / "slice.json").exists()]  # it is written last
    jobs = [(one.assignment, workers, str(one.folder)) for one in left]
    try:
        with Team(
            executor or Processes(), "polyrhythm.cluster:Collecting", jobs,
            facts=facts(), mixed=mixed, restore=lambda number: left[number].snapshot, restored=True,
        ) as team:  # fmt: skip
            take, compare = lambda n, segment: left[n].take(segment), lambda n, segment: left[n].compare(segment)
            team.each("next", take=take, late=compare)
        if drawing:
            jobs = [(str(folder), workers, drawing) for folder in folders]
            with Team(executor or Processes(), "polyrhythm.cluster:Drawing", jobs, facts=facts(), mixed=mixed) as team:
                team.each("draw", take=lambda *_: None)
    except BaseException:
        if not any(any(_beside(target).glob(done)) for done in ("*.snapshot", "*/slice.json")):
            _remove_slices(target)  # nothing in them is to be gone on with
        raise
    merged = _merge(folders, target, mixed)
    _remove_slices(target)
    return merged


def _camera(name: str, of: Mapping[str, Any]) -> dict[str, Any]:
    """A request of pictures, without the dataset."""
    size, other = of.get("size"), set(of) - {"size", "kinds"}
    if other or not (isinstance(size, Sequence) and len(size) == 2 and all(map(_request.is_int, size))):
        raise ValueError(f"the camera {name} has {dict(of)!r}; want size, (width, height), and kinds")
    return {"camera": name, "size": [int(side) for side in size], "kinds": list(of.get("kinds", ["rgb"]))}


class Drawing:
    """What a worker has that adds pictures to its slice. What a lost one has begun is replaced."""

    def __init__(self, folder: str, workers: int, cameras: Sequence[Mapping[str, Any]], _: None) -> None:
        self._requests = [{**camera, "dataset": folder, "workers": workers} for camera in cameras]

    def facts(self) -> dict[str, str]:
        return facts()

    def draw(self) -> None:
        for request in self._requests:
            _library.library().ask("frames", request)


def _beside(out: Path) -> Path:
    """The folder of the slices beside `out`."""
    return out.with_name(f".{out.name}.slices")


def _remove(folder: Path) -> None:
    """Remove what a run wrote into a folder, and the folder if nothing else is in it."""
    _library.library().ask("discard", str(folder))


def _remove_slices(out: Path) -> None:
    """Remove the slices beside `out`. What somebody else has put there stays."""
    beside = _beside(out)
    for path in list(beside.iterdir()) if beside.is_dir() else []:
        if not _SLICE.fullmatch(path.name):
            continue
        if path.is_dir():
            _remove(path)
        else:
            path.unlink()
    with suppress(OSError):  # it is not empty, or not there
        beside.rmdir()


def _datasets(out: Path, slices: Iterable[tuple[int, int]]) -> list[Path]:
    """The folders of the datasets of slices. Workers must find the one that they are in, so they do not make it."""
    _beside(out).mkdir(parents=True, exist_ok=True)
    return [_beside(out) / f"{first}-{end}" for first, end in slices]


class _Slice:
    """What this process knows of a slice that is recorded: where it stands, also for the next call."""

    def __init__(self, assignment: bytes, folder: Path) -> None:
        self.assignment, self.folder = assignment, folder
        self._file = folder.with_name(f"{folder.name}.snapshot")
        # Without one the slice begins, and what a lost worker has left is removed.
        self.snapshot = read_file(self._file, MAX_STATE) if self._file.exists() and folder.exists() else b""
        self._digests: dict[int, str] = {}  # by segment

    def take(self, segment: Segment) -> bool:
        """Keep where the slice stands after a segment; say whether there is another one."""
        self.compare(segment)
        self.snapshot = segment.snapshot
        partial = self._file.with_suffix(".partial")
        try:
            partial.write_bytes(self.snapshot)
            partial.replace(self._file)
        except OSError as error:  # of a full disk Python does not name the file
            advice = f"{error.strerror}: make room there, then do the same again"
            raise OSError(error.errno, advice, str(partial)) from None
        return not segment.done

    def compare(self, segment: Segment) -> None:
        """Raise Differs where the segment has arrived already with other bytes."""
        first = self._digests.setdefault(segment.number, segment.digest)
        if first != segment.digest:
            raise Differs(
                f"segment {segment.number} of the worlds {segment.first}:{segment.end} arrived twice, "
                f"with the digests {first} and {segment.digest}, want the same"
            )


class Collecting:
    """What a worker has: a collector, which goes on with its slice from a snapshot."""

    def __init__(
        self, assignment: bytes, workers: int, dataset: str | None, snapshot: bytes | None
    ) -> None:
        self._open = {"workers": workers, "dataset": dataset, "snapshot": snapshot}
        self._assignment, self._collector = assignment, None

    def facts(self) -> dict[str, str]:
        return facts()

    def collect(self, weights: bytes) -> bytes:
        return self._opened().collect(weights)

    def next(self) -> Segment:
        """Record a segment; after the last one complete the dataset."""
        segment = self._opened().next()
        if segment.done:
            self.close()
        return segment

    def close(self) -> None:
        """Complete the dataset."""
        self._opened().close()

    def _opened(self) -> Collector:
        """The collector: after its `facts` were asked for, since it takes the dataset from a lost one."""
        if self._collector is None:
            if self._open["dataset"] is not None and not (folder := Path(self._open["dataset"]).parent).is_dir():
                where = f"{folder} does not exist on {platform.node()}"
                raise _library.not_found(str(folder), f"{where}; want a folder that all machines share")
            self._collector = Collector(self._assignment, **self._open)
        return self._collector


class Merging:
    """What the process has that merges slices: one of its own, so that Ctrl-C ends it."""

    def __init__(self, request: Mapping[str, Any], _: None) -> None:
        self._request = request

    def facts(self) -> dict[str, str]:
        return facts()

    def merge(self) -> dict[str, Any]:
        return _library.library().ask("merge", self._request)[0]


def _merge(folders: Sequence[Path], out: Path, mixed: bool) -> dict[str, Any]:
    request = {"folders": list(map(str, folders)), "out": str(out), "mixed": mixed}
    merged: list[dict[str, Any]] = []
    with Team(Processes(), "polyrhythm.cluster:Merging", [(request,)], facts=facts(), mixed=True) as team:
        team.each("merge", take=lambda _, answer: merged.append(answer))
    return merged[0]


def train(
    task: str | None = None,
    *,
    out: str | os.PathLike[str],
    slices: int | Sequence[tuple[int, int]] = 2,
    workers: int = 1,
    learner_workers: int | None = None,
    executor: Any = None,
    resume: bool = False,
    progress: bool = True,
    on_metrics: Callable[[dict[str, float | None]], Any] | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """Train as `train run` does, with the same bytes in the run folder; return the report, as in run.json.

    A worker that is lost is made again, where the executor chooses, and collects the same part once more. A machine
    whose `facts` differ is refused. With `recording.enabled` each worker records its slice to a folder beside `out`,
    `.NAME.slices`, which all machines and this process must share; at the end they become `out`/dataset. There is no
    `run.log`, which `train replay` would need: the worlds are stepped by several processes.

    Args:
        task: a task's name, or else `config=` or `text=`.
        out: the run folder, new or empty, or that of the training to resume.
        slices: how many workers, or the worlds (first, end) of each, whole blocks, in order.
        workers: threads of each worker.
        learner_workers: threads of the update, in this process; one per processor if it is None.
        executor: where workers run; `Processes()`, on this machine, if it is None.
        resume: go on with the stopped training in `out`.
        progress: show what `train run` shows: how far the training is on stderr, and in the end a table on stdout.
        on_metrics: is called after each iteration with its metrics, as `polyrhythm.parts.Learner.metrics`.
        arguments: `config`, `text`, `seed` and `overrides`, as of `polyrhythm.parts.Learner`.
    """
    arguments |= {"slices": slices, "workers": learner_workers, "resume": resume}
    new = not os.path.exists(out)
    learner = Learner(task, out=out, keep_point=True, **arguments)
    folder, display = Path(learner.folder), Display(learner, progress, on_metrics)
    folders = _datasets(folder, learner.slices) if learner.recording else []
    try:
        weights = learner.weights()
        if weights is not None or learner.recording:
            jobs = [(one, workers, str(at) if at else None) for one, at in zip_longest(learner.assignments, folders)]
            with Team(
                executor or Processes(), "polyrhythm.cluster:Collecting", jobs,
                facts=facts(), restore=learner.snapshot,
                restored=resume or learner.recording, tell=display.say,
            ) as team:  # fmt: skip
                display.update()
                while weights is not None:
                    # What a worker that was given up sends late goes to the learner too, which compares it.
                    team.each("collect", weights, take=lambda _, part: learner.add(part))
                    weights = learner.weights()
                    display.update()
                if learner.recording:
                    learner.close()  # raises what a training that failed has to say
                    team.each("close", take=lambda *_: None)
        report = learner.close()
    except BaseException:
        display.close()
        with suppress(_library.Error):  # the first reason counts
            learner.close()
        if not resume and learner.metrics is None:  # nothing is done that could be gone on with
            with suppress(_library.Error, OSError):
                _remove(folder)
                if folders:
                    _remove_slices(folder)
            if not new:
                folder.mkdir(exist_ok=True)
        raise
    if folders:
        _remove(folder / "dataset")  # of a call that was lost below
        _merge(folders, folder / "dataset", False)
    (folder / "resume.state").unlink(missing_ok=True)  # a training that is done is not to be resumed
    if folders:
        _remove_slices(folder)
    display.close({**report, "folder": folder})
    return report
