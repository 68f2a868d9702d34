"""Rollouts and training by worker processes: the bytes of one process, whichever of them are killed."""

import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import polyrhythm
import pytest
import shared
from polyrhythm import _display, _team, cluster
from polyrhythm.parts import Collector, Segment, assignments
from shared import CONFIG, KEYS, RECORDING, ROLLOUT, SLICES, SLOW, same_run, same_tree, slow, train


def folder_of(command, keys, *arguments):
    """A fixture: what `train` leaves in a folder."""

    @pytest.fixture(scope="module")
    def made(tmp_path_factory):
        folder = tmp_path_factory.mktemp("whole") / "run"
        train(command, "--config", CONFIG, "--out", folder, *arguments, keys=keys)
        return folder

    return made


whole = folder_of("run", KEYS)
recorded = folder_of("run", RECORDING)
MEMORY = {**RECORDING, "training": {**KEYS["training"], "recurrent": 4, "sequence": 8}}
memory = folder_of("run", MEMORY)
walk = folder_of("rollout", ROLLOUT["overrides"], "--seed", 3, "--episodes", 40, "--log-every", 0)
SEGMENTS = 3 + 2  # up to 7 and up to 6 episodes of 20 control steps, in segments of 64


class Disturbed(shared.Disturbed, cluster.Processes):
    """An executor that does something to a worker in some of its calls: kill it, if nothing else is said.

    The worker is stopped meanwhile, so that it cannot have answered before.
    """

    def __init__(self, moments=(), disturb=lambda worker: worker.process.kill(), stop=True):
        super().__init__()
        self.moments, self.disturb, self.stop = moments, disturb, stop

    def disturbed(self, worker, call):
        if self.stop:
            worker.process.send_signal(signal.SIGSTOP)
        called = call()
        self.disturb(worker)
        worker.process.send_signal(signal.SIGCONT)
        return called


def roll(out, **arguments):
    return cluster.rollout(out=out, **{"episodes": 40, "slices": SLICES, **ROLLOUT, **arguments})


@slow
def test_lost_workers_change_no_byte(tmp_path, whole):
    moments = set(random.Random(1).sample(range(1, 12), 3))
    executor = Disturbed(moments)
    report = cluster.train(config=CONFIG, out=tmp_path / "run", slices=SLICES, overrides=KEYS, executor=executor)
    assert report["status"] == "done"
    assert executor.calls == 2 * 4 + sum(moment <= executor.calls for moment in moments) > 2 * 4
    assert same_run(tmp_path / "run", whole)
    assert not (tmp_path / "run" / "resume.state").exists()


def test_a_stopped_worker_is_told_until_it_goes_on(tmp_path, whole, monkeypatch):
    """SIGCONT follows what is told. The worker is not replaced: no call is made again."""
    stopped, said = [], []

    class Stopping(Disturbed):
        def disturbed(self, worker, call):
            stopped.append(worker)
            worker.process.send_signal(signal.SIGSTOP)
            return call()

    def say(text):
        said.append(text)
        stopped[-1].process.send_signal(signal.SIGCONT)

    monkeypatch.setattr(_display, "say", say)
    executor = Stopping({4})
    cluster.train(config=CONFIG, out=tmp_path / "run", slices=SLICES, overrides=KEYS, executor=executor)
    assert executor.calls == 2 * 4
    assert re.fullmatch(r"waiting for worker \d of 2, silent for \d s: .* after 600 s it counts as lost", said[0])
    assert re.fullmatch(r"worker \d of 2 goes on", said[1]) and len(said) == 2
    assert same_run(tmp_path / "run", whole)


def test_lost_workers_change_no_byte_of_a_dataset(tmp_path, recorded):
    # Twice four rollouts, two datasets that are completed, and four workers that are lost, one of them then.
    executor = Disturbed({1, 5, 9, 13})
    cluster.train(config=CONFIG, out=tmp_path / "run", slices=SLICES, overrides=RECORDING, executor=executor)
    assert 2 * 4 + 2 + 3 <= executor.calls <= 2 * 4 + 2 + 4  # a worker may be killed after its last call
    assert same_run(tmp_path / "run", recorded)
    assert same_tree(tmp_path / "run" / "dataset", recorded / "dataset")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_lost_workers_change_no_byte_of_a_memory(tmp_path, memory):
    """An episode of 20 steps, and with it a world's state, goes on in the next rollout of 16, by another process."""
    executor = Disturbed({2, 3, 6})
    cluster.train(config=CONFIG, out=tmp_path / "run", slices=SLICES, overrides=MEMORY, executor=executor)
    assert 2 * 4 + 2 + 2 <= executor.calls <= 2 * 4 + 2 + 3
    assert same_run(tmp_path / "run", memory)
    assert same_tree(tmp_path / "run" / "dataset", memory / "dataset")


