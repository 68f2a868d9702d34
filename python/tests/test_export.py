"""`train export` as people call it, on datasets of real rollouts. What each format holds, value by value, is
compared in recorder/export (POLYTEST_PYTHON) and, for LeRobot, in python/tests_peers."""

import signal
import subprocess
import time

import gymnasium
import minari
import numpy as np
import pytest
from shared import TRAIN, train

CONTROL = ["--set", "recording.tables=[capture, control]"]


def rollout(folder, task, *arguments):
    train("rollout", "--task", task, "--policy", "random", "--out", folder, "--set", "worlds=4", *arguments)
    return folder


@pytest.fixture(scope="module")
def lander(tmp_path_factory):
    return rollout(tmp_path_factory.mktemp("lander") / "random", "LunarLander-v3", "--episodes", 12, *CONTROL)


def test_minari_of_a_discrete_task(lander, tmp_path, monkeypatch):
    train("export", lander, "--to", "minari", "--out", tmp_path / "lander-v2")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    assert list(minari.list_local_datasets()) == ["lander-v2"]
    dataset = minari.load_dataset("lander-v2")
    env = gymnasium.make("LunarLander-v3")
    assert dataset.action_space == env.action_space
    assert dataset.observation_space == env.observation_space
    assert dataset.total_episodes == 12
    for episode in dataset:
        assert env.action_space.contains(episode.actions[0])
        assert episode.observations.shape == (len(episode) + 1, 8)
        assert episode.terminations[-1] or episode.truncations[-1]
        assert not episode.terminations[:-1].any() and not episode.truncations[:-1].any()


def test_minari_repeats_in_gymnasium(tmp_path):
    """Each row is a step: from its observation, by its action, to the next observation, for its reward."""
    cheetah = rollout(tmp_path / "cheetah", "HalfCheetah-v5", "--episodes", 4, *CONTROL)
    train("export", cheetah, "--to", "minari", "--out", tmp_path / "cheetah-v0")
    env = gymnasium.make("HalfCheetah-v5").unwrapped
    dataset = minari.MinariDataset(tmp_path / "cheetah-v0" / "data")
    assert dataset.action_space == env.action_space
    for episode in dataset:
        assert len(episode) == 1000 and episode.truncations[-1] and not episode.terminations.any()
        env.reset()
        env.set_state(np.concatenate([[0], episode.observations[0][:8]]), episode.observations[0][8:])
        for k in range(40):
            observation, reward, *_ = env.step(episode.actions[k])
            np.testing.assert_allclose(observation, episode.observations[k + 1], rtol=0, atol=1e-6)
            assert reward == pytest.approx(episode.rewards[k], abs=1e-6)


def test_errors_are_one_line_and_leave_nothing(lander, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("x")
    no_control = rollout(tmp_path / "no-control", "LunarLander-v3", "--episodes", 1)
    for arguments, code, words in [
        (["--to", "mini", "--out", tmp_path / "a"], 2, "want one of csv, hf,"),
        (["--out", tmp_path / "a"], 2, "want one of csv, hf,"),
        (["--to", "csv"], 2, "--out"),
        (["--to", "csv", "--out", full], 2, "not empty"),
        (["--to", "csv", "--out", tmp_path / "a", "--table", "captur"], 2, "capture,"),
        (["--to", "minari", "--out", tmp_path / "a"], 2, "NAME-v0"),
    ]:
        got = train("export", lander, *arguments, code=code)
        assert got.stderr.count("\n") == 1 and words in got.stderr, got.stderr
    got = train("export", no_control, "--to", "minari", "--out", tmp_path / "a-v0", code=2)
    assert 'no "control"' in got.stderr
    got = train("export", tmp_path / "full", "--to", "csv", "--out", tmp_path / "a", code=2)
    assert "not a dataset" in got.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["full", "no-control"]
    assert [p.name for p in full.iterdir()] == ["mine"]


def test_interrupt(tmp_path):
    long = rollout(tmp_path / "long", "HalfCheetah-v5", "--episodes", 64, "--set", "worlds=16")
    for attempt in range(20):  # an export may end before the signal comes
        out = tmp_path / f"out{attempt}"
        command = [TRAIN, "export", long, "--to", "mcap", "--out", out]
        export = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while not (tmp_path / f".{out.name}.partial").exists() and export.poll() is None:
            time.sleep(0.005)
        export.send_signal(signal.SIGINT)
        _, words = export.communicate()
        if export.returncode == 0:
            continue
        assert export.returncode == 130 and words.endswith("train: interrupted\n")
        assert not [p.name for p in tmp_path.iterdir() if out.name in p.name]
        return
    pytest.fail("every export ended before it was interrupted")
