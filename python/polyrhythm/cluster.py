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

from polyrhythm import _library, _request
from polyrhythm._processes import Failed, Lost, Processes
from polyrhythm._team import Mixed, Team
from polyrhythm.parts import Collector, Learner

__all__ = ["Failed", "Lost", "Mixed", "Processes", "facts", "rollout", "train"]

_ENGINES = re.compile(r"/lib(polyrhythm|mujoco|box2d|openblas)[^/]*\.so")


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
    this process must share. A slice whose worker is lost begins again. After an error the slices
    that are done stay there, and the next call with the same arguments takes them up.

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
    if sum(value is not None for value in (task, config, text)) != 1:
        raise TypeError("want one of task, config and text")
    if (episodes is None) == (seconds is None):
        raise TypeError(f"episodes is {episodes!r} and seconds is {seconds!r}; want one of them")
    flat = dict(overrides or {})
    asked = _request.request(task=task, options=flat if task else None, config=config, text=text, seed=seed,
                             overrides=None if task else flat, workers=workers)  # fmt: skip
    library = _library.library()
    divided = library.text("polyrhythm_split", asked, slices) if isinstance(slices, int) else [list(each) for each in slices]
    target = Path(os.path.abspath(os.fsdecode(out)))
    if target.exists() and any(target.iterdir()):
        raise ValueError(f"out is {target}, which is not empty; want a new or an empty folder")
    kept = target.with_name(f".{target.name}.slices")
    folders = [kept / f"{first}-{end}" for first, end in divided]
    body = {"worlds": json.loads(asked), "policy": _policy(policy), "episodes": episodes or 0, "seconds": "" if seconds is None else str(seconds)}
    jobs = [(json.dumps({**body, "from": s[0], "to": s[1], "folder": str(f)}),) for s, f in zip(divided, folders, strict=True)]
    executor = executor or Processes()
    with Team(executor, "polyrhythm.cluster:Recording", jobs, facts=facts(), mixed=mixed) as team:
        team.each("record", take=lambda _, recorded: None)
    merging = Processes().start("polyrhythm.cluster:Merging", None)
    try:
        merged = merging.call("merge", json.dumps({"folders": [str(f) for f in folders], "out": str(target), "mixed": mixed})).result()
    finally:
        merging.stop()
    shutil.rmtree(kept)
    return merged


def _policy(policy: str | os.PathLike[str]) -> str:
    """As the library takes it: the name of a policy, or an absolute path, for processes elsewhere."""
    text = os.fsdecode(policy)
    return text if text in ("random", "zero") else os.path.abspath(text)


class Recording:
    """What a worker of a rollout has: a slice."""

    def __init__(self, request: str, _: None) -> None:
        self._request = request

    def facts(self) -> dict[str, str]:
        return facts()

    def record(self) -> None:
        """Record the slice, unless that is done; what a lost worker has left is removed."""
        folder = Path(json.loads(self._request)["folder"])
        if (folder / "slice.json").exists():  # it is written last
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        _library.library().text("polyrhythm_rollout", self._request.encode())


class Merging:
    """A process that merges, so that Ctrl-C ends it."""

    def __init__(self, _: None) -> None:
        pass

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
    differ is refused. The collectors record no dataset.

    Args:
        task: a task's name, or else `config=` or `text=`.
        out: the run folder, new or empty, or that of the training to resume.
        slices: how many workers, or the worlds (first, end) of each, whole blocks, in order.
        workers: threads of each worker.
        executor: where workers run; `Processes()`, on this machine, if it is None.
        resume: go on with the stopped training in `out`.
        arguments: `config`, `text`, `seed` and `overrides`, as of `polyrhythm.parts.Learner`.
    """
    learner = Learner(task, out=out, slices=slices, resume=resume, **arguments)
    try:
        orders = learner.orders()
        if orders is not None:
            jobs = [(assignment, workers) for assignment in learner.assignments]
            with Team(
                executor or Processes(), "polyrhythm.cluster:Collecting", jobs,
                facts=facts(), restore=learner.snapshot, restored=resume,
            ) as team:  # fmt: skip
                while orders is not None:
                    # What a worker that was given up sends late goes to the learner too, which compares it.
                    team.each("collect", orders, take=lambda _, part: learner.add(part))
                    orders = learner.orders()
    except BaseException:
        try:
            learner.close()
        except _library.Error:
            pass  # the first reason counts
        raise
    return learner.close()


class Collecting:
    """What a worker of a training has: the worlds of a slice."""

    def __init__(self, assignment: bytes, workers: int, snapshot: bytes | None) -> None:
        self._collector = Collector(assignment, workers=workers, snapshot=snapshot)

    def facts(self) -> dict[str, str]:
        return facts()

    def collect(self, orders: bytes) -> bytes:
        return self._collector.collect(orders)
