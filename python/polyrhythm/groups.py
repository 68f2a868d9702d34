"""Observations of described tasks as mappings of their groups."""

from __future__ import annotations

from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorWrapper
from gymnasium.vector.utils import batch_space

from polyrhythm import _repr, _spaces


def by_group(env: gymnasium.Env | gymnasium.vector.VectorEnv) -> gymnasium.Env | VectorWrapper:
    """The same environment with a `gymnasium.spaces.Dict` of its observation's groups, such as "policy" and "critic".

    It may have wrappers already that leave the observation as it is, such as those of `gymnasium.make`. The values are
    views of the observation's array. An observation without groups has the one group "policy". Worlds that were made
    with `pictures="dict"` have their groups already.
    """
    if isinstance(env.observation_space, spaces.Dict):
        raise ValueError(f"the observations are {_repr.space(env.observation_space)} already, want one vector")
    return _Vector(env) if isinstance(env, gymnasium.vector.VectorEnv) else _Single(env)


class _Single(gymnasium.ObservationWrapper, RecordConstructorArgs):
    def __init__(self, env: gymnasium.Env) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._layout = _spaces.Layout(env.observation_space, env.unwrapped.observation_groups)
        self.observation_space = self._layout.space

    def __repr__(self) -> str:
        return _repr.line("by_group", self.env, groups=self._layout.values)

    __str__ = __repr__

    def observation(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        return self._layout.split(observation, copy=False)


class _Vector(VectorWrapper):
    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        super().__init__(env)
        self._layout = _spaces.Layout(env.single_observation_space, env.unwrapped.observation_groups)
        self.single_observation_space = self._layout.space
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def __repr__(self) -> str:
        return _repr.line("by_group", self.env, groups=self._layout.values)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reset(self, **given: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        observation, infos = self.env.reset(**given)
        return self._layout.split(observation, copy=False), infos

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        observation, *rest, infos = self.env.step(actions)
        if "final_obs" in infos:  # of the worlds that ended, None for the others
            final = np.empty(self.num_envs, object)
            for i, row in enumerate(infos["final_obs"]):
                final[i] = None if row is None else self._layout.split(row, copy=False)
            infos = {**infos, "final_obs": final}
        return self._layout.split(observation, copy=False), *rest, infos
