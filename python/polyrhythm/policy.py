"""A trained policy, as the training left it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from ctypes import byref, c_int64
from typing import Any

import numpy as np

from polyrhythm import _library, _request
from polyrhythm.vector import VectorEnv, make_vec


class Policy:
    """A policy that `train run` made. It acts with the bits of `train eval`.

    O is the number of values in an observation, or in its group "policy" where it has
    groups, A in an action. One thread at a time
    acts; others wait.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read a checkpoint, of a run's folder the latest."""
        self._library = _library.library()
        number = c_int64()
        self._library.on_death(self, "polyrhythm_policy_close", number)
        self._about = self._library.text("polyrhythm_policy_open", os.fsencode(path), byref(number))
        self._number = number.value

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a checkpoint, of a run's folder ("runs/quadruped-001") the latest."""
        return cls(path)

    @property
    def configuration(self) -> str:
        """The configuration of the training, as YAML."""
        return self._about["configuration"]

    @property
    def seed(self) -> int:
        """The seed of the training; `train eval` uses the next one."""
        return self._about["seed"]

    @property
    def num_envs(self) -> int:
        """Number of worlds of the training; `train eval` uses as many, or one for each episode."""
        return self._about["worlds"]

    @property
    def env_steps(self) -> int:
        """Environment steps that the policy was trained for."""
        return self._about["env_steps"]

    def make_vec(self, num_envs: int | None = None, **arguments: Any) -> VectorEnv:
        """Make the worlds that the policy was trained in; arguments as of `make_vec`."""
        return make_vec(None, num_envs, text=self.configuration, **arguments)

    def act(self, observations: np.ndarray | Mapping[str, np.ndarray], first: int = 0) -> np.ndarray:
        """The policy's most likely actions, within the bounds.

        Args:
            observations: (K, O) finite numbers, of the worlds first, first + 1, …; where
                they have groups, those of the group "policy", all values, or a mapping
                of the groups.
            first: the first world's number. The last bits of an action depend on it, on
                processors where those of a matrix product depend on a row's place.

        Returns:
            Actions, (K, A) float32 or, for discrete actions, (K,) int64.
        """
        about = self._about
        if isinstance(observations, Mapping):
            observations = observations["policy"]
        observations = np.asarray(observations, np.float64)
        if observations.ndim == 2 and observations.shape[1] == about["whole"]:
            observations = observations[:, about["first"] : about["first"] + about["observation"]]
        observations = np.ascontiguousarray(observations)
        if observations.ndim != 2 or observations.shape[1] != about["observation"]:
            raise ValueError(f"observations have shape {observations.shape}; want (worlds, {about['observation']})")
        if not _request.is_int(first) or not 0 <= first < 1 << 31:
            raise ValueError(f"first is {first!r}, want an integer from 0 to 2**31 - 1")
        actions = np.empty((len(observations), about["action"]), np.float32)
        self._library.call(
            "polyrhythm_policy_act",
            self._number,
            _library.pointer(observations),
            len(observations),
            first,
            _library.pointer(actions),
        )
        return actions[:, 0].astype(np.int64) if about["choices"] else actions

    def __reduce__(self) -> Any:
        raise TypeError("a policy cannot be copied or pickled: load it again")
