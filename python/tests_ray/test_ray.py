"""The same bytes on Ray: several raylets on this machine, actors killed, nodes removed and callers lost.

`cmake --workflow --preset peers` runs it; with POLYTEST_SLOW a head is lost too, and workers at more moments.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import uuid
from pathlib import Path

import fsspec
import pyarrow.fs
import pytest
import ray
import shared
from polyrhythm import _display, _team, cluster
from polyrhythm import ray as polyrhythm_ray
from polyrhythm._team import Team
from ray import tune
from ray.cluster_utils import Cluster
from shared import CONFIG, SLICES, same_run, same_tree, train

SLOW = bool(os.environ.get("POLYTEST_SLOW"))
KILLS = 10
KEYS = {**shared.KEYS, "training": {**shared.KEYS["training"], "steps": 6 * 16 * 10}}
RECORDING = {**KEYS, "recording": shared.RECORDING["recording"]}
ROLLOUT = {"episodes": 80, **shared.ROLLOUT}
SEGMENTS = {(0, 4): 5, (4, 6): 5}  # 14 and 13 episodes of 20 control steps, in segments of 64
HEAD = {"num_cpus": 0, "object_store_memory": 80 << 20, "include_dashboard": False}
NODE = {"num_cpus": 2, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def nodes():
    """A head without processors for actors, and nodes that can be removed."""
    there = Cluster(initialize_head=True, head_node_args=HEAD)
    try:
        workers = [there.add_node(**NODE) for _ in range(3)]
        ray.init(address=there.address, log_to_driver=False)
        there.wait_for_nodes(timeout=120)
        wait_for_processors(6)
        yield there, workers
    finally:
        ray.shutdown()
        there.shutdown()


def wait_for_processors(number):
    """Wait until the cluster has so many, and say what there is where it has not."""
    for _ in range(240):
        if ray.cluster_resources().get("CPU") == number:
            return
        time.sleep(0.5)
    raise AssertionError(f"want {number} processors, there are {ray.cluster_resources()} of the nodes {ray.nodes()}")


def in_one_process(command, folder, keys, *arguments):
    """What `train` leaves in a folder."""
    train(command, "--config", CONFIG, "--out", folder, *arguments, keys=keys)
    return folder


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The run folder of one process that records."""
    return in_one_process("run", tmp_path_factory.mktemp("recorded") / "run", RECORDING)


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """The dataset of one process."""
    more = ["--seed", 3, "--episodes", 80, "--log-every", 0]
    return in_one_process("rollout", tmp_path_factory.mktemp("walk") / "data", ROLLOUT["overrides"], *more)


class Disturbed(shared.Disturbed, polyrhythm_ray.Actors):
    """An executor that does something to a worker, by its process, in some of its calls: kill it, if nothing else is
    said. `then` is done before one call."""

    def __init__(self, moments=(), disturb=lambda pid: os.kill(pid, signal.SIGKILL), then=(0, None)):
        super().__init__(num_cpus=1, timeout=150)
        self.kills, self.disturb, self.then, self.done = set(moments), disturb, then, 0
        self.moments = {*moments, then[0]}

    def disturbed(self, worker, call):
        moment = self.calls  # other calls may come meanwhile
        if moment == self.then[0]:
            self.then[1]()
        pid = None
        if moment in self.kills:
            try:
                pid = ray.get(worker._actor.pid.remote(), timeout=120)
            except ray.exceptions.RayError:
                pass  # its node was removed a moment ago, or Ray has not placed it
        called = call()
        if pid:
            self.done += 1
            self.disturb(pid)
        return called


def children(pid):
    """The processes below a process."""
    tree = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
        tree.setdefault(parent, []).append(int(status.parent.name))
    found = []
    for below in tree.get(pid, []):
        found += [below, *children(below)]
    return found


