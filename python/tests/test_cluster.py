"""Training by worker processes: the bytes of `train run`, whichever of them are killed."""

import filecmp
import os
import random
import subprocess

import pytest
from polyrhythm import cluster
from short_training import CONFIG, KEYS, train_run


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run folder of one process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    train_run(folder)
    return folder


def same(one, other):
    return all(filecmp.cmp(one / file, other / file, shallow=False) for file in ["latest", "metrics.csv", "config.yaml"])


class Killing(cluster.Processes):
    """An executor that kills its workers at some of their calls, counted from 1."""

    def __init__(self, moments):
        self.moments, self.calls = moments, 0

    def start(self, maker, *arguments):
        worker = super().start(maker, *arguments)
        plain = worker.call

        def call(method, *arguments):
            under_way = plain(method, *arguments)
            if method in ("collect", "record"):
                self.calls += 1
                if self.calls in self.moments:
                    worker.process.kill()
            return under_way

        worker.call = call
        return worker


def test_lost_workers_change_no_byte(tmp_path, whole):
    moments = set(random.Random(1).sample(range(1, 12), 3))
    executor = Killing(moments)
    report = cluster.train(config=CONFIG, out=tmp_path / "run", slices=[(0, 4), (4, 6)], overrides=KEYS, executor=executor)
    assert report["status"] == "done"
    assert executor.calls == 2 * 4 + sum(moment <= executor.calls for moment in moments) > 2 * 4
    assert same(tmp_path / "run", whole)


def test_rollout_has_the_bytes_of_one_process(tmp_path):
    keys = {"worlds": 6, "block_size": 2, "max_steps": 20}
    sets = [f"--set={name}={value}" for name, value in keys.items()]
    subprocess.run([os.environ["POLYTEST_TRAIN"], "rollout", "--config", CONFIG, "--seed", "3", "--episodes", "15", "--log-every", "0",
                    "--out", tmp_path / "whole", *sets], check=True, capture_output=True)  # fmt: skip
    left = tmp_path / ".run.slices" / "0-4"  # by a worker that was lost
    left.mkdir(parents=True)
    (left / "data-00000-of-00001.arrow").write_bytes(b"torn")
    merged = cluster.rollout(config=CONFIG, seed=3, episodes=15, out=tmp_path / "run", slices=[(0, 4), (4, 6)], overrides=keys,
                             executor=Killing({2}))  # fmt: skip
    assert merged["episodes"] == 15
    files = sorted(str(path.relative_to(tmp_path / "whole")) for path in (tmp_path / "whole").rglob("*") if path.is_file())
    assert sorted(str(path.relative_to(tmp_path / "run")) for path in (tmp_path / "run").rglob("*") if path.is_file()) == files
    assert filecmp.cmpfiles(tmp_path / "whole", tmp_path / "run", files, shallow=False) == (files, [], [])
    assert not left.parent.exists()
    with pytest.raises(ValueError, match="run, which is not empty; want a new or an empty folder"):
        cluster.rollout(config=CONFIG, episodes=1, out=tmp_path / "run")
    with pytest.raises(TypeError, match="episodes is None and seconds is None; want one of them"):
        cluster.rollout(config=CONFIG, out=tmp_path / "other")


def test_a_run_that_loses_too_many_can_be_resumed(tmp_path, whole):
    # The fourth rollout loses its workers again and again; the third is safe.
    with pytest.raises(cluster.Lost):
        cluster.train(config=CONFIG, out=tmp_path / "run", slices=1, overrides=KEYS, executor=Killing(set(range(3, 20))))
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
