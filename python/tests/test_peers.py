"""The peers that the other tests compare with are the pinned ones.

Gymnasium's MuJoCo tasks run on whichever MuJoCo is installed, and some packages
bring their own: numbers that agree with the wrong version mean nothing.
"""

from importlib import metadata

import Box2D
import envpool
import gymnasium
import mujoco
import numpy as np


def test_mujoco_is_the_pinned_version():
    assert mujoco.__version__ == "4.0.1"
    assert mujoco.mj_versionString() == "4.0.1"


def test_no_second_mujoco_is_installed():
    owners = metadata.packages_distributions()["mujoco"]
    assert set(owners) == {"mujoco-core"}


def test_gymnasium_steps_half_cheetah():
    assert gymnasium.__version__ == "1.4.0"
    env = gymnasium.make("HalfCheetah-v5")
    env.reset(seed=0)
    observation, reward, terminated, truncated, _ = env.step(np.zeros(6))
    env.close()
    assert observation.shape == (17,)
    assert np.isfinite(observation).all() and np.isfinite(reward)
    assert not terminated and not truncated


def test_box2d_is_the_pinned_version():
    assert Box2D.__version__ == "2.3.10"


def test_gymnasium_steps_lunar_lander():
    env = gymnasium.make("LunarLander-v3")
    env.reset(seed=0)
    observation, reward, *_ = env.step(2)
    env.close()
    assert observation.shape == (8,)
    assert np.isfinite(observation).all() and np.isfinite(reward)


def test_envpool_steps_half_cheetah():
    assert envpool.__version__ == "1.2.5"
    env = envpool.make_gymnasium("HalfCheetah-v5", num_envs=2)
    env.reset()
    observation, reward, *_ = env.step(np.zeros((2, 6)))
    env.close()
    assert observation.shape == (2, 17)
    assert np.isfinite(reward).all()
