"""Stable-Baselines3 takes our worlds for its own."""

import runpy
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor

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


def test_observations_stay_as_they_were():
    env = make()
    first = env.reset()
    before = first.copy()
    env.step(np.ones((4, 1), np.float32))
    np.testing.assert_array_equal(first, before)


def test_their_wrappers_and_ppo():
    env = VecMonitor(make("Hopper-v5", 8))
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=1, device="cpu")
    model.learn(1024)
    assert len(model.ep_info_buffer) > 0


@pytest.mark.filterwarnings("ignore:.*render_mode")
@pytest.mark.parametrize("processes", [DummyVecEnv, SubprocVecEnv])
def test_make_vec_env(processes):
    """Their own way of making worlds, which asks for pictures first. The module's name is for new processes."""
    env = make_vec_env("polyrhythm:Polyrhythm/Hopper-v5", 2, seed=4, vec_env_cls=processes)
    reference = polyrhythm.make_vec("Hopper-v5", 2)
    np.testing.assert_array_equal(env.reset(), reference.reset(seed=4)[0])
    for _ in range(5):
        observations, rewards, _, _ = env.step(np.full((2, 3), 0.1, np.float32))
        o, r, *_ = reference.step(np.full((2, 3), 0.1, np.float32))
        np.testing.assert_array_equal(observations, o)
        np.testing.assert_array_equal(rewards.astype(np.float32),
            r.astype(np.float32))  # theirs are float64 from processes


@pytest.mark.filterwarnings("ignore:.*render_mode")
@pytest.mark.parametrize(("algorithm", "task"), [(PPO, "InvertedPendulum-v5"), (SAC, "Hopper-v5"),
    (DQN, "LunarLander-v3")])
def test_an_id_is_enough(algorithm, task):
    arguments = {"n_steps": 64} if algorithm is PPO else {"learning_starts": 10}
    model = algorithm("MlpPolicy", f"Polyrhythm/{task}", seed=1, device="cpu", **arguments)
    model.learn(80)
    assert model.num_timesteps >= 80


@pytest.mark.parametrize("task", ["Hopper-v5", "LunarLander-v3", "Quadruped-v0"])
def test_their_checker_passes(task):
    check_env(gymnasium.make(f"Polyrhythm/{task}"))


def test_the_example_learns(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train_sb3.py", "--steps", "20000"])
    runpy.run_path(str(ROOT / "python/examples/train_sb3.py"), run_name="__main__")
    mean = float(capsys.readouterr().out.split("mean return")[1].split()[0])
    assert mean > 60  # at random: about 6
