"""The peers that the other tests compare with are the pinned ones.

Gymnasium's MuJoCo tasks run on whichever MuJoCo is installed, and some packages
bring their own: numbers that agree with the wrong version mean nothing.
"""

from importlib import metadata

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
