"""One world as a Gymnasium environment."""

from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode

from polyrhythm import _library, _pictures, _registration, _repr, _request, _spaces
from polyrhythm.vector import VectorEnv


_Observation = np.ndarray | dict[str, np.ndarray]
_WANT_ONE = "want one of a task and config=, such as make('HalfCheetah-v5') or make(config='robot.yaml')"


class Env(gymnasium.Env):
    """One world of a task, as Gymnasium has it: no autoreset, a reset before each episode.

    Observations are (S,), of `observation_space`, or with `pictures="dict"` dicts as of `VectorEnv`; rewards are
    floats. What is returned is the caller's own. The world is opened by the first `reset`, so that an
    environment that was only made may be forked, as AsyncVectorEnv does.

    Made by `polyrhythm.make` or `gymnasium.make("Polyrhythm/…")`; the latter adds
    the task's time limit as a wrapper.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        task: str | None = None,
        *,
        config: str | os.PathLike[str] | None = None,
        render_mode: str | None = None,
        width: int | None = None,
        height: int | None = None,
        camera_id: int | None = None,
        camera_name: str | None = None,
        pictures: str | None = None,
        **options: Any,
    ) -> None:
        """Look the task up, or read a configuration.

        options are the other keywords of Gymnasium's constructor, or keys of the configuration.
        """
        if (task is None) == (config is None):
            raise TypeError(_WANT_ONE)
        self.render_mode = render_mode
        self._view = {"render_mode": render_mode, "width": width, "height": height, "camera_id": camera_id,
            "camera_name": camera_name}  # fmt: skip
        _pictures.View(**self._view)
        _spaces.check_pictures(pictures)
        self._pictures = pictures
        self._task, self._options, self._config = task, options, config
        if task is not None:
            self._task, self._options = _registration.resolve(task, options)
        asked = _request.request(task=self._task, config=config, options=self._options, num_envs=1)
        about = _library.describe(asked, keep=config is None and "xml_file" not in self._options)
        self.task: str = about["task"]  # its name
        self.metadata = _pictures.metadata(about)
        self.observation_space, _ = _spaces.observation(about, pictures)
        self.observation_groups = _spaces.groups(about)
        self.observation_pictures = _spaces.pictures(about)
        self.action_space = _spaces.space(about["action"])
        self._world: VectorEnv | None = None
        self._closed = False
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observation, dict[str, Any]]:
        """Begin an episode: the first one of a seed's sequence, or the next one.

        Without a seed at the first reset, one is drawn.
        """
        self._check_open()
        if options:
            raise ValueError(f"options has {next(iter(options))!r}; these environments have none")
        super().reset(seed=seed)
        if self._world is None:
            limit = -1 if self._config is None else None  # a task's limit is a wrapper
            self._world = VectorEnv(
                self._task, 1, config=self._config, autoreset_mode=AutoresetMode.DISABLED, max_episode_steps=limit,
                copy=False, pictures=self._pictures, **self._view, **self._options,
            )  # fmt: skip
            seed = int(self.np_random.integers(1 << 62)) if seed is None else seed
        observations, infos = self._world.reset(seed=seed)
        self._running = True
        return _first(observations), self._one(infos)

    def step(self, action: Any) -> tuple[_Observation, float, bool, bool, dict[str, Any]]:
        """Take one control step under an action of `action_space`."""
        self._check_open()
        if not self._running or self._world is None:
            raise ResetNeeded("no episode is running; call reset() before the first step and after the last")
        action = np.asarray(action)
        if action.shape != self.action_space.shape:
            raise ValueError(f"the action has shape {action.shape}; want {self.action_space.shape}")
        observations, rewards, terminations, truncations, infos = self._world.step(action[None])
        terminated, truncated = bool(terminations[0]), bool(truncations[0])
        self._running = not (terminated or truncated)
        return _first(observations), float(rewards[0]), terminated, truncated, self._one(infos)

    def render(self) -> np.ndarray | None:
        """A picture of the world as it stands, (height, width, 3) uint8, with render_mode "rgb_array"."""
        self._check_open()
        if self._world is None:
            raise ResetNeeded("there is nothing to render before the first reset()")
        frames = self._world.render()
        return None if frames is None else frames[0]

    def get_state(self) -> bytes:
        """See `VectorEnv.get_state`. There must have been a reset."""
        self._check_open()
        if self._world is None:
            raise ResetNeeded("there is no state before the first reset()")
        return self._world.get_state()

    def set_state(self, state: bytes) -> _Observation:
        """See `VectorEnv.set_state`. Returns the observation."""
        if self._world is None:
            self.reset()
        self._check_open()
        assert self._world is not None
        observation = _first(self._world.set_state(state))
        self._running = not self._world._over.value
        return observation

    def close(self) -> None:
        """Close the world. Closing again does nothing."""
        if not self._closed and self._world is not None:
            self._world.close()
        self._closed = True

    def __repr__(self) -> str:
        if not hasattr(self, "_closed"):  # it could not be made
            return _repr.line(type(self).__name__, "not open")
        state = "closed" if self._closed else "open" if self._world is not None else "not reset yet"
        spaces = {"observation": self.observation_space, "action": self.action_space}
        return _repr.line(type(self).__name__, self.task, state, **spaces)

    def __str__(self) -> str:
        return f"<{self!r}>"  # as Gymnasium's wrappers want it

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A copy of an opened environment would be a second owner of its world, and close it."""
        if self._world is not None:
            raise TypeError(
                "an environment that is open cannot be copied or pickled: "
                "make an equal one, and give it what get_state() returns"
            )
        return super().__reduce_ex__(protocol)

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("this environment is closed; make a new one")

    @staticmethod
    def _one(infos: dict[str, Any]) -> dict[str, Any]:
        """The infos of the only world."""
        found = {}
        for name, values in infos.items():
            mask = infos.get(f"_{name}")
            if mask is not None and mask[0]:
                value = values[0]
                if isinstance(value, np.ndarray):
                    value = value.copy()
                elif isinstance(value, np.integer):
                    value = int(value)
                found[name] = value
        return found


def _first(observations: np.ndarray | dict[str, np.ndarray]) -> _Observation:
    """The observation of the only world, a copy."""
    if isinstance(observations, dict):
        return {name: values[0].copy() for name, values in observations.items()}
    return observations[0].copy()


def make(
    task: str | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    max_episode_steps: int | None = None,
    **options: Any,
) -> gymnasium.Env:
    """Make one world of a task, by `gymnasium.make`: with its time limit and checks.

    Args:
        task: such as "HalfCheetah-v5", with or without "Polyrhythm/".
        config: path of a configuration in place of a task, such as one of a robot of one's
            own. Its episodes end as it says.
        max_episode_steps: control steps until an episode is truncated, -1 for no limit;
            by default the task's own, or the configuration's.
        **options: the keywords of Gymnasium's constructor, or of `gymnasium.make`; for a
            configuration those of `Env` and its keys. pictures="dict" as of `make_vec`.
    """
    if config is not None:
        limit = {} if max_episode_steps is None else {"max_steps": max(max_episode_steps, 0)}
        env = Env(task, config=config, **limit, **options)
        plain = {"order_enforce": False, "disable_env_checker": True}  # no wrappers
        env.spec = _registration.spec(env.task, {"config": config, **limit, **options}, **plain)
        return env
    if task is None:
        raise TypeError(_WANT_ONE)
    name = _registration.check_name(task).removeprefix(_registration.PREFIX)
    name = _registration.name_of(name) or name  # by the library's name too, as make_vec
    return gymnasium.make(_registration.PREFIX + name, max_episode_steps=max_episode_steps, **options)
