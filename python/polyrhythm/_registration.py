"""The ids that Gymnasium knows us by."""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium

from polyrhythm._request import PREFIX


class Registered(NamedTuple):
    """A task as Gymnasium registers it."""

    task: str  # the library's name
    max_episode_steps: int  # control steps
    reward_threshold: float | None = None
    options: dict[str, Any] = {}


# By the id without the prefix. Written down, so that an import need not load the
# library; a test compares it with the library's own table and with Gymnasium's.
REGISTERED = {
    "HalfCheetah-v5": Registered("HalfCheetah-v5", 1000, 4800.0),
    "Quadruped-v0": Registered("quadruped", 1000),
}


def register() -> None:
    """Register every id with Gymnasium."""
    for name, about in REGISTERED.items():
        gymnasium.register(
            PREFIX + name,
            entry_point="polyrhythm.single:Env",
            vector_entry_point="polyrhythm.vector:VectorEnv",
            max_episode_steps=about.max_episode_steps,
            reward_threshold=about.reward_threshold,
            kwargs={"task": about.task, **about.options},
        )
