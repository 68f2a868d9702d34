"""Stable-Baselines3 takes our worlds for its own."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

import polyrhythm
from polyrhythm.sb3 import VecEnv

ROOT = Path(__file__).resolve().parents[2]


def make(task="InvertedPendulum-v5", n=4, **arguments):
    return VecEnv(polyrhythm.make_vec(task, n, autoreset_mode="SameStep", **arguments))


def test_only_same_step():
    with pytest.raises(ValueError, match="SameStep"):
        VecEnv(polyrhythm.make_vec("InvertedPendulum-v5", 2))


def test_a_step_says_what_the_worlds_say():
    ours, reference = make(max_episode_steps=8), polyrhythm.make_vec(
        "InvertedPendulum-v5", 4, autoreset_mode="SameStep", max_episode_steps=8
    )
    ours.seed(3)
    np.testing.assert_array_equal(ours.reset(), reference.reset(seed=3)[0])
    kinds = set()
    random = np.random.default_rng(0)
    for _ in range(60):
        actions = random.uniform(-3, 3, (4, 1)).astype(np.float32)
        observations, rewards, dones, infos = ours.step(actions)
        o, r, terminations, truncations, i = reference.step(actions)
        np.testing.assert_array_equal(observations, o)
        np.testing.assert_array_equal(rewards, r.astype(np.float32))
        np.testing.assert_array_equal(dones, terminations | truncations)
        for w in range(4):
            assert ("terminal_observation" in infos[w]) == dones[w]
            if dones[w]:
                np.testing.assert_array_equal(infos[w]["terminal_observation"], i["final_obs"][w])
                assert infos[w]["TimeLimit.truncated"] == (truncations[w] and not terminations[w])
                assert infos[w]["episode"]["l"] <= 8
                kinds.add(infos[w]["TimeLimit.truncated"])
    assert kinds == {False, True}
    ours.close()
    reference.close()


def test_observations_stay_as_they_were():
    env = make()
    first = env.reset()
    before = first.copy()
    env.step(np.ones((4, 1), np.float32))
    np.testing.assert_array_equal(first, before)
    env.close()


def test_their_wrappers_and_ppo():
    env = VecMonitor(make("Hopper-v5", 8))
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=1, device="cpu")
    model.learn(1024)
    assert len(model.ep_info_buffer) > 0
    env.close()


def test_the_example_learns(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train_sb3.py", "--steps", "20000"])
    runpy.run_path(str(ROOT / "python/examples/train_sb3.py"), run_name="__main__")
    mean = float(capsys.readouterr().out.split("mean return")[1].split()[0])
    assert mean > 60  # at random: about 6
