"""Rollouts and training on the machines of a Ray cluster, with the bytes of one machine.

    import ray
    from polyrhythm import ray as polyrhythm_ray

    ray.init("auto")
    polyrhythm_ray.train(config="configs/quadruped.yaml", out="runs/q", slices=8, workers=4)
    polyrhythm_ray.rollout(config="configs/quadruped.yaml", policy="runs/q", episodes=1000, out="runs/walk", slices=8)

An actor for each slice has as many processors as its worker has threads, and loads the library. Ray places
the actors; this process learns or merges. It needs `pip install 'polyrhythm[ray]'`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

from polyrhythm import _library, _request, cluster
from polyrhythm._extras import extra
from polyrhythm._files import open_file
from polyrhythm._processes import TIMEOUT, Failed, Host, Lost, check_timeout
from polyrhythm.parts import Collector, Learner

with extra("ray", by="polyrhythm.ray"):
    import pyarrow
    import ray
    import ray.data
    import ray.exceptions
    import ray.tune
    import ray.tune.schedulers
    from pyarrow import fs
    from ray.data.datasource import FileBasedDatasource

__all__ = ["Actors", "PopulationBasedTraining", "Trainable", "read_dataset", "rollout", "train"]


def train(task: str | None = None, *, workers: int = 1, **arguments: Any) -> dict[str, Any]:
    """Train as `polyrhythm.cluster.train`, with workers that are actors of `workers` processors each."""
    return cluster.train(task, workers=workers, executor=Actors(num_cpus=workers), **arguments)


def rollout(task: str | None = None, *, workers: int = 1, **arguments: Any) -> dict[str, Any]:
    """Record as `polyrhythm.cluster.rollout`, with workers that are actors of `workers` processors each."""
    return cluster.rollout(task, workers=workers, executor=Actors(num_cpus=workers), **arguments)


class Actors:
    """The executor.

    Args:
        timeout: seconds after which an actor that runs and does not answer counts as lost; None: never.
        options: those of Ray's actors, such as `num_cpus` and `resources`.
    """

    def __init__(self, *, timeout: float | None = TIMEOUT, **options: Any) -> None:
        self.timeout = check_timeout(timeout)
        # A lost actor is made again by the team, which knows where it is to begin. A thread of its own answers `beat`.
        options = {"scheduling_strategy": "SPREAD", **options, "max_restarts": 0, "max_task_retries": 0}
        self._actor = ray.remote(concurrency_groups={"beat": 1})(_Actor).options(**options)
        wanted = {"processors": options.get("num_cpus"), "GPUs": options.get("num_gpus")} | options.get("resources", {})
        self._wanted = {name: amount for name, amount in wanted.items() if amount}

    def start(self, maker: str, *arguments: Any) -> _Worker:
        """An actor that calls `maker`, "module:name", with the arguments and keeps the result."""
        return _Worker(self._actor.remote(maker, arguments), self.timeout)

    def wait(self, calls: Iterable[_Call], seconds: float) -> list[_Call]:
        """Those of the calls whose result is there; at least one, unless the time is over."""
        by_reference = {call.reference: call for call in calls}
        ready, _ = ray.wait(list(by_reference), num_returns=1, timeout=seconds, fetch_local=False)
        return [by_reference[reference] for reference in ready]

    def room(self, count: int) -> str:
        """What the cluster has and what so many actors want."""
        names = {"processors": "CPU", "GPUs": "GPU"}
        there, free = ray.cluster_resources(), ray.available_resources()
        said = []
        for name, amount in self._wanted.items():
            has, wanted = there.get(names.get(name, name), 0), count * amount
            unused = f", {free.get(names.get(name, name), 0):g} of them free" if has >= wanted else ""
            said.append(f"{has:g} {name}{unused}, {wanted:g} wanted")
        return "; ".join(said) or "Ray has not placed them"


class _Worker:
    def __init__(self, actor: Any, timeout: float | None) -> None:
        self._actor, self._timeout, self._unplaced = actor, timeout, actor.__ray_ready__.remote()
        self._beat, self._heard = None, time.monotonic()

    @property
    def placed(self) -> bool:
        """Whether Ray has found a machine for the actor."""
        if self._unplaced is not None and ray.wait([self._unplaced], timeout=0)[0]:
            self._unplaced = None
        return self._unplaced is None

    def silence(self) -> float:
        """Seconds since the actor has answered whether it is there, which each call asks if it has answered before."""
        if self._beat is not None and ray.wait([self._beat], timeout=0)[0]:
            self._beat, self._heard = None, time.monotonic()
        if self._beat is None:
            self._beat = self._actor.beat.remote()
        return time.monotonic() - self._heard

    def call(self, method: str, *arguments: Any) -> _Call:
        return _Call(self._actor.call.remote(method, arguments), self._timeout)

    def stop(self) -> None:
        """End its process too: the actor of a node that was removed may still be there."""
        ray.kill(self._actor, no_restart=True)


class _Call:
    def __init__(self, reference: Any, timeout: float | None) -> None:
        self.reference, self._timeout = reference, timeout

    def result(self) -> Any:
        try:
            done, value = ray.get(self.reference, timeout=self._timeout)
        except ray.exceptions.RayTaskError as error:
            raise Failed(str(error)) from None
        except ray.exceptions.RayError as error:  # the actor, its node, or what it has sent
            raise Lost(str(error)) from None
        if not done:
            raise value
        return value


class _Actor(Host):
    """The actor. What a method raises is returned, since Ray makes many lines of it."""

    def pid(self) -> int:
        """The process."""
        return os.getpid()

    @ray.method(concurrency_group="beat")
    def beat(self) -> None:
        """Nothing: that it returns, also while a call computes, is the sign of life."""


def read_dataset(
    path: str | os.PathLike[str], table: str | None = None, *, filesystem: Any = None, **options: Any
) -> ray.data.Dataset:
    """The rows of a dataset for Ray Data, batch by batch.

    Ray keeps no order unless it is told to; `episode` and `t_ns` say where a row belongs.

    Args:
        path: the folder of the dataset, also a URI such as "s3://bucket/walk".
        table: one of its further tables, such as "episodes"; None for the rows themselves.
        filesystem: pyarrow's or fsspec's, in which the path is; None for the URI's, or else this machine's.
        options: those of `ray.data.read_datasource`.
    """
    folder = os.fsdecode(path)
    if filesystem is None:
        filesystem, folder = fs.FileSystem.from_uri(folder if "://" in folder else os.path.abspath(folder))
    elif not isinstance(filesystem, fs.FileSystem):
        filesystem = fs.PyFileSystem(fs.FSSpecHandler(filesystem))
    folder = os.path.join(folder, table or "").rstrip("/")
    there = filesystem.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    streams = sorted(file.path for file in there if fnmatch(file.base_name, "data-*.arrow"))
    if not streams:
        wanted = "want the folder of a dataset or of one of its tables"
        raise _library.not_found(folder, f"{folder} has no data-*.arrow; {wanted}")
    return ray.data.read_datasource(_Streams(streams, filesystem=filesystem), **options)


class _Streams(FileBasedDatasource):
    """The streams of a table."""

    def _read_stream(self, f: Any, path: str) -> Any:
        with pyarrow.ipc.open_stream(f) as reader:
            for batch in reader:
                yield pyarrow.Table.from_batches([batch])


class Trainable(ray.tune.Trainable):
    """A training for Ray Tune, whose search algorithms and schedulers choose its configuration.

    The trial's config has `task`, `config` or `text`, and the keys of a configuration, as
    `training.learning_rate`. A step is an iteration; its result has the metrics of metrics.csv, NaN
    where a cell is empty. It records nothing, and uses the processors of its trial. A checkpoint is one file,
    `run.tar`, of the run folder `run`: Tune copies checkpoints into folders that have files of earlier ones. A
    trial that is restored has the bytes of one that was never stopped. Where a scheduler changes the config on the
    way, as population-based training does, the training goes on with the new settings, which are of those that
    `polyrhythm.parts.Learner` takes to resume; others are refused by name.
    """

    def setup(self, config: dict[str, Any]) -> None:
        """Begin the training in the trial's folder."""
        self._workers = max(1, int(self.trial_resources.required_resources.get("CPU", 1)))
        self._named = {name: config[name] for name in ("task", "config", "text") if name in config}
        rest = _request.flat({name: value for name, value in config.items() if name not in self._named})
        self._keys = {key: value.item() if hasattr(value, "item") else value for key, value in rest}
        # Of this actor alone: Tune may make two actors for a trial at the same time, and uses one of them.
        self._folder = Path(tempfile.mkdtemp(prefix="run-", dir=self.logdir))
        self._open(overrides={**self._keys, "recording.enabled": False}, **self._named)

    def step(self) -> dict[str, Any]:
        """An iteration; the first one has two rollouts where observations are normalised."""
        before = self._learner.metrics
        weights = self._learner.weights()
        while weights is not None and self._learner.metrics == before:
            self._learner.add(self._collector.collect(weights))
            weights = self._learner.weights()
        if weights is None:
            self._learner.close()  # raises what a training that failed has to say
        metrics = {name: math.nan if value is None else value for name, value in (self._learner.metrics or {}).items()}
        return {**metrics, "done": weights is None}

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """Stop, copy the run folder, go on."""
        over = self._learner.weights() is None
        self._stop()
        config = self._folder.with_suffix(".json")
        config.write_text(json.dumps([self._named, self._keys], default=os.fspath))
        with tarfile.open(Path(checkpoint_dir) / "run.tar", "w") as tar:
            tar.add(self._folder, "run")
            tar.add(config, "config.json")
        config.unlink()
        if not over:
            self._open(resume=True)

    def load_checkpoint(self, checkpoint_dir: str) -> None:
        """Go on from a copy of a run folder, with the settings of this trial."""
        with open_file(Path(checkpoint_dir) / "run.tar") as file, tarfile.open(fileobj=file) as tar:
            named, keys = json.load(tar.extractfile("config.json"))
        own_named, own_keys = json.loads(json.dumps([self._named, self._keys], default=os.fspath))
        gone = {*named, *keys} - {*own_named, *own_keys}
        if gone or named != own_named:
            want = f"want {named} and {sorted(keys)} as in the checkpoint"
            raise ValueError(f"the trial has {own_named} and {sorted(own_keys)}, {want}")
        self._stop()
        shutil.rmtree(self._folder)
        with tempfile.TemporaryDirectory(dir=self.logdir) as unpacked:
            with open_file(Path(checkpoint_dir) / "run.tar") as file, tarfile.open(fileobj=file) as tar:
                tar.extractall(unpacked, filter="data")
            Path(unpacked, "run").rename(self._folder)
        changed = {name: value for name, value in own_keys.items() if name not in keys or keys[name] != value}
        self._open(resume=True, overrides=changed)

    def cleanup(self) -> None:
        """End the training. Its folder is in the checkpoints."""
        self._stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _open(self, **arguments: Any) -> None:
        self._learner = learner = Learner(out=self._folder, workers=self._workers, **arguments)
        snapshot = learner.snapshot(0) if learner.weights() is not None else None
        self._collector = Collector(learner.assignments[0], workers=self._workers, snapshot=snapshot)

    def _stop(self) -> None:
        self._collector.close()
        self._learner.close()