def remove_node(nodes):
    """Remove a node, and end its actors, which may still answer."""
    there, workers = nodes
    node = workers.pop()
    below = children(node.all_processes["raylet"][0].process.pid)
    there.remove_node(node)
    for pid in below:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has seen that its raylet is gone


@pytest.mark.parametrize("slices", [1, 3])
def test_rollouts_have_the_bytes_of_one_process(nodes, walk, tmp_path, slices):
    executor = Disturbed({2})
    cluster.rollout(out=tmp_path / "run", slices=slices, executor=executor, **ROLLOUT)
    assert executor.calls <= slices * 5 + 1
    assert same_tree(tmp_path / "run", walk)


def test_workers_add_the_pictures_of_their_slices(nodes, walk, tmp_path):
    cameras = {"track": {"size": (16, 12), "kinds": ["depth", "rgb"]}}
    executor = Disturbed({6, 12})  # while they roll out, and then or while they draw
    merged = cluster.rollout(out=tmp_path / "run", slices=3, executor=executor, cameras=cameras, **ROLLOUT)
    assert merged["cameras"] == ["track"] and executor.done >= 1
    whole = tmp_path / "whole"
    shutil.copytree(walk, whole)
    train("render", "--into", whole, "--camera", "track", "--size", "16x12", "--kinds", "depth,rgb")
    assert same_tree(tmp_path / "run", whole)


@pytest.mark.parametrize("seed", range(4) if SLOW else [1])
def test_a_rollout_whose_workers_are_killed(nodes, walk, tmp_path, seed, monkeypatch):
    """Each kill costs a segment of one slice, whose workers may be all that are killed."""
    monkeypatch.setattr(_team, "TRIES", KILLS + 1)
    executor = Disturbed(set(random.Random(seed).sample(range(1, 19), KILLS)))
    cluster.rollout(out=tmp_path / "run", slices=SLICES, executor=executor, **ROLLOUT)
    assert executor.calls <= sum(SEGMENTS.values()) + executor.done
    assert executor.done >= KILLS // 2  # a worker may be gone already when it is to be killed
    assert same_tree(tmp_path / "run", walk)


def test_a_rollout_whose_node_is_removed(nodes, walk, tmp_path):
    executor = Disturbed({3}, then=(5, lambda: remove_node(nodes)))
    cluster.rollout(out=tmp_path / "run", slices=SLICES, executor=executor, **ROLLOUT)
    assert same_tree(tmp_path / "run", walk)


@pytest.mark.parametrize("seed", range(4) if SLOW else [1])
def test_a_training_whose_workers_are_killed(nodes, recorded, tmp_path, seed, monkeypatch):
    """Ten workers are lost, and in the first training a node with what runs there."""
    monkeypatch.setattr(_team, "TRIES", KILLS + 1)
    then = (16, lambda: remove_node(nodes)) if seed == 1 else (0, None)
    executor = Disturbed(set(random.Random(seed).sample(range(1, 30), KILLS)), then=then)
    slices = [(0, 2), (2, 6)]
    report = cluster.train(config=CONFIG, out=tmp_path / "run", slices=slices, overrides=RECORDING, executor=executor)
    assert report["status"] == "done"
    assert executor.done >= KILLS // 2
    assert same_run(tmp_path / "run", recorded)
    assert same_tree(tmp_path / "run" / "dataset", recorded / "dataset")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


LOST_CALLER = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import ray
import test_ray as t
from polyrhythm import _display, _team, cluster

def end(_):
    for pid in map(int, filter(None, sys.argv[5].split(","))):
        os.kill(pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)

if sys.argv[2] == "new":
    there = t.Cluster(initialize_head=True, head_node_args=t.HEAD)
    there.add_node(**t.NODE)
    sys.argv[5] = ",".join(str(p.process.pid) for all in there.head_node.all_processes.values() for p in all)
    sys.argv[2] = there.address
