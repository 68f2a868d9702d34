"""Polyrhythm's worlds as Gymnasium environments.

    import gymnasium, polyrhythm

    envs = gymnasium.make_vec("Polyrhythm/HalfCheetah-v5", num_envs=64)
    envs = polyrhythm.make_vec(config="configs/quadruped.yaml", num_envs=64, dataset="runs/x")

An import registers the ids and loads nothing; the C library is loaded by the first
environment that is opened.
"""

from polyrhythm import _library, _registration
from polyrhythm._library import Error, ForkError, NotFound
from polyrhythm._registration import PREFIX
from polyrhythm.driving import Frame, drive
from polyrhythm.groups import by_group
from polyrhythm.policy import Actor, Policy
from polyrhythm.single import Env, make
from polyrhythm.training import train
from polyrhythm.vector import VectorEnv, make_vec

__version__ = "0.1.0"
__all__ = [
    "PREFIX", "Actor", "Env", "Error", "ForkError", "Frame", "NotFound", "Policy", "VectorEnv", "by_group",
    "drive", "make", "make_vec", "train",
]  # fmt: skip

_library.check_installed()
_registration.register()