@pytest.mark.parametrize("moments", [{1}, {2, 3, 7}, {5}] if SLOW else [{2, 3, 7}])
def test_a_lost_worker_costs_a_segment(tmp_path, walk, moments):
    left = tmp_path / ".run.slices" / "0-4"  # by a worker of an earlier call that was lost
    left.mkdir(parents=True)
    (left / "data-00000-of-00001.arrow").write_bytes(b"\xff\xff\xff\xff")  # torn
    executor = Disturbed(moments)
    merged = roll(tmp_path / "run", executor=executor)
    assert merged["episodes"] == 40
    assert SEGMENTS <= executor.calls <= SEGMENTS + len(moments)
    assert same_tree(tmp_path / "run", walk)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_workers_add_the_pictures_of_their_slices(tmp_path, walk):
    cameras = {"track": {"size": (16, 12), "kinds": ["depth", "rgb"]}}
    executor = Disturbed({SEGMENTS + 1})  # the first worker that draws is killed
    merged = roll(tmp_path / "run", executor=executor, cameras=cameras)
    assert merged["cameras"] == ["track"]
    whole = tmp_path / "whole"
    shutil.copytree(walk, whole)
    into = ["render", "--into", whole, "--camera", "track", "--size", "16x12", "--kinds", "depth,rgb"]
    subprocess.run([shared.TRAIN, *into], check=True, capture_output=True)
    assert same_tree(tmp_path / "run", whole)
    with pytest.raises(ValueError, match="want size"):
        roll(tmp_path / "other", cameras={"track": {"kinds": ["rgb"]}})
    with pytest.raises(Exception, match='unknown camera "trak".*"track"'):
        roll(tmp_path / "other", cameras={"trak": cameras["track"]})


@slow
def test_a_rollout_goes_on_after_an_error(tmp_path, walk, monkeypatch):
    monkeypatch.setattr(_team, "TRIES", 2)
    with pytest.raises(cluster.Lost):
        roll(tmp_path / "run", executor=Disturbed(set(range(3, 30))))
    kept = {path.name for path in (tmp_path / ".run.slices").iterdir()}
    assert {"0-4.snapshot", "4-6.snapshot"} <= kept
    executor = Disturbed()
    roll(tmp_path / "run", executor=executor)
    assert executor.calls <= SEGMENTS - 2
    assert same_tree(tmp_path / "run", walk)


LOST_CALLER = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import test_cluster as t
from polyrhythm import cluster
# The worker is not stopped, as nobody would wake it.
ending = t.Disturbed({int(sys.argv[3])}, lambda _: os.kill(os.getpid(), signal.SIGKILL), stop=False)
if sys.argv[4] == "rollout":
    t.roll(sys.argv[2], executor=ending)
else:
    cluster.train(config=t.CONFIG, out=sys.argv[2], slices=t.SLICES, overrides=t.RECORDING, executor=ending)
