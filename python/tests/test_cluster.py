"""Rollouts and training by worker processes: the bytes of one process, whichever of them are killed."""

import filecmp
import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from polyrhythm import _team, cluster
from polyrhythm.parts import Segment
from short_training import CONFIG, KEYS, train_run


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run folder of one process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    train_run(folder)
    return folder


def same(one, other):
    return all(filecmp.cmp(one / file, other / file, shallow=False) for file in ["latest", "metrics.csv", "config.yaml"])


class Disturbed(cluster.Processes):
    """An executor that does something to a worker in some of its calls, counted from 1: kill it, if nothing else is said.

    The worker is stopped meanwhile, so that it cannot have answered before.
    """

    def __init__(self, moments=(), disturb=lambda worker: worker.process.kill(), stop=True):
        self.moments, self.disturb, self.stop, self.calls = moments, disturb, stop, 0

    def start(self, maker, *arguments):
        worker = super().start(maker, *arguments)
        plain = worker.call

        def call(method, *arguments):
            self.calls += method != "facts"
            if method == "facts" or self.calls not in self.moments:
                return plain(method, *arguments)
            if self.stop:
                worker.process.send_signal(signal.SIGSTOP)
            under_way = plain(method, *arguments)
            self.disturb(worker)
            worker.process.send_signal(signal.SIGCONT)
            return under_way

        worker.call = call
        return worker


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def same_tree(one, other):
    names = files(one)
    return len(names) > 3 and names == files(other) and filecmp.cmpfiles(one, other, names, shallow=False) == (names, [], [])


def test_lost_workers_change_no_byte(tmp_path, whole):
    moments = set(random.Random(1).sample(range(1, 12), 3))
    executor = Disturbed(moments)
    report = cluster.train(config=CONFIG, out=tmp_path / "run", slices=[(0, 4), (4, 6)], overrides=KEYS, executor=executor)
    assert report["status"] == "done"
    assert executor.calls == 2 * 4 + sum(moment <= executor.calls for moment in moments) > 2 * 4
    assert same(tmp_path / "run", whole)
    assert not (tmp_path / "run" / "resume.point").exists()


