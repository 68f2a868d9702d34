"""Observations of described tasks as mappings of their groups."""

from __future__ import annotations

from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorWrapper
from gymnasium.vector.utils import batch_space

from polyrhythm import _repr


def by_group(env: gymnasium.Env | gymnasium.vector.VectorEnv) -> gymnasium.Env | VectorWrapper:
    """The same environment with a `gymnasium.spaces.Dict` of its observation's groups, such as "policy" and "critic".

    It may have wrappers already that leave the observation as it is, such as those of `gymnasium.make`. The values are
    views of the observation's array. An observation without groups has the one group "policy".
    """
    return _Vector(env) if isinstance(env, gymnasium.vector.VectorEnv) else _Single(env)


def _parts(box: spaces.Box, groups: dict[str, slice]) -> tuple[dict[str, slice], spaces.Dict]:
    groups = groups or {"policy": slice(0, box.shape[0])}
    parts = {name: spaces.Box(box.low[at], box.high[at], dtype=box.dtype) for name, at in groups.items()}
    return groups, spaces.Dict(parts)


class _Single(gymnasium.ObservationWrapper, RecordConstructorArgs):
    def __init__(self, env: gymnasium.Env) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._groups, self.observation_space = _parts(env.observation_space, env.unwrapped.observation_groups)

    def __repr__(self) -> str:
        return _repr.line("by_group", self.env, groups=self._groups)

    __str__ = __repr__

    def observation(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        return {name: observation[at] for name, at in self._groups.items()}


class _Vector(VectorWrapper):
    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        super().__init__(env)
        groups = env.unwrapped.observation_groups
        self._groups, self.single_observation_space = _parts(env.single_observation_space, groups)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def __repr__(self) -> str:
        return _repr.line("by_group", self.env, groups=self._groups)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _of(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        return {name: observation[..., at] for name, at in self._groups.items()}

    def reset(self, **given: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        observation, infos = self.env.reset(**given)
        return self._of(observation), infos

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        observation, *rest, infos = self.env.step(actions)
        if "final_obs" in infos:  # of the worlds that ended, None for the others
            final = np.empty(self.num_envs, object)
            for i, row in enumerate(infos["final_obs"]):
                final[i] = None if row is None else self._of(row)
            infos = {**infos, "final_obs": final}
        return self._of(observation), *rest, infos