"""


def lose_the_caller(out, moment, what):
    command = [sys.executable, "-c", LOST_CALLER, Path(__file__).parent, out, str(moment), what]
    run = subprocess.run(command, check=False)
    assert run.returncode == -signal.SIGKILL


def test_what_a_lost_caller_has_of_a_rollout_is_taken_up(tmp_path, walk):
    lose_the_caller(tmp_path / "run", 4, "rollout")
    executor = Disturbed()
    roll(tmp_path / "run", executor=executor)
    assert executor.calls <= SEGMENTS - 2  # of three calls two had returned
    assert same_tree(tmp_path / "run", walk)


@pytest.mark.parametrize("moment", [6, 10] if SLOW else [10])
def test_what_a_lost_caller_has_of_a_training_is_taken_up(tmp_path, recorded, moment):
    """In the third rollout, and when the training is over and the datasets are to be completed."""
    lose_the_caller(tmp_path / "run", moment, "train")
    executor = Disturbed()
    cluster.train(out=tmp_path / "run", slices=SLICES, resume=True, executor=executor)
    assert executor.calls == {6: 2 * 2 + 2, 10: 2}[moment]
    assert same_run(tmp_path / "run", recorded)
    assert same_tree(tmp_path / "run" / "dataset", recorded / "dataset")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_a_machine_that_does_not_share_the_folder(tmp_path):
    def away(worker):
        worker.process.kill()
        folder = tmp_path / ".run.slices" / "0-6"
        folder.rename(tmp_path / "away")

    text = "0-6 does not exist here, want the dataset that the snapshot is of, in a folder that all machines share"
    with pytest.raises(cluster.Failed, match=text) as error:
        roll(tmp_path / "run", slices=1, executor=Disturbed({2}, away))
    assert "\n" not in str(error.value)


def test_a_segment_that_arrives_with_other_bytes():
    known = cluster._Slice(b"", Path("/nowhere/0-4"))
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
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "none", place]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here: that needs root")
    try:
        (place / "0-4").mkdir()
        (tmp_path / ".run.slices").mkdir()
        (tmp_path / ".run.slices" / "0-4").symlink_to(place / "0-4")
        yield place / "filler"
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_told_and_the_rest_goes_on(tmp_path, walk, disk):
    def fill(_):
        try:
            disk.write_bytes(bytes(16 << 20))
        except OSError:
            pass  # it is full

    with pytest.raises(cluster.Failed, match="(0-4|4-6).*no space left on device; make room there") as error:
        roll(tmp_path / "run", executor=Disturbed({3}, fill))
    assert "\n" not in str(error.value)
    disk.unlink()
    executor = Disturbed()
    roll(tmp_path / "run", executor=executor)
    assert executor.calls < SEGMENTS
    assert same_tree(tmp_path / "run", walk)


def test_a_run_that_loses_too_many_can_be_resumed(tmp_path, whole, monkeypatch):
    monkeypatch.setattr(_team, "TRIES", 2)
    # The fourth rollout loses its workers again and again; the third is safe.
    with pytest.raises(cluster.Lost):
        executor = Disturbed(set(range(3, 20)))
        cluster.train(config=CONFIG, out=tmp_path / "run", slices=1, overrides=KEYS, executor=executor)
    report = cluster.train(out=tmp_path / "run", slices=3, resume=True)
    assert report["status"] == "done" and same_run(tmp_path / "run", whole)


def test_a_training_shows_how_far_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(_display, "LINE_EVERY", 0)
    told = []
    few = {"config": CONFIG, "slices": 2, "overrides": KEYS}
    cluster.train(out=tmp_path / "run", executor=Disturbed({1}), on_metrics=told.append, **few)
    assert [one["iteration"] for one in told] == [1, 2, 3] and set(told[0]) == set(told[2]) > {"mean_return"}
    out, err = capsys.readouterr()
    lost, *lines = err.splitlines()
    assert lost.startswith("polyrhythm: worker 1 of 2 is lost and replaced: ")
    assert re.fullmatch(r"training HalfCheetah-v5 100 %  \d+ steps/s  return -?\d+\.\d  0s left", lines[-1])
    assert re.match(r"HalfCheetah-v5: 384 environment steps in \d+s .*, 6 worlds, .* 0 faults\n.*, 2 episodes", out)
    assert out.endswith(f"all files are in {tmp_path / 'run'}\n")
    cluster.train(out=tmp_path / "silent", progress=False, **few)
    assert capsys.readouterr() == ("", "")


def test_what_a_callback_raises_stops_the_training_which_goes_on(tmp_path, whole):
    def stop(metrics):
        if metrics["iteration"] == 2:
            raise KeyError("enough")

    few = {"slices": 2, "progress": False}
    with pytest.raises(KeyError, match="enough"):
        cluster.train(config=CONFIG, out=tmp_path / "run", overrides=KEYS, on_metrics=stop, **few)
    assert len((tmp_path / "run" / "metrics.csv").read_text().splitlines()) == 3
    told = []
    assert cluster.train(out=tmp_path / "run", resume=True, on_metrics=told.append, **few)["status"] == "done"
    assert [one["iteration"] for one in told] == [3] and same_run(tmp_path / "run", whole)


def test_a_terminal_shows_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    steps = iter([0, 30, 60])
    status = lambda: {"task": "walk", "env_steps": next(steps), "total": 60, "steps_per_s": 9.6, "mean_return": None,
                    "warnings": []}  # fmt: skip
    display = _display.Display(SimpleNamespace(status=status, metrics=None), True, None)
    for _ in range(3):
        display.update()
    display.say("a line")
    display.close()
    _, half, _, above, bar = capsys.readouterr().err.split("\r\x1b[K")
    assert half.startswith(f"training walk  50 % [{'=' * 15}{' ' * 15}]  10 steps/s  return -  ")
    assert above == "polyrhythm: a line\n"
    assert bar == f"training walk 100 % [{'=' * 30}]  10 steps/s  return -  0s left\n"


def test_a_merge_says_why_there_is_no_log(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for (first, end), folder, every in zip(SLICES, folders, [3, 0], strict=True):
        few = ["--seconds", 1, "--slice", f"{first}:{end}", "--log-every", every]
        train("rollout", "--config", CONFIG, "--out", folder, *few, keys=ROLLOUT["overrides"])
    merged = cluster._merge(folders, tmp_path / "whole", mixed=False)
    assert "has none" in merged["no_log"] and not (tmp_path / "whole" / "run.log").exists()


def test_a_lost_merge_is_done_again(tmp_path, monkeypatch, capfd):
    folders = [tmp_path / "a", tmp_path / "b"]
    for (first, end), folder in zip(SLICES, folders, strict=True):
        train("rollout", "--config", CONFIG, "--out", folder, "--seconds", 1, "--slice", f"{first}:{end}",
              keys=ROLLOUT["overrides"])  # fmt: skip
    begun = []

    class Dying(cluster.Processes):
        def start(self, maker, *arguments):
            begun.append(super().start(maker, *arguments))
            if len(begun) < lost:
                begun[-1].process.kill()
            return begun[-1]

    monkeypatch.setattr(cluster, "Processes", Dying)
    lost = 5
    assert cluster._merge(folders, tmp_path / "whole", mixed=False)["episodes"] > 0 and len(begun) == 5
    assert capfd.readouterr().err.count("is lost and replaced") == 4
    begun.clear()
    lost = 100
    with pytest.raises(cluster.Lost):
        cluster._merge(folders, tmp_path / "other", mixed=False)
    assert len(begun) == 5 and not (tmp_path / "other").exists()


def test_foreign_files_beside_slices_stay(tmp_path):
    theirs = tmp_path / ".run.slices" / "thesis.tex"
    theirs.parent.mkdir()
    theirs.write_text("mine")
    cluster.train(config=CONFIG, out=tmp_path / "run", slices=SLICES, overrides=RECORDING, progress=False)
    assert (tmp_path / "run" / "dataset").is_dir()
    assert list(theirs.parent.iterdir()) == [theirs]


def test_another_machine_is_refused_by_name(tmp_path, monkeypatch):
    here = cluster.facts()
    assert here["OpenBLAS kernel"] and here["library polyrhythm"] and here["library mujoco"] and here["library box2d"]
    monkeypatch.setattr(cluster, "facts", lambda: {**here, "OpenBLAS kernel": "Katmai"})
    text = f"{here['host']}: OpenBLAS kernel is '{here['OpenBLAS kernel']}', want 'Katmai'"
    with pytest.raises(cluster.Mixed, match=text):
        cluster.train(config=CONFIG, out=tmp_path / "run", slices=1, overrides=RECORDING)
    with pytest.raises(cluster.Mixed, match=text):
        roll(tmp_path / "run")
    assert list(tmp_path.iterdir()) == []  # what they began is gone


def test_wrong_arguments(tmp_path, walk):
    with pytest.raises(ValueError, match="run, which is not empty; want a new or an empty folder"):
        cluster.rollout(config=CONFIG, episodes=1, out=walk)
    for command, more in ((cluster.rollout, {"episodes": 1}), (cluster.train, {})):
        with pytest.raises(ValueError, match="out is s3://bucket/run, a URI; want a path of this machine"):
            command(config=CONFIG, out="s3://bucket/run", **more)
    few = ["--task", "quadruped", "--policy", "zero", "--episodes", 1]
    done = train("rollout", *few, "--out", "s3://bucket/run", code=1)
    assert "s3:/bucket/run is in s3:, want a path of this machine" in done.stderr and not Path("s3:").exists()
    with pytest.raises(TypeError, match="episodes is None and seconds is None; want one of them"):
        cluster.rollout(config=CONFIG, out=tmp_path / "other")
    with pytest.raises(ValueError, match="4 slices of 6 worlds in blocks of 2, want 1 to 3"):
        cluster.train(config=CONFIG, out=tmp_path / "run", slices=4, overrides=KEYS)
    assert not (tmp_path / "run").exists()


def test_a_mistyped_policy_is_not_found(tmp_path):
    with pytest.raises(polyrhythm.NotFound, match="policy is .*runs/nowhere, which is not there; want random, zero") as error:
        roll(tmp_path / "run", policy=str(tmp_path / "runs/nowhere"))
    assert error.value.filename == str(tmp_path / "runs/nowhere")
    assert not any(tmp_path.iterdir())


def test_a_collector_without_a_segment_leaves_no_dataset(tmp_path):
    with Collector(assignments("Reacher-v5", episodes=2)[0], dataset=tmp_path / "data"):
        assert any(tmp_path.iterdir())
    assert not any(tmp_path.iterdir())