RECORDING = {"recording": {"clip": False, "batch_rows": 64}}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The run folder of one process that records."""
    folder = tmp_path_factory.mktemp("recorded") / "run"
    train_run(folder, **RECORDING)
    return folder


def test_lost_workers_change_no_byte_of_a_dataset(tmp_path, recorded):
    # Twice four rollouts, two datasets that are completed, and four workers that are lost, one of them then.
    executor = Disturbed({1, 5, 9, 13})
    cluster.train(config=CONFIG, out=tmp_path / "run", slices=[(0, 4), (4, 6)], overrides={**KEYS, **RECORDING}, executor=executor)
    assert 2 * 4 + 2 + 3 <= executor.calls <= 2 * 4 + 2 + 4  # a worker may be killed after its last call
    assert same(tmp_path / "run", recorded)
    assert same_tree(tmp_path / "run" / "dataset", recorded / "dataset")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


ROLLOUT = {"config": CONFIG, "seed": 3, "episodes": 40, "slices": [(0, 4), (4, 6)], "overrides": {"worlds": 6, "block_size": 2, "max_steps": 20}}
SEGMENTS = 3 + 2  # up to 7 and up to 6 episodes of 20 control steps, in segments of 64


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """The dataset of one process."""
    folder = tmp_path_factory.mktemp("walk") / "data"
    sets = [f"--set={name}={value}" for name, value in ROLLOUT["overrides"].items()]
    subprocess.run([os.environ["POLYTEST_TRAIN"], "rollout", "--config", CONFIG, "--seed", "3", "--episodes", "40", "--log-every", "0",
                    "--out", folder, *sets], check=True, capture_output=True)  # fmt: skip
    return folder


@pytest.mark.parametrize("moments", [{1}, {2, 3, 7}, {5}])
def test_a_lost_worker_costs_a_segment(tmp_path, walk, moments):
    left = tmp_path / ".run.slices" / "0-4"  # by a worker of an earlier call that was lost
    left.mkdir(parents=True)
    (left / "data-00000-of-00001.arrow").write_bytes(b"torn")
    executor = Disturbed(moments)
    merged = cluster.rollout(out=tmp_path / "run", executor=executor, **ROLLOUT)
    assert merged["episodes"] == 40
    assert SEGMENTS <= executor.calls <= SEGMENTS + len(moments)
    assert same_tree(tmp_path / "run", walk)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_wrong_arguments_of_a_rollout(tmp_path, walk):
    with pytest.raises(ValueError, match="data, which is not empty; want a new or an empty folder"):
        cluster.rollout(config=CONFIG, episodes=1, out=walk)
    with pytest.raises(TypeError, match="episodes is None and seconds is None; want one of them"):
        cluster.rollout(config=CONFIG, out=tmp_path / "other")


def test_a_rollout_goes_on_after_an_error(tmp_path, walk, monkeypatch):
    monkeypatch.setattr(_team, "TRIES", 2)
    with pytest.raises(cluster.Lost):
        cluster.rollout(out=tmp_path / "run", executor=Disturbed(set(range(3, 30))), **ROLLOUT)
    kept = {path.name for path in (tmp_path / ".run.slices").iterdir()}
    assert {"0-4.snapshot", "4-6.snapshot"} <= kept
    executor = Disturbed()
    cluster.rollout(out=tmp_path / "run", executor=executor, **ROLLOUT)
    assert executor.calls <= SEGMENTS - 2
    assert same_tree(tmp_path / "run", walk)


LOST_CALLER = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import test_cluster as t
from polyrhythm import cluster
ending = t.Disturbed({int(sys.argv[3])}, lambda _: os.kill(os.getpid(), signal.SIGKILL), stop=False)  # nobody would wake the worker
if sys.argv[4] == "rollout":
    cluster.rollout(out=sys.argv[2], executor=ending, **t.ROLLOUT)
else:
    cluster.train(config=t.CONFIG, out=sys.argv[2], slices=[(0, 4), (4, 6)], overrides={**t.KEYS, **t.RECORDING}, executor=ending)
"""


def lose_the_caller(out, moment, what):
    run = subprocess.run([sys.executable, "-c", LOST_CALLER, Path(__file__).parent, out, str(moment), what], check=False)
    assert run.returncode == -signal.SIGKILL


def test_what_a_lost_caller_has_of_a_rollout_is_taken_up(tmp_path, walk):
    lose_the_caller(tmp_path / "run", 4, "rollout")
    executor = Disturbed()
    cluster.rollout(out=tmp_path / "run", executor=executor, **ROLLOUT)
    assert executor.calls <= SEGMENTS - 2  # of three calls two had returned
    assert same_tree(tmp_path / "run", walk)


@pytest.mark.parametrize("moment", [6, 10])  # in the third rollout, and when the training is over and the datasets are to be completed
def test_what_a_lost_caller_has_of_a_training_is_taken_up(tmp_path, recorded, moment):
    lose_the_caller(tmp_path / "run", moment, "train")
    executor = Disturbed()
    cluster.train(out=tmp_path / "run", slices=[(0, 4), (4, 6)], resume=True, executor=executor)
    assert executor.calls == {6: 2 * 2 + 2, 10: 2}[moment]
    assert same(tmp_path / "run", recorded)
    assert same_tree(tmp_path / "run" / "dataset", recorded / "dataset")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_a_machine_that_does_not_share_the_folder(tmp_path):
    def away(worker):
        worker.process.kill()
        folder = tmp_path / ".run.slices" / "0-6"
        folder.rename(tmp_path / "away")

    with pytest.raises(cluster.Failed, match="0-6 does not exist here, want the dataset that the snapshot is of, in a folder that all machines share") as error:
        cluster.rollout(out=tmp_path / "run", executor=Disturbed({2}, away), **{**ROLLOUT, "slices": 1})
    assert "\n" not in str(error.value)


