"""Our vector environments as those of Stable-Baselines3.

    from polyrhythm.sb3 import VecEnv
    model = PPO("MlpPolicy", VecEnv(polyrhythm.make_vec("HalfCheetah-v5", 64, autoreset_mode="SameStep")))

It needs `pip install 'polyrhythm[sb3]'`.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from gymnasium.vector import AutoresetMode

from polyrhythm._extras import extra
from polyrhythm.vector import VectorEnv

with extra("sb3", by="polyrhythm.sb3"):
    from stable_baselines3.common.vec_env import VecEnv as BaseVecEnv


class VecEnv(BaseVecEnv):
    """The worlds of a `VectorEnv` in mode SAME_STEP, as Stable-Baselines3 steps them.

    Observations are copies, since Stable-Baselines3 keeps the last ones over a step. An
    info of a world whose episode ended has `terminal_observation` and, where it was
    truncated and not terminated, `TimeLimit.truncated`: then the value of what would
    have followed counts. `episode` is what Monitor would say: return r, length l.
    """

    def __init__(self, env: VectorEnv) -> None:
        if env.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise ValueError(
                f"the environment has autoreset mode {env.metadata['autoreset_mode'].value}; "
                "Stable-Baselines3 wants make_vec(…, autoreset_mode='SameStep')"
            )
        self.env = env
        self._actions: np.ndarray | None = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> np.ndarray | dict[str, np.ndarray]:
        """Begin new episodes everywhere; observations (N, *S), or a dict of them."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        observations, infos = self.env.reset(seed=seeds)
        self.reset_infos = self._rows(infos)
        self._reset_seeds()
        self._reset_options()
        return observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for step_wait."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray | dict[str, np.ndarray], np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Take a control step: observations (N, *S), rewards (N,) float32, dones (N,), infos."""
        assert self._actions is not None, "step_wait without step_async"
        observations, rewards, terminations, truncations, infos = self.env.step(self._actions)
        dones = terminations | truncations
        final = infos.pop("final_obs", None)
        final_info = infos.pop("final_info", {})
        rows = self._rows(infos)
        for i in np.flatnonzero(dones):
            rows[i] = {name: values[i] for name, values in final_info.items() if not name.startswith("_")}
            rows[i]["terminal_observation"] = final[i]
            rows[i]["TimeLimit.truncated"] = bool(truncations[i] and not terminations[i])
            rows[i]["episode"] = {"r": float(self.env.episode_return[i]), "l": int(self.env.episode_length[i])}
        return observations.copy(), rewards.astype(np.float32), dones, rows

    def close(self) -> None:
        """Close the worlds. Closing again does nothing."""
        self.env.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the environment, the same for each of the worlds."""
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: the worlds are no objects of their own."""
        raise AttributeError(f"{attr_name} cannot be set: the worlds of a Polyrhythm environment have no attributes")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Refused: the worlds are no objects of their own."""
        raise AttributeError(f"{method_name} cannot be called: the worlds of a Polyrhythm environment have no methods")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """No world is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def __repr__(self) -> str:
        return f"VecEnv({self.env!r})"

    def _rows(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        """Infos by world, the names that are said of it only."""
        rows: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for name, values in infos.items():
            if not name.startswith("_"):
                for i in np.flatnonzero(infos[f"_{name}"]):
                    rows[i][name] = values[i]
        return rows
