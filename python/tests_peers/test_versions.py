"""The heavy peers are the pinned ones, on the pinned physics."""

from importlib import metadata

import gymnasium
import lerobot
import mujoco
import stable_baselines3


def test_versions():
    assert lerobot.__version__ == "0.4.4"
    assert stable_baselines3.__version__ == "2.9.2"
    assert gymnasium.__version__ == "1.4.0"
    assert mujoco.mj_versionString() == "4.0.1"


def test_no_second_mujoco_is_installed():
    assert set(metadata.packages_distributions()["mujoco"]) == {"mujoco-core"}
