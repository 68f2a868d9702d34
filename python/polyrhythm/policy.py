"""A trained policy, as the training left it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from polyrhythm import _library, _repr, _request
from polyrhythm.vector import VectorEnv, make_vec


class Policy:
    """A policy that `train run` made. It acts with the bits of `train eval`.

    O is the number of values in an observation, or in its group "policy" where it has
    groups, A in an action. One thread at a time
    acts; others wait.

    A policy with a memory, or of chunks, carries `state_size` values from one control step of a world to the
    next, zeros where an episode begins. `actor` looks after them:

        actor = policy.actor(envs)
        observations, *_ = envs.step(actor(observations))

    `close`, or `with`, frees it; a program may also leave that to Python.
    """

    path: str  # from which it was read, as given
    task: str  # its name
    configuration: str  # of the training, as YAML
    seed: int  # of the training; `train eval` uses the next one
    num_envs: int  # worlds of the training; `train eval` uses as many, or one for each episode
    env_steps: int  # environment steps that the policy was trained for
    state_size: int  # values that a policy carries from step to step, by memory or of a chunk; 0: none

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read a checkpoint, of a run's folder the latest. NotFound where there is none."""
        self.closed = False
        self._open = _library.Open("policy", None, os.fsencode(path))
        self.path, self.task = os.fsdecode(path), self._open.description["task"]
        names = ("configuration", "seed", "worlds", "env_steps", "state")
        facts = map(self._open.description.get, names)
        self.configuration, self.seed, self.num_envs, self.env_steps, self.state_size = facts

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a checkpoint, of a run's folder ("runs/quadruped-001") the latest.

        "builtin:quadruped" is one that the library has itself; `train demo --list` names them.
        """
        return cls(path)

    def new_state(self, num_envs: int) -> np.ndarray:
        """The state of worlds that begin an episode: zeros, (num_envs, state_size) float32."""
        return np.zeros((num_envs, self.state_size), np.float32)

    def actor(self, envs: VectorEnv) -> Actor:
        """What gives the actions for the observations of worlds, and carries the state."""
        return Actor(self, envs)

    def make_vec(self, num_envs: int | None = None, **arguments: Any) -> VectorEnv:
        """Make the worlds that the policy was trained in; arguments as of `make_vec`."""
        return make_vec(None, num_envs, text=self.configuration, **arguments)

    def act(
        self,
        observations: np.ndarray | Mapping[str, np.ndarray],
        first: int = 0,
        *,
        state: np.ndarray | None = None,
        begins: np.ndarray | None = None,
    ) -> np.ndarray:
        """The policy's most likely actions, within the bounds.

        Args:
            observations: (K, O) finite numbers, of the worlds first, first + 1, …; where
                they have groups, those of the group "policy", all values, or a mapping
                of the groups.
            first: the first world's number. The last bits of an action depend on it, on
                processors where those of a matrix product depend on a row's place.
            state: of a recurrent policy (K, state_size) float32, from `new_state`; it
                becomes the next state.
            begins: (K,) bool: the rows whose episode begins; their state is set to zeros
                first.

        Returns:
            Actions, (K, A) float32 or, for discrete actions, (K,) int64.
        """
        if self.closed:
            raise _library.Error("this policy is closed; load it again")
        about = self._open.description
        if isinstance(observations, Mapping):
            for name in observations:
                if "/" in name:
                    want = "want vectors, of worlds that are made without pictures='dict'"
                    raise ValueError(f"observations have the picture {name!r} beside the vector; {want}")
            observations = observations["policy"]
        observations = np.asarray(observations, np.float64)
        if observations.ndim == 2 and observations.shape[1] == about["whole"]:
            observations = observations[:, about["first"] : about["first"] + about["observation"]]
        observations = np.ascontiguousarray(observations)
        if observations.ndim != 2 or observations.shape[1] != about["observation"]:
            raise ValueError(f"observations have shape {observations.shape}; want (worlds, {about['observation']})")
        if not _request.is_int(first) or not 0 <= first < 1 << 31:
            raise ValueError(f"first is {first!r}, want an integer from 0 to 2**31 - 1")
        state = self._state(state, begins, len(observations))
        actions = np.empty((len(observations), about["action"]), np.float32)
        seen, memory, to = map(_library.pointer, (observations, state, actions))
        self._open.library.call(
            "polyrhythm_policy_act", self._open.number, seen, len(observations), first, memory, to
        )  # fmt: skip
        return actions[:, 0].astype(np.int64) if about["choices"] else actions

    def close(self) -> None:
        """Free the policy. Closing again does nothing."""
        if not self.closed:
            self.closed = True
            if os.getpid() == self._open.library.pid:
                self._open.ask("release")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _state(self, state: np.ndarray | None, begins: np.ndarray | None, rows: int) -> np.ndarray | None:
        """The state, checked, with zeros where an episode begins."""
        if not self.state_size:
            return None
        shape = (rows, self.state_size)
        if state is None:
            want = f"want {shape} float32, or let Policy.actor carry it"
            raise ValueError(f"the policy carries a state and state is None; {want}")
        if not isinstance(state, np.ndarray) or state.dtype != np.float32 or state.shape != shape:
            found = f"{state.shape} {state.dtype}" if isinstance(state, np.ndarray) else type(state).__name__
            raise ValueError(f"state is {found}; want {shape} float32")
        if not (state.flags.c_contiguous and state.flags.writeable):
            raise ValueError("state is read-only or part of another array; want one of its own")
        if begins is not None:
            begins = np.asarray(begins)
            if begins.dtype != np.bool_ or begins.shape != (rows,):
                raise ValueError(f"begins is {begins.shape} {begins.dtype}; want ({rows},) bool")
            state[begins] = 0
        return state

    def __repr__(self) -> str:
        if not hasattr(self, "state_size"):  # it could not be read
            return _repr.line(type(self).__name__, "not open")
        about = self._open.description
        return _repr.line(
            type(self).__name__, self.task, "closed" if self.closed else None, observation=about["observation"],
            action=None if about["choices"] else about["action"], choices=about["choices"] or None,
            env_steps=self.env_steps, state_size=self.state_size or None, path=self.path,
        )  # fmt: skip

    def __reduce__(self) -> Any:
        raise TypeError("a policy cannot be copied or pickled: load it again")


class Actor:
    """A policy in some worlds: called with their observations, it returns their actions.

    It carries the state of a recurrent policy from one call to the next and sets it to
    zeros where an episode begins. Call it once before each step of all the worlds.
    """

    def __init__(self, policy: Policy, envs: VectorEnv) -> None:
        """Act by policy in envs; both stay the caller's."""
        self.policy = policy
        self.envs = envs
        self.state = policy.new_state(envs.num_envs)  # with envs.get_state(), all that decides the future

    def __repr__(self) -> str:
        return _repr.line(type(self).__name__, self.policy.task, num_envs=self.envs.num_envs, path=self.policy.path)

    def __call__(self, observations: np.ndarray | Mapping[str, np.ndarray]) -> np.ndarray:
        """The policy's most likely actions for the observations of all the worlds."""
        begins = self.envs.begins() if self.policy.state_size else None
        return self.policy.act(observations, state=self.state, begins=begins)