def test_a_segment_that_arrives_with_other_bytes():
    known = cluster._Slice({"folder": "/nowhere/0-4"})
    known.compare(Segment(0, 4, 1, False, 3, 0, b"one"))
    known.compare(Segment(0, 4, 2, False, 3, 0, b"two"))
    known.compare(Segment(0, 4, 1, False, 3, 0, b"one"))
    with pytest.raises(cluster.Differs, match="segment 1 of the worlds 0:4 arrived twice, with the digests 7692c3ad"):
        known.compare(Segment(0, 4, 1, False, 3, 0, b"other"))


@pytest.fixture
def disk(tmp_path):
    """A disk of its own, of which the slice 0-4 is a folder, and what fills it."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", place], check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here: that needs root")
    try:
        (place / "0-4").mkdir()
        (tmp_path / ".run.slices").mkdir()
        (tmp_path / ".run.slices" / "0-4").symlink_to(place / "0-4")
        yield place / "filler"
    finally:
        subprocess.run(["umount", place], check=True)


def goes_on_after_a_full_disk(out, walk, fill, free):
    with pytest.raises(cluster.Failed, match="(0-4|4-6).*(file too large|no space left on device)") as error:
        cluster.rollout(out=out, executor=Disturbed({3}, fill), **ROLLOUT)
    assert "\n" not in str(error.value)
    free()
    executor = Disturbed()
    cluster.rollout(out=out, executor=executor, **ROLLOUT)
    assert executor.calls < SEGMENTS
    assert same_tree(out, walk)


def test_a_file_too_large_is_told_and_the_rest_goes_on(tmp_path, walk):
    def fill(worker):
        """From now on no file of the worker may grow."""
        resource.prlimit(worker.process.pid, resource.RLIMIT_FSIZE, (100, 100))

    goes_on_after_a_full_disk(tmp_path / "run", walk, fill, lambda: None)


def test_a_full_disk_is_told_and_the_rest_goes_on(tmp_path, walk, disk):
    def fill(_):
        try:
            disk.write_bytes(bytes(16 << 20))
        except OSError:
            pass  # it is full

    goes_on_after_a_full_disk(tmp_path / "run", walk, fill, disk.unlink)


def test_a_run_that_loses_too_many_can_be_resumed(tmp_path, whole, monkeypatch):
    monkeypatch.setattr(_team, "TRIES", 2)
    # The fourth rollout loses its workers again and again; the third is safe.
    with pytest.raises(cluster.Lost):
        cluster.train(config=CONFIG, out=tmp_path / "run", slices=1, overrides=KEYS, executor=Disturbed(set(range(3, 20))))
    report = cluster.train(out=tmp_path / "run", slices=3, resume=True)
    assert report["status"] == "done" and same(tmp_path / "run", whole)


def test_another_machine_is_refused_by_name(tmp_path, monkeypatch):
    here = cluster.facts()
    assert here["OpenBLAS kernel"] and here["library polyrhythm"] and here["library mujoco"] and here["library box2d"]
    monkeypatch.setattr(cluster, "facts", lambda: {**here, "OpenBLAS kernel": "Katmai"})
    with pytest.raises(cluster.Mixed, match=f"{here['host']}: OpenBLAS kernel is '{here['OpenBLAS kernel']}', want 'Katmai'"):
        cluster.train(config=CONFIG, out=tmp_path / "run", slices=1, overrides=KEYS)


def test_wrong_arguments(tmp_path):
    with pytest.raises(ValueError, match="4 slices of 6 worlds in blocks of 2, want 1 to 3"):
        cluster.train(config=CONFIG, out=tmp_path / "run", slices=4, overrides=KEYS)
    assert not (tmp_path / "run").exists()
