"""The ids that Gymnasium knows us by."""

from __future__ import annotations

import copy
import os
import re
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from polyrhythm import _request

PREFIX = "Polyrhythm/"
ENTRY_POINT, VECTOR_ENTRY_POINT = "polyrhythm.single:Env", "polyrhythm.vector:VectorEnv"


class Registered(NamedTuple):
    """A task as Gymnasium registers it."""

    task: str  # the library's name
    max_episode_steps: int  # control steps
    reward_threshold: float | None = None


# By the id without the prefix. Written down, so that an import need not load the
# library; a test compares it with the library's own table and with Gymnasium's.
REGISTERED = {
    "Ant-v5": Registered("Ant-v5", 1000, 6000.0),
    "HalfCheetah-v5": Registered("HalfCheetah-v5", 1000, 4800.0),
    "Hopper-v5": Registered("Hopper-v5", 1000, 3800.0),
    "Humanoid-v5": Registered("Humanoid-v5", 1000),
    "HumanoidStandup-v5": Registered("HumanoidStandup-v5", 1000),
    "InvertedDoublePendulum-v5": Registered("InvertedDoublePendulum-v5", 1000, 9100.0),
    "InvertedPendulum-v5": Registered("InvertedPendulum-v5", 1000, 950.0),
    "Pusher-v5": Registered("Pusher-v5", 100, 0.0),
    "Reacher-v5": Registered("Reacher-v5", 50, -3.75),
    "Swimmer-v5": Registered("Swimmer-v5", 1000, 360.0),
    "Walker2d-v5": Registered("Walker2d-v5", 1000),
    "LunarLander-v3": Registered("LunarLander-v3", 1000, 200),
    "LunarLanderContinuous-v3": Registered("LunarLanderContinuous-v3", 1000, 200),
    "BipedalWalker-v3": Registered("BipedalWalker-v3", 1600, 300),
    "BipedalWalkerHardcore-v3": Registered("BipedalWalkerHardcore-v3", 2000, 300),
    "Quadruped-v0": Registered("quadruped", 1000),
}

# The types of Gymnasium's infos that are not float64, by task and name: it squares float32
# actions, and counts the pendulum's steps in integers. A test compares them with Gymnasium's.
INFO_TYPES: dict[str, dict[str, type[np.generic]]] = {
    **dict.fromkeys(
        ["Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Pusher-v5", "Reacher-v5", "Swimmer-v5", "Walker2d-v5"],
        {"reward_ctrl": np.float32},
    ),
    "InvertedPendulum-v5": {"reward_survive": np.int64},
}

# Keywords of Gymnasium's constructors about its own renderer, which these environments do not have.
PICTURES = ["default_camera_config", "max_geom", "visual_options"]


def resolve(name: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The library's name for a task, given that or an id, and the options that go with it.

    A model's relative path becomes an absolute one, since a world may be opened later
    and elsewhere.
    """
    name = check_name(name).removeprefix(PREFIX)
    for keyword in PICTURES:
        if keyword in options:
            known = "width, height, camera_name and camera_id"
            raise TypeError(f"{keyword} is about Gymnasium's renderer; want {known} only")
    file = options.get("xml_file")
    if isinstance(file, os.PathLike) or (isinstance(file, str) and file.startswith((".", "~"))):
        options = {**options, "xml_file": os.path.abspath(os.path.expanduser(os.fsdecode(file)))}
    return REGISTERED[name].task if name in REGISTERED else name, options


def check_name(name: Any) -> str:
    """The name of a task; TypeError where it is no text."""
    if not isinstance(name, str):
        raise TypeError(f"the task is {name!r}; want its name, such as 'HalfCheetah-v5'")
    return name


def name_of(task: str) -> str | None:
    """The id, without the prefix, of a task by the library's name; None where it is not registered."""
    return next((name for name, one in REGISTERED.items() if one.task == task), None)


def spec(task: str, arguments: dict[str, Any], **about: Any) -> EnvSpec:
    """The spec from which Gymnasium makes the same environment again, here or elsewhere.

    The id is the task's; a configuration is among the spec's keywords. A dataset is no part of it, since a second
    environment cannot record to the same folder.
    """
    given = {name: value for name, value in arguments.items() if value is not None and name != "dataset"}
    for name, value in given.items():
        if name == "config":
            given[name] = _request.config_path(value)
        elif isinstance(value, os.PathLike):
            given[name] = os.path.abspath(os.fspath(value))
        elif isinstance(value, AutoresetMode):
            given[name] = value.value
    registered = name_of(task)
    if registered is not None and isinstance(given.get("task"), str):
        made = copy.deepcopy(gymnasium.spec(PREFIX + registered))
        made.kwargs |= {"max_episode_steps": made.max_episode_steps, **given, "task": task}
        return made
    name = re.sub(r"[^\w:.-]", "_", task)
    points = {"entry_point": ENTRY_POINT, "vector_entry_point": VECTOR_ENTRY_POINT}
    return EnvSpec(PREFIX + name, kwargs=copy.deepcopy(given), **points, **about)


def register() -> None:
    """Register every id with Gymnasium, but for those that an earlier import has registered."""
    for name, about in REGISTERED.items():
        there = gymnasium.registry.get(PREFIX + name)
        if there is not None and there.entry_point == ENTRY_POINT:
            continue
        gymnasium.register(
            PREFIX + name,
            entry_point=ENTRY_POINT,
            vector_entry_point=VECTOR_ENTRY_POINT,
            max_episode_steps=about.max_episode_steps,
            reward_threshold=about.reward_threshold,
            kwargs={"task": about.task},
        )
