"""The peers that the other tests compare with are the pinned ones.

Gymnasium's MuJoCo tasks run on whichever MuJoCo is installed, and some packages
bring their own: numbers that agree with the wrong version mean nothing.
"""

from importlib import import_module, metadata

import mujoco
import pytest


@pytest.mark.parametrize(
    ("package", "version"),
    [("mujoco", "4.0.1"), ("gymnasium", "1.4.0"), ("Box2D", "2.3.10"), ("envpool", "1.2.5")],
)
def test_versions(package, version):
    assert import_module(package).__version__ == version


def test_no_second_mujoco_is_installed():
    assert mujoco.mj_versionString() == "4.0.1"
    assert set(metadata.packages_distributions()["mujoco"]) == {"mujoco-core"}
