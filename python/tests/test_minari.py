"""What Minari has recorded, in either of its formats, is cloned."""

import json
import subprocess
import sys

import datasets
import gymnasium
import minari
import numpy as np
import pyarrow.compute
import pyarrow.parquet
import pytest
from minari.data_collector.episode_buffer import EpisodeBuffer
from polyrhythm.minari import convert
from shared import ROOT, train


def recorded(name, task, form, act):
    """Nine episodes of a task, as a dataset that Minari writes."""
    env, buffers = gymnasium.make(task), []
    for seed in range(9):
        observations, actions, rewards, terminations, truncations = [env.reset(seed=seed)[0]], [], [], [], []
        while not any(terminations + truncations):
            actions.append(act(observations[-1]))
            observation, reward, terminated, truncated, _ = env.step(actions[-1])
            observations.append(observation)
            rewards.append(float(reward))
            terminations.append(bool(terminated))
            truncations.append(bool(truncated))
        buffers.append(EpisodeBuffer(
            id=seed, seed=seed, observations=np.array(observations), actions=np.array(actions), rewards=rewards,
            terminations=terminations, truncations=truncations))  # fmt: skip
    return minari.create_dataset_from_buffers(
        name, buffers, env=env, data_format=form, algorithm_name="rule", code_permalink="here", author="us",
        author_email="us@here")  # fmt: skip


@pytest.mark.parametrize("form", ["hdf5", "arrow"])
def test_what_minari_recorded_is_cloned(tmp_path, monkeypatch, form):
    if form == "hdf5":
        pytest.importorskip("h5py")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    gains = np.array([1.0, 20.0, 2.0, 4.0])  # which balance the pole

    def balance(observation):
        return np.clip(gains @ observation, -3, 3).astype(np.float32).reshape(1)

    dataset = recorded("pendulum-v0", "InvertedPendulum-v5", form, balance)
    command = [sys.executable, "-m", "polyrhythm.minari", "pendulum-v0", "--out", tmp_path / "rows"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.stdout == f"{dataset.total_steps} steps of 9 episodes in {tmp_path / 'rows'}\n", done.stderr
    table = pyarrow.parquet.read_table(tmp_path / "rows" / "data" / "chunk-000" / "file-000.parquet")
    for episode in dataset:
        rows = table.filter(pyarrow.compute.equal(table["episode_index"], episode.id))
        np.testing.assert_array_equal(np.array(rows["observation.state"].to_pylist()), episode.observations[:-1])
        np.testing.assert_array_equal(np.array(rows["action"].to_pylist(), np.float32), episode.actions)
        np.testing.assert_array_equal(rows["next.reward"], episode.rewards)
        np.testing.assert_array_equal(rows["next.terminated"], episode.terminations)
    run = tmp_path / "run"
    few = {"training": {"steps": 20000, "hidden": [16]}, "evaluation.episodes": 2, "recording.clip": False}
    train("clone", tmp_path / "rows", "--task", "InvertedPendulum-v5", "--out", run, keys=few)
    offline = {"training.algorithm": "td3bc", "training.steps": 1024, "training.sac": {"hidden": [16]}}
    train("clone", tmp_path / "rows", "--task", "InvertedPendulum-v5", "--out", tmp_path / "td3bc",
          keys=few | offline)
    info, data = (tmp_path / "rows" / name for name in ("meta/info.json", "data/chunk-000/file-000.parquet"))
    described = json.loads(info.read_text())
    described["features"]["next.reward_steps"] = {"dtype": "int64", "shape": [1], "names": None}
    for steps, without, error in (  # each reward is that of two control steps; there are none
        (2, "", "no row has a reward and what followed"),
        (1, "next.reward", "it has no rewards, want them for training.algorithm td3bc"),
    ):
        pyarrow.parquet.write_table(table.append_column("next.reward_steps", [np.full(len(table), steps)]), data)
        described["features"].pop(without, None)
        info.write_text(json.dumps(described))
        refused = train("clone", tmp_path / "rows", "--task", "InvertedPendulum-v5", "--out", tmp_path / "none",
                        keys=few | offline, code=2)
        assert error in refused.stderr and refused.stderr.count("\n") == 1, refused.stderr
    about = json.loads((run / "run.json").read_text())
    assert about["cloned"]["rows"] == dataset.total_steps  # of nine episodes none is the tenth
    spread = np.std(np.concatenate([episode.actions for episode in dataset]))
    assert about["cloned"]["error"] < 0.2 * spread, spread
    again = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1) and "want a new or an empty folder" in again.stderr


def test_choices_and_what_does_not_fit(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = recorded("cart-v0", "CartPole-v1", "arrow", lambda observation: int(observation[2] > 0))
    assert convert(dataset, tmp_path / "rows") == dataset.total_steps
    table = pyarrow.parquet.read_table(tmp_path / "rows" / "data" / "chunk-000" / "file-000.parquet")
    assert {value[0] for value in table["action"].to_pylist()} == {0, 1}
    refused = train("clone", tmp_path / "rows", "--task", "LunarLander-v3", code=2)
    assert "its observations have 4 values, want the 8" in refused.stderr
    dataset.spec.observation_space = dataset._observation_space = gymnasium.spaces.Dict()
    with pytest.raises(ValueError, match="want a Box of one dimension"):
        convert(dataset, tmp_path / "other")


def test_what_a_critic_sees_comes_back(tmp_path):
    """An export has it in the infos; what is converted has each observation as it was recorded."""
    critic = '[{term: joint_vel_rel}, {name: part, expr: "body.part.position"}]'
    keys = {"worlds": 2, "max_steps": 9, "recording.tables": ["capture", "control"]}
    train("rollout", "--config", ROOT / "configs/described/gantry.yaml", "--policy", "random", "--episodes", 4, "--out",
          tmp_path / "walk", f"--set=observations.critic={critic}", keys=keys)  # fmt: skip
    train("export", tmp_path / "walk", "--to", "minari", "--out", tmp_path / "walk-v0")
    exported = minari.MinariDataset(tmp_path / "walk-v0" / "data")
    convert(exported, tmp_path / "rows")
    want = datasets.load_from_disk(tmp_path / "walk" / "control")
    rows = pyarrow.parquet.read_table(tmp_path / "rows" / "data" / "chunk-000" / "file-000.parquet")
    for episode in exported:
        seen = [row["observation"] for row in want if row["episode"] == episode.id]
        size = episode.observations.shape[1]
        assert exported.observation_space.shape == (size,) and size < len(seen[0])
        assert list(episode.infos) == ["privileged.critic"]
        assert len(episode.infos["privileged.critic"]) == len(seen) + 1
        mine = rows.filter(pyarrow.compute.equal(rows["episode_index"], episode.id))
        np.testing.assert_array_equal(mine["observation.state"].to_pylist(), seen)
        np.testing.assert_array_equal(episode.observations[:-1], np.array(seen)[:, :size])
