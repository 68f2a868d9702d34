"""The same bytes on Ray: several raylets on this machine, actors killed and a node removed.

`cmake --workflow --preset peers` runs it.
"""

import filecmp
import os
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
    "training": {"steps": 6 * 16 * 10, "segment": 16, "minibatch": 32, "epochs": 2, "hidden": [8], "tensorboard": False},
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
    """An executor that does something before some of the calls of its actors, counted from 1."""

    def __init__(self, moments):
        super().__init__(num_cpus=1)
        self.moments, self.calls, self.pids = moments, 0, {}

    def start(self, maker, *arguments):
        worker = super().start(maker, *arguments)
        plain = worker.call

        def call(method, *arguments):
            if method == "collect":
                self.calls += 1
                if self.calls in self.moments:
                    self.moments[self.calls](worker)
            return plain(method, *arguments)

        worker.call = call
        return worker


def kill(worker):
    """Kill the process of an actor, as a machine does that is short of memory."""
    pid = ray.get(worker._actor.pid.remote())
    os.kill(pid, signal.SIGKILL)


def test_the_bytes_of_one_process(nodes, whole, tmp_path):
    there, workers = nodes
    executor = Disturbed({2: kill, 9: kill, 16: lambda worker: there.remove_node(workers.pop())})
    report = cluster.train(config=CONFIG, out=tmp_path / "run", slices=[(0, 2), (2, 6)], overrides=KEYS, executor=executor)
    assert report["status"] == "done"
    assert executor.calls >= 2 * 10 + 2
    for file in ["latest", "metrics.csv", "config.yaml"]:
        assert filecmp.cmp(tmp_path / "run" / file, whole / file, shallow=False), file


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