class PopulationBasedTraining(ray.tune.schedulers.PopulationBasedTraining):
    """Ray Tune's population-based training, of which the same seed gives the same trials.

    Ray's own decides by the order in which results arrive and draws from global random numbers, of which other parts
    of Ray take some. This one waits for all trials in each round, and its draws depend on seed and round alone.

    Args:
        seed: of the draws.
        arguments: those of `ray.tune.schedulers.PopulationBasedTraining`; `synch` is True.
    """

    def __init__(self, *, seed: int, **arguments: Any) -> None:
        if not arguments.setdefault("synch", True):
            raise ValueError("synch is False, want True: the order in which results arrive must not matter")
        super().__init__(**arguments)
        self._seed, self._trials = seed, 0
        self._results: dict[Any, dict[str, Any]] = {}  # of the trials that wait for the round to end

    def on_trial_add(self, tune_controller: Any, trial: Any) -> None:
        """Draw what the trial's config lacks."""
        known = self._trial_state.get(trial)
        if known is None:
            self._trials += 1
        with _draws(self._seed, "trial", self._trials):
            super().on_trial_add(tune_controller, trial)
        if known is not None:  # a trial whose actor was lost is added once more, for the same rounds
            self._trial_state[trial] = known

    def on_trial_result(self, tune_controller: Any, trial: Any, result: dict[str, Any]) -> str:
        """Pause a trial that has come to the end of the round.

        Ray's own would mutate when the last result arrives. A trial whose pause is still being saved would then be
        stopped for good after that, or lose the checkpoint that it takes over.
        """
        now, state = result.get(self._time_attr), self._trial_state[trial]
        if now is None or self._metric not in result:
            return super().on_trial_result(tune_controller, trial, result)
        if now < self._burn_in_period or now - state.last_perturbation_time < self._perturbation_interval:
            return self.CONTINUE
        self._save_trial_state(state, now, result, trial)
        self._results[trial] = result
        return self.PAUSE

    def choose_trial_to_run(self, tune_controller: Any) -> Any:
        """Mutate when all trials are paused, and saved, at the end of the round."""
        live = [trial for trial in tune_controller.get_live_trials() if not trial.is_finished()]
        waits = lambda trial: self._trial_state[trial].last_train_time >= self._next_perturbation_sync
        if live and all(trial.status == trial.PAUSED and trial in self._results and waits(trial) for trial in live):
            trial = min(live, key=lambda trial: trial.trial_id)
            result = self._results[trial]
            self._results.clear()
            with _draws(self._seed, "round", result[self._time_attr]):
                super().on_trial_result(tune_controller, trial, result)
        return super().choose_trial_to_run(tune_controller)


@contextmanager
def _draws(*key: Any) -> Iterator[None]:
    """Seed the global random numbers meanwhile."""
    seed = int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:4], "little")
    plain, numbers = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(plain)
        np.random.set_state(numbers)
