"""The same bytes on Ray: several raylets on this machine, actors killed and a node removed.

`cmake --workflow --preset peers` runs it.
"""

import filecmp
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest
import ray
from polyrhythm import cluster
from polyrhythm import ray as polyrhythm_ray
from ray.cluster_utils import Cluster

CONFIG = Path(__file__).parents[2] / "configs" / "halfcheetah.yaml"
TRAIN = os.environ["POLYTEST_TRAIN"]
KEYS = {
    "worlds": 6,
    "block_size": 2,
    "max_steps": 20,
    "training": {"steps": 6 * 16 * 10, "segment": 16, "minibatch": 32, "epochs": 2, "hidden": [8], "checkpoint_every": 1, "tensorboard": False},
    "recording": {"enabled": False, "clip": False},
    "evaluation": {"episodes": 2},
}


@pytest.fixture(scope="module")
def nodes():
    """A head without processors for actors, and nodes that can be removed."""
    store = 80 << 20
    there = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": store, "include_dashboard": False})
    try:
        workers = [there.add_node(num_cpus=2, object_store_memory=store) for _ in range(2)]
        ray.init(address=there.address, log_to_driver=False)
        there.wait_for_nodes()
        yield there, workers
    finally:
        ray.shutdown()
        there.shutdown()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run folder of one process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    keys = {**KEYS, **{f"{outer}.{name}": value for outer in ("training", "recording", "evaluation") for name, value in KEYS[outer].items()}}
    sets = [f"--set={name}={str(value).lower()}" for name, value in keys.items() if not isinstance(value, dict)]
    subprocess.run([TRAIN, "run", "--config", CONFIG, "--out", folder, *sets], check=True, capture_output=True)
    return folder


class Disturbed(polyrhythm_ray.Actors):
    """An executor that kills the process of its actor in some of their calls, counted from 1, and does `then` before one."""

    def __init__(self, kills, then=(0, None)):
        super().__init__(num_cpus=1)
        self.kills, self.then, self.calls = kills, then, 0

    def start(self, maker, *arguments):
        worker = super().start(maker, *arguments)
        plain = worker.call

        def call(method, *arguments):
            if method == "facts":
                return plain(method, *arguments)
            self.calls += 1
            if self.calls == self.then[0]:
                self.then[1]()
            pid = ray.get(worker._actor.pid.remote()) if self.calls in self.kills else None
            under_way = plain(method, *arguments)
            if pid:
                os.kill(pid, signal.SIGKILL)
            return under_way

        worker.call = call
        return worker


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("slices", [1, [(0, 4), (4, 6)], 3])
def test_rollouts_have_the_bytes_of_one_process(nodes, tmp_path, slices):
    keys = {"worlds": 6, "block_size": 2, "max_steps": 20}
    sets = [f"--set={name}={value}" for name, value in keys.items()]
    subprocess.run([TRAIN, "rollout", "--config", CONFIG, "--seed", "3", "--episodes", "15", "--log-every", "0",
                    "--out", tmp_path / "whole", *sets], check=True, capture_output=True)  # fmt: skip
    executor = Disturbed({1})
    cluster.rollout(config=CONFIG, seed=3, episodes=15, out=tmp_path / "run", slices=slices, overrides=keys, executor=executor)
    assert executor.calls >= 2
    assert files(tmp_path / "run") == files(tmp_path / "whole")
    assert not filecmp.cmpfiles(tmp_path / "whole", tmp_path / "run", files(tmp_path / "whole"), shallow=False)[1]


def test_a_training_has_the_bytes_of_one_process(nodes, whole, tmp_path):
    there, workers = nodes
    executor = Disturbed(set(random.Random(1).sample(range(1, 30), 10)), then=(16, lambda: there.remove_node(workers.pop())))
    report = cluster.train(config=CONFIG, out=tmp_path / "run", slices=[(0, 2), (2, 6)], overrides=KEYS, executor=executor)
    assert report["status"] == "done"
    assert executor.calls >= 2 * 10 + 10
    for file in ["latest", "metrics.csv", "config.yaml"]:
        assert filecmp.cmp(tmp_path / "run" / file, whole / file, shallow=False), file


def test_tune_resumes_to_the_same_bytes(nodes, whole, tmp_path):
    """Every second step is a checkpoint; one step ends the process of each trial."""
    from ray import tune

    class Killed(polyrhythm_ray.Trainable):
        def step(self):
            once = tmp_path / f"killed-{self.trial_id}"
            if self.iteration == 5 and not once.exists():
                once.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().step()

    space = {"config": str(CONFIG), **KEYS, "seed": tune.grid_search([1, 2])}
    results = tune.Tuner(
        tune.with_resources(Killed, {"cpu": 1}), param_space=space,
        run_config=tune.RunConfig(
            storage_path=str(tmp_path / "tune"), name="t", failure_config=tune.FailureConfig(max_failures=2),
            checkpoint_config=tune.CheckpointConfig(checkpoint_frequency=2, checkpoint_at_end=True), verbose=0,
        ),
    ).fit()  # fmt: skip
    assert len(list(tmp_path.glob("killed-*"))) == 2 and not results.errors
    (result,) = [r for r in results if r.config["seed"] == 1]
    with result.checkpoint.as_directory() as folder:
        for file in ["latest", "metrics.csv"]:
            assert filecmp.cmp(Path(folder) / "run" / file, whole / file, shallow=False), file


def test_what_an_actor_raises_is_told(nodes, tmp_path):
    call = polyrhythm_ray.Actors(num_cpus=1).start("polyrhythm.cluster:Collecting", b"{}", 1, None).call("facts")
    with pytest.raises(cluster.Failed, match="assignment|config|worlds"):
        call.result()


def test_read_dataset(nodes, tmp_path):
    folder = tmp_path / "data"
    subprocess.run([TRAIN, "rollout", "--task", "quadruped", "--policy", "random", "--episodes", "3", "--out", folder,
                    "--set", "worlds=2", "--set", "max_steps=30"], check=True, capture_output=True)  # fmt: skip
    rows = polyrhythm_ray.read_dataset(folder)
    steps = rows.groupby("episode").count().take_all()
    assert sorted(row["episode"] for row in steps) == [0, 1, 2]
    episodes = polyrhythm_ray.read_dataset(folder, "episodes")
    assert episodes.count() == 3
    with pytest.raises(ValueError, match="has no data-"):
        polyrhythm_ray.read_dataset(tmp_path)
