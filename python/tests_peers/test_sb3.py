"""Stable-Baselines3 takes our worlds for its own."""

import runpy
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor
from torch import nn

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


SEEING = {
    "config": "configs/described/gantry.yaml",
    "pictures": "dict",
    "sensors": [{"name": "above", "runner": "Robot", "camera": {
        "body": "world", "position": [0, 0, 0.4], "fovy": 60, "width": 40, "height": 36, "kinds": ["rgb", "depth"]}}],
    "observations": {"policy": [
        {"term": "joint_pos_rel", "joints": ["head_.*"]}, {"term": "sensor", "channel": "above", "history": 2}]},
    "max_steps": 8,
}


def seeing(n):
    return polyrhythm.make_vec(num_envs=n, seed=1, autoreset_mode="SameStep", **SEEING)


def weights(model):
    """Those of the first convolution of colours."""
    return model.policy.features_extractor.extractors["above/rgb"].cnn[0].weight.detach().clone()


def test_pictures_step_by_step():
    check_env(polyrhythm.make(**SEEING))
    ours, reference = VecEnv(seeing(3)), seeing(3)
    observations, (expected, _), ends = ours.reset(), reference.reset(), 0
    for _ in range(20):
        assert observations["above/rgb"].dtype == np.uint8 and observations["above/rgb"].shape == (3, 36, 40, 6)
        for name, values in expected.items():
            np.testing.assert_array_equal(observations[name], values)
        before, kept = observations, {name: values.copy() for name, values in observations.items()}
        actions = np.full((3, 2), 0.4, np.float32)
        observations, _, dones, infos = ours.step(actions)
        expected, *_, of_reference = reference.step(actions)
        for name, values in kept.items():
            np.testing.assert_array_equal(before[name], values)
        for i in np.flatnonzero(dones):
            ends += 1
            for name, values in of_reference["final_obs"][i].items():
                np.testing.assert_array_equal(infos[i]["terminal_observation"][name], values)
    assert ends == 6


def test_multi_input_policies_read_pictures():
    model = PPO("MultiInputPolicy", VecEnv(seeing(4)), n_steps=32, batch_size=64, n_epochs=1, seed=1, device="cpu")
    before = weights(model)  # there is one, so the pictures are read by convolutions
    model.learn(256)
    assert (weights(model) != before).any()
    assert model.rollout_buffer.observations["above/rgb"].max() > 200
    one = polyrhythm.make(**SEEING)
    model = SAC("MultiInputPolicy", one, learning_starts=50, buffer_size=300, batch_size=16, seed=1, device="cpu")
    model.learn(90)
    assert model.replay_buffer.observations["above/rgb"].dtype == np.uint8
    observation, _ = one.reset(seed=1)
    action, _ = model.predict(observation)
    assert action.shape == (2,)


def test_a_network_of_ones_own_learns_what_it_sees():
    """Layers as those of CleanRL's networks, of torch alone, find where the head is."""
    torch.manual_seed(1)
    envs = seeing(64)
    seen = [envs.reset()[0] for _ in range(12)]
    pictures = torch.cat([torch.tensor(one["above/rgb"]) for one in seen]).permute(0, 3, 1, 2) / 255.0
    pictures -= pictures.mean(0)
    places = torch.cat([10 * torch.tensor(one["policy"], dtype=torch.float32) for one in seen])
    convolutions = nn.Sequential(
        nn.Conv2d(6, 8, 5, stride=2), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2), nn.ReLU(), nn.Flatten())
    network = nn.Sequential(convolutions, nn.Linear(convolutions(pictures[:1]).shape[1], 2))
    optimiser = torch.optim.Adam(network.parameters(), 3e-3)
    learned = len(pictures) * 9 // 10
    for _ in range(100):
        rows = torch.randint(0, learned, (64,))
        loss = ((network(pictures[rows]) - places[rows]) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        error = ((network(pictures[learned:]) - places[learned:]) ** 2).mean()
    assert error < 0.2 * places[learned:].var()  # 0.04 of it


def test_the_example_learns(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train_sb3.py", "--steps", "20000"])
    runpy.run_path(str(ROOT / "python/examples/train_sb3.py"), run_name="__main__")
    mean = float(capsys.readouterr().out.split("mean return")[1].split()[0])
    assert mean > 60  # at random: about 6