ray.init(address=sys.argv[2], log_to_driver=False)
ending = t.Disturbed({7}, end)
if sys.argv[3] == "tune":
    t.search(sys.argv[4], [t.Ending(5, sys.argv[4])])
elif sys.argv[3] == "rollout":
    cluster.rollout(out=sys.argv[4], slices=t.SLICES, executor=ending, **t.ROLLOUT)
else:
    cluster.train(config=t.CONFIG, out=sys.argv[4], slices=t.SLICES, overrides=t.RECORDING, executor=ending)
"""


def lose_the_caller(address, what, out):
    """A process that asks for a rollout or a training, and kills itself in the seventh call of a worker, or for a
    search of Tune, and kills itself at the fifth result of a trial; with the address "new" after the head of its own
    cluster. What it leaves behind is ended."""
    mark = f"POLYTEST_MARK={uuid.uuid4()}"
    environment = {**os.environ, "POLYTEST_MARK": mark.partition("=")[2], "TUNE_GLOBAL_CHECKPOINT_S": "0"}
    command = [sys.executable, "-c", LOST_CALLER, Path(__file__).parent, address, what, out, ""]
    run = subprocess.run(command, env=environment, check=False)
    assert run.returncode == -signal.SIGKILL
    for _ in range(100):
        left = [pid for pid in marked(mark) if pid != os.getpid()]
        for pid in left:
            if address == "new":
                os.kill(pid, signal.SIGKILL)
        if not left:
            return
        time.sleep(0.2)
    raise AssertionError(f"processes are left behind: {left}")


def marked(mark):
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                yield int(path.parent.name)
        except OSError:
            pass


@pytest.mark.parametrize("lost", ["caller", "head"] if SLOW else ["caller"])
def test_what_a_lost_head_had_done_is_taken_up(nodes, walk, recorded, tmp_path, lost):
    address = nodes[0].address if lost == "caller" else "new"
    lose_the_caller(address, "rollout", tmp_path / "walk")
    executor = Disturbed()
    cluster.rollout(out=tmp_path / "walk", slices=SLICES, executor=executor, **ROLLOUT)
    assert executor.calls <= sum(SEGMENTS.values()) - 5  # five of six calls had returned, or six
    assert same_tree(tmp_path / "walk", walk)
    lose_the_caller(address, "train", tmp_path / "run")
    cluster.train(out=tmp_path / "run", slices=SLICES, resume=True, executor=Disturbed())
    assert same_run(tmp_path / "run", recorded)
    assert same_tree(tmp_path / "run" / "dataset", recorded / "dataset")


def killed_trainable():
    """A class that Ray sends by value, as its workers do not have this module."""

    class Killed(polyrhythm_ray.Trainable):
        """Ends its process once in an iteration, in the trial with the seed 2 and where `killed` names a folder."""

        def setup(self, config):
            self.killed = config.pop("killed", None)
            super().setup(config)

        def step(self):
            once = Path(self.killed or ".") / f"killed-{self.trial_id}"
            if self.killed and self.iteration == 3 and self.config["seed"] == 2 and not once.exists():
                once.touch()
                self._collector.collect(self._learner.weights())
                os.kill(os.getpid(), signal.SIGKILL)
            return super().step()

    return tune.with_resources(Killed, {"cpu": 1})


def run_config(folder, **checkpoints):
    return tune.RunConfig(
        storage_path=str(folder / "tune"), name="t", failure_config=tune.FailureConfig(max_failures=2),
        checkpoint_config=tune.CheckpointConfig(checkpoint_at_end=True, **checkpoints), verbose=0,
    )  # fmt: skip


def test_tune_resumes_to_the_same_bytes(nodes, tmp_path):
    """Every second step is a checkpoint; one step ends the process."""
    space = {"config": str(CONFIG), **KEYS, "seed": 2, "killed": str(tmp_path)}
    config = run_config(tmp_path, checkpoint_frequency=2)
    results = tune.Tuner(killed_trainable(), param_space=space, run_config=config).fit()
    assert len(list(tmp_path.glob("killed-*"))) == 1 and not results.errors
    whole = in_one_process("run", tmp_path / "whole", KEYS, "--seed", 2)
    assert same_run(unpack(results[0], tmp_path / "unpacked"), whole)


class Ending(tune.Callback):
    """Ends this process by SIGKILL at some result of a trial. Restored in another process it does nothing.

    Tune copies its notes in a thread, not atomically, and cannot be restored from half of them: it waits for them.
    """

    def __init__(self, at, folder):
        self.at, self.folder, self.pid = at, folder, os.getpid()

    def on_trial_result(self, iteration, trials, trial, result, **info):
        if result["training_iteration"] == self.at and os.getpid() == self.pid:
            notes = lambda: {path.name: path.read_bytes() for path in Path(self.folder).glob("tune/t/*state-*.json")}
            whole = lambda found: any(name.startswith("experiment") and text[-1:] in (b"}", b"]")
                                      for name, text in found.items())  # fmt: skip
            before, now = None, notes()
            while now != before or not whole(now):
                time.sleep(1)
                before, now = now, notes()
            os.kill(self.pid, signal.SIGKILL)


def search(folder, callbacks=()):
    """Two trials, of which every second step is a checkpoint."""
    space = {"config": str(CONFIG), **KEYS, "seed": tune.grid_search([1, 2])}
    config = run_config(Path(folder), checkpoint_frequency=2)
    config.callbacks = list(callbacks)
    return tune.Tuner(killed_trainable(), param_space=space, run_config=config).fit()


def test_a_search_whose_caller_was_killed_is_restored_to_the_same_bytes(nodes, tmp_path):
    lose_the_caller(nodes[0].address, "tune", tmp_path)
    results = tune.Tuner.restore(str(tmp_path / "tune" / "t"), killed_trainable()).fit()
    assert not results.errors and len(results) == 2
    steps = {result.config["seed"]: result.metrics["training_iteration"] for result in results}
    assert steps == {1: 9, 2: 9}
    # From its first or second checkpoint: the search need not have noted the second one.
    assert min(result.metrics["iterations_since_restore"] for result in results) in (5, 7)
    for number, result in enumerate(results):
        seed = result.config["seed"]
        whole = in_one_process("run", tmp_path / f"whole-{seed}", KEYS, "--seed", seed)
        assert same_run(unpack(result, tmp_path / f"trial-{number}"), whole)


def unpack(result, folder):
    """The run folder in the checkpoint of a trial, in a new folder."""
    with result.checkpoint.as_directory() as checkpoint, tarfile.open(Path(checkpoint) / "run.tar") as tar:
        tar.extractall(folder, filter="data")
    return folder / "run"


def population(folder, killed):
    """The run folders of a population of 4 at its end."""
    pbt = polyrhythm_ray.PopulationBasedTraining(
        seed=1, time_attr="training_iteration", metric="mean_return", mode="max", perturbation_interval=2,
        hyperparam_mutations={"training.learning_rate": [1e-4, 3e-4, 1e-3], "training.entropy": [0.0, 0.001, 0.01],
                              "training.clip": [0.1, 0.2, 0.3]},
    )  # fmt: skip
    keys = {**KEYS, "training": {**KEYS["training"], "steps": 6 * 16 * 7}}
    space = {"config": str(CONFIG), **keys, "training.learning_rate": 3e-4, "training.entropy": 0.0,
             "training.clip": 0.2, "seed": tune.grid_search([1, 2, 3, 4]), "killed": killed}  # fmt: skip
    results = tune.Tuner(
        killed_trainable(), param_space=space, run_config=run_config(folder),
        tune_config=tune.TuneConfig(scheduler=pbt),
    ).fit()  # fmt: skip
    assert not results.errors
    assert [result.metrics["training_iteration"] for result in results] == [6] * 4
    by_trial = sorted(results, key=lambda result: Path(result.path).name)  # a trial that was lost comes last
    return [unpack(result, folder / f"trial-{number}") for number, result in enumerate(by_trial)]


def test_a_population_with_a_kill_ends_with_the_same_bytes(nodes, tmp_path):
    calm = population(tmp_path / "calm", None)
    killed = population(tmp_path / "killed", str(tmp_path))
    assert len(list(tmp_path.glob("killed-*"))) == 1
    assert len(calm) == len(killed) == 4
    for one, other in zip(calm, killed, strict=True):
        assert same_tree(one, other, but=["run.json"])
    assert any((folder / "changes.json").exists() for folder in calm)


def test_a_team_without_room_says_so(nodes, tmp_path):
    """And goes on as soon as there is another node."""
    there, workers = nodes
    room, told = len(workers), []
    wait_for_processors(2 * room)

    def tell(text):
        told.append(text)
        if len(told) == 1:
            workers.append(there.add_node(**NODE))

    jobs = [(str(number), str(tmp_path)) for number in range(room + 1)]
    executor = polyrhythm_ray.Actors(num_cpus=2)
    with Team(executor, "team_worker:Chain", jobs, facts={"processor": "this"}, tell=tell) as team:
        team.each("do", "first", take=lambda *_: None)
    assert len(list(tmp_path.glob("did-*"))) == room + 1 and team.lost == 0
    counts = f"of {room + 1} workers: {2 * room} processors, {2 * room + 2} wanted"
    assert told[0].startswith("waiting for ") and told[0].endswith(counts)


def test_a_stopped_actor_is_told_until_it_goes_on(nodes, recorded, tmp_path, monkeypatch):
    """SIGCONT follows what is told. The actor is not replaced: no call is made again."""
    stopped, said = [], []

    def say(text):
        if stopped:  # else a busy machine's actors are not placed yet
            said.append(text)
            os.kill(stopped[-1], signal.SIGCONT)

    monkeypatch.setattr(_display, "say", say)
    executor = Disturbed({4}, lambda pid: stopped.append(pid) or os.kill(pid, signal.SIGSTOP))
    cluster.train(config=CONFIG, out=tmp_path / "run", slices=SLICES, overrides=RECORDING, executor=executor)
    assert executor.done == 1
    assert re.fullmatch(r"waiting for worker \d of 2, silent for \d s: .* after 150 s it counts as lost", said[0])
    assert re.fullmatch(r"worker \d of 2 goes on", said[1]) and len(said) == 2
    assert same_run(tmp_path / "run", recorded)


def test_what_an_actor_raises_is_told(nodes, tmp_path):
    worker = polyrhythm_ray.Actors(num_cpus=1).start("polyrhythm.cluster:Collecting", b"{}", 1, None, None)
    call = worker.call("collect", b"")
    with pytest.raises(cluster.Failed, match="assignment|config|worlds"):
        call.result()


def test_read_dataset(nodes, tmp_path):
    folder = tmp_path / "data"
    train("rollout", "--task", "quadruped", "--policy", "random", "--episodes", 3, "--out", folder,
          keys={"worlds": 2, "max_steps": 30})  # fmt: skip
    rows = polyrhythm_ray.read_dataset(folder)
    steps = rows.groupby("episode").count().take_all()
    assert sorted(row["episode"] for row in steps) == [0, 1, 2]
    episodes = polyrhythm_ray.read_dataset(folder, "episodes")
    assert episodes.count() == 3
    assert polyrhythm_ray.read_dataset(f"file://{folder}").count() == rows.count()
    under = pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem())
    for filesystem in (under, fsspec.filesystem("dir", path=str(tmp_path), target_protocol="file")):
        assert polyrhythm_ray.read_dataset("data", "episodes", filesystem=filesystem).count() == 3
    with pytest.raises(FileNotFoundError, match="has no data-"):
        polyrhythm_ray.read_dataset(tmp_path)
