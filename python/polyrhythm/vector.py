"""Many worlds as one Gymnasium vector environment."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from ctypes import byref, c_int32, create_string_buffer
from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from polyrhythm import _library, _pictures, _registration, _repr, _request, _spaces

_MODES = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}
_MODE_OF = {name: mode for mode, name in _MODES.items()}

_Observations = np.ndarray | dict[str, np.ndarray]
_Step = tuple[_Observations, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]  # what step and recv return
_INTERRUPTIBLE_MS = 100  # how long recv waits in the library before it looks for Ctrl-C


class VectorEnv(gymnasium.vector.VectorEnv):
    """Worlds of one task, stepped together by several threads, without the interpreter lock.

    In what follows N is `num_envs`, and `single_observation_space` has the shape S.
    Observations are (N, *S), of the space's dtype, in the units of the task;
    rewards are (N,) float64, terminations and truncations (N,) bool. A control step
    is `1 / control_rate` seconds of simulated time.

    **Shared memory.** With `copy=True`, the default of `gymnasium.make_vec`, everything
    that is returned belongs to the caller. With `copy=False`, the default of
    `polyrhythm.make_vec`, the observations that `reset` and `step` return are the
    library's own memory: read-only, the same array every time, and overwritten by the next
    `reset`, `step`, `send` or `set_state`. All else that is returned, infos among it, belongs to
    the caller either way. After `close` arrays keep their last values.

    **Pictures.** With `pictures="dict"` an observation is a dict, of `single_observation_space`, in place of one
    vector. The key "policy" has the values of the observation that are in no picture, in their order, and a key of
    another group, such as "critic", those of this group. `front/rgb` is the picture of the camera `front`, (height,
    width, channels): uint8 for rgb, float32 metres for `front/depth`, int32 for `front/segmentation`, and
    float32 for `front/normals`. Those of another group than the first are `critic/front/rgb`. Such observations always
    belong to the caller.

    **Autoreset** is by any of Gymnasium's three modes. With `SAME_STEP` the infos of
    a step that ended episodes have `final_obs` and `final_info`.

    **Faults.** A world whose simulation fails (the numbers diverge, say) ends its
    episode truncated, with reward 0; `infos["fault"]` marks it and
    `infos["fault_message"]` says why. The other worlds are not concerned.

    Made by `polyrhythm.make_vec` or `gymnasium.make_vec("Polyrhythm/…")`. One thread
    may use an environment at a time. `with` closes it; `gymnasium.make_vec(envs.spec)` makes an
    equal one, without the dataset.
    """

    observation_space: gymnasium.Space
    action_space: gymnasium.Space
    single_observation_space: gymnasium.Space
    single_action_space: gymnasium.Space
    task: str  # its name
    configuration: str  # the resolved one, as YAML; `make_vec(text=…)` opens the same worlds
    control_rate: str  # control steps per second of simulated time, an exact fraction such as "200/3"
    substeps: int  # physics steps in a control step; 0 where that is no whole number
    workers: int  # threads that step worlds; their number never changes a result

    def __init__(
        self,
        task: str | None = None,
        num_envs: int | None = None,
        *,
        config: str | os.PathLike[str] | None = None,
        text: str | None = None,
        seed: int | None = None,
        autoreset_mode: AutoresetMode | str | None = None,
        max_episode_steps: int | None = None,
        workers: int | None = None,
        block_size: int | None = None,
        dataset: str | os.PathLike[str] | None = None,
        copy: bool = True,
        pictures: str | None = None,
        render_mode: str | None = None,
        width: int | None = None,
        height: int | None = None,
        camera_id: int | None = None,
        camera_name: str | None = None,
        **options: Any,
    ) -> None:
        """Open the worlds. See `polyrhythm.make_vec` for the arguments; `copy` has another default here."""
        self.closed = True  # until there is something to close
        if isinstance(task, Mapping) and not (config is None and text is None):
            task, options = None, {**options, "task": task}  # a key of the configuration
        if sum(given is not None for given in (task, config, text)) != 1:
            example = "make_vec('HalfCheetah-v5') or make_vec(config='run.yaml')"
            raise TypeError(f"want one of a task and config=, such as {example}")
        _spaces.check_pictures(pictures)
        self._view = _pictures.View(render_mode, width, height, camera_id, camera_name)
        self._by_task = task is not None
        if task is not None:
            # As a task of Gymnasium: one world, next-step, another seed every time.
            task, options = _registration.resolve(task, options)
            num_envs = 1 if num_envs is None else num_envs
            autoreset_mode = AutoresetMode.NEXT_STEP if autoreset_mode is None else autoreset_mode
        mode = None if autoreset_mode is None else _mode(autoreset_mode)
        asked = _request.request(
            task=task, options=options, config=config, text=text, num_envs=num_envs, workers=workers,
            block_size=block_size, autoreset_mode=mode, seed=seed, max_episode_steps=max_episode_steps, dataset=dataset,
        )  # fmt: skip
        self._handle = _library.Handle(asked)
        self.closed = False
        about = self._about = self._handle.description
        for name in ("task", "configuration", "control_rate", "substeps", "workers"):
            setattr(self, name, about[name])
        for warning in about["warnings"] or []:
            gymnasium.logger.warn(f"{about['task']}: {warning}")
        self._mode = _MODE_OF[about["autoreset"]]
        self.metadata = {"autoreset_mode": self._mode, **_pictures.metadata(about)}
        self.render_mode = render_mode
        self.copy = copy
        self.num_envs = about["worlds"]
        self.single_observation_space, self._layout = _spaces.observation(about, pictures)
        self.observation_groups = _spaces.groups(about)
        self.observation_pictures = _spaces.pictures(about)
        self.single_action_space = _spaces.space(about["action"])
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

        arrays = {name: self._handle.array(name, writeable=name == "action") for name in about["buffers"]}
        self._action = arrays["action"]
        self._discrete = bool(about["action"]["discrete"])
        self._action_in = self._action[:, 0] if self._discrete else self._action
        for name in ("observation", "final_observation", "reward", "terminated", "truncated", "fault"):
            setattr(self, f"_{name}", arrays[name])
        self.episode_return: np.ndarray = arrays["episode_return"]
        self.episode_length: np.ndarray = arrays["episode_length"]

        columns = _spaces.columns(about["info_names"] or [])
        # Gymnasium's types where they are not float64, which the library's memory has.
        types = _registration.INFO_TYPES.get(about["task"], {})
        self._types = {name: dtype for name, dtype in types.items() if name in columns}
        self._info_rows: np.ndarray = arrays["info"]
        self._info_columns = columns
        self._info = {name: self._info_rows[:, at] for name, at in columns.items()}
        self._final_info = {name: arrays["final_info"][:, at] for name, at in columns.items()}
        self._reset_names = set(_spaces.columns(about["reset_info_names"] or []))
        everywhere = np.ones(self.num_envs, np.bool_)
        everywhere.flags.writeable = False
        self._everywhere: dict[str, Any] = {f"_{name}": everywhere for name in columns}

        self._never_reset = np.ones(self.num_envs, np.bool_)
        self._needs_reset = True  # some world has never been reset
        self._unseeded = np.full(self.num_envs, self._by_task and seed is None)  # worlds to be given random seeds
        self._over = c_int32()  # worlds whose episode ended in the last step and has not been reset
        self._restarting = np.zeros(self.num_envs, np.bool_)  # of the worlds that were sent
        self._sent = False  # worlds may be under way; the library knows which
        # What recv has from the library and not yet returned: the worlds, and where
        # the library writes them. A Ctrl-C between the two loses none.
        self._received: list[int] = []
        self._room, self._arrived = np.empty(self.num_envs, np.int32), c_int32()
        self._out: np.ndarray | None = None  # the worlds that recv returned last
        self._steps: dict[object, None] = {}  # the calls of step that are under way; the first one has the worlds
        self._c_step, self._faults = self._handle.library.c.polyrhythm_step, c_int32()  # for step, looked up once
        self._pid = self._handle.library.pid
        self._step_results = byref(self._over), byref(self._faults)
        self._message = create_string_buffer(_library._MESSAGE)

    # What the worlds are.

    @property
    def blocks(self) -> list[np.ndarray]:
        """The worlds in groups that are always stepped by one thread together, and so sent and received."""
        ends = np.cumsum(self._about["blocks"])
        return [np.arange(end - size, end) for end, size in zip(ends, self._about["blocks"], strict=True)]

    # The Gymnasium interface.

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | np.ndarray | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[_Observations, dict[str, Any]]:
        """Begin new episodes, in all worlds or in those of a mask.

        Args:
            seed: an integer s gives world i the seed s + i; a sequence of N gives each
                its own. A world with a seed is from then on the same as a single
                environment reset with it. Without one it goes on in its sequence of
                episodes.
            options: `reset_mask`, (N,) bool: the worlds to reset; the others stay as
                they are.

        Returns:
            Observations (N, *S), and infos of the worlds that were reset.
        """
        self._check_open()
        self._check_received()
        mask = self._reset_mask(options)
        seeded, seeds = self._seeds(seed)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        reset = np.ones(self.num_envs, np.bool_) if mask is None else mask
        for i in np.flatnonzero(self._unseeded & reset & ~seeded):
            seeded[i], seeds[i] = True, secrets.randbits(63)
        # The worlds begin their first episodes when they are made.
        if mask is not None or seeded.any() or not self._never_reset.all():
            self._handle.call("polyrhythm_reset", *map(_library.pointer, (mask, seeded, seeds)))
        self._unseeded[reset] = self._never_reset[reset] = False
        self._needs_reset = bool(self._never_reset.any())
        self._count_over()
        self._out = np.arange(self.num_envs)
        infos: dict[str, Any] = {}
        self._add(infos, self._info, slice(None), {name: reset for name in self._info if name in self._reset_names})
        return self._returned(), infos

    def step(self, actions: np.ndarray) -> _Step:
        """Take one control step of every world.

        Args:
            actions: of `action_space`; (N, A) real numbers or, for discrete actions,
                (N,) integers. They must be finite. In `NEXT_STEP` mode the action of a
                world whose episode ended in the last step has no effect.

        Returns:
            Observations (N, *S), rewards (N,), terminations (N,), truncations (N,), infos.
        """
        # In place of the checks, since every call costs where all threads wait for this one.
        if self._needs_reset or self._sent or self.closed or os.getpid() != self._pid:
            self._check_step()
            self._check_received()
        # Not a lock: a Ctrl-C between taking it and `try` would leave it taken for ever.
        me = object()
        try:
            self._steps[me] = None
            if next(iter(self._steps)) is not me:
                raise _library.Error("another thread is using these worlds; give each thread its own or take turns")
            return self._step(actions)
        finally:
            self._steps.pop(me, None)

    def _step(self, actions: np.ndarray) -> _Step:
        self._copy_actions(self._action_in, actions)
        over = None
        if self._over.value:
            over = self._terminated | self._truncated
            if self._mode is AutoresetMode.DISABLED:
                raise ResetNeeded(self._advice(np.flatnonzero(over)))
        status = self._c_step(self._handle.number, *self._step_results, self._message, _library._MESSAGE)
        if status:
            _library.raise_status(status, self._message)
        if not self._over.value and over is None and not self.copy:
            rows = self._info_rows.copy()
            infos = {name: rows[:, at] for name, at in self._info_columns.items()} | self._everywhere
            for name, dtype in self._types.items():
                infos[name] = infos[name].astype(dtype)
        elif not self._info and self._mode is not AutoresetMode.SAME_STEP:
            infos = {}
        else:
            infos = self._infos(slice(None), over if self._mode is AutoresetMode.NEXT_STEP else None)
        if self._faults.value:
            self._add_faults(infos, np.arange(self.num_envs))
        observations = self._returned()
        # Copies: Gymnasium's wrappers write to their rewards, and these are short.
        return observations, self._reward.copy(), self._terminated.copy(), self._truncated.copy(), infos

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the worlds: end their episodes and finish their dataset, of which nothing stays without a step."""
        self._handle.close()

    # Worlds at their own pace.

    def send(self, actions: np.ndarray, env_id: np.ndarray | None = None) -> None:
        """Hand worlds to the threads and return at once; `recv` gives their results.

        Args:
            actions: (K, A), or (K,) integers for discrete actions, a row for each of
                env_id.
            env_id: (K,) integers: the worlds, whole groups of `blocks`; by default those
                that `recv` returned last, all of them after `reset`.

        Rows of shared arrays that belong to these worlds change until they are received.
        Worlds that are recorded step together: `step` is for them.
        """
        self._check_step()
        if env_id is None:
            env_id = self._out
            if env_id is None:
                raise _library.Error("the worlds of the last recv have been sent already: receive some, or pass env_id")
        ids = np.asarray(env_id)
        if ids.ndim != 1 or not np.issubdtype(ids.dtype, np.integer):
            raise ValueError(f"env_id has shape {ids.shape} and dtype {ids.dtype}; want a list of integers")
        if np.count_nonzero(wrong := (ids < 0) | (ids >= self.num_envs)):
            raise ValueError(f"env_id has {ids[wrong][0]}; there are the worlds 0 to {self.num_envs - 1}")
        ids = np.ascontiguousarray(ids, np.int32)
        rows = np.empty((len(ids), self._action.shape[1]), np.float32)
        self._copy_actions(rows[:, 0] if self._discrete else rows, actions)
        over = self._terminated[ids] | self._truncated[ids]
        if self._mode is AutoresetMode.DISABLED and np.count_nonzero(over):
            raise ResetNeeded(self._advice(ids[over]))
        if not len(ids):
            return
        before = self._restarting[ids]
        self._restarting[ids], self._sent = over, True
        try:
            self._handle.call("polyrhythm_send", _library.pointer(ids), len(ids), _library.pointer(rows))
        except (_library.Error, ValueError):
            self._restarting[ids] = before  # of worlds that are under way, perhaps
            raise
        self._out = None

    def recv(self, min_worlds: int | None = None) -> _Step:
        """Wait for the first worlds to finish the step they were sent for.

        Args:
            min_worlds: return as soon as this many are done, with the rest of the group
                that the last one is in; by default one.

        Returns:
            As `step`, with a row for each world that is done, in the order of finishing;
            `infos["env_id"]`, (K,) int64, says which worlds these are. The arrays are the
            caller's own.
        """
        self._check_open()
        wanted = 1 if min_worlds is None else min_worlds
        if not _request.is_int(wanted) or not 1 <= wanted <= self.num_envs:
            raise ValueError(f"min_worlds is {min_worlds!r}, want an integer from 1 to {self.num_envs}")
        while True:
            self._received, self._arrived.value = self._received + self._room[: self._arrived.value].tolist(), 0
            missing = int(wanted) - len(self._received)
            if missing <= 0:
                break
            self._handle.call(
                "polyrhythm_receive", missing, _INTERRUPTIBLE_MS, _library.pointer(self._room), byref(self._arrived)
            )
        ids = np.array(self._received)
        self._count_over()
        restarted = self._restarting[ids] if self._mode is AutoresetMode.NEXT_STEP else None
        infos = self._infos(ids, restarted)
        if np.count_nonzero(self._fault[ids]):
            self._add_faults(infos, ids)
        infos["env_id"] = ids.copy()
        observations = self._observation[ids]
        if self._layout is not None:
            observations = self._layout.split(observations, copy=True)
        result = observations, self._reward[ids], self._terminated[ids], self._truncated[ids], infos
        self._received, self._out = [], ids
        return result

    # Where the worlds stand.

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture of each world, (height, width, 3) uint8; without a render_mode None, and a warning."""
        if self.render_mode is None:
            want = "make the environment with render_mode='rgb_array'"
            gymnasium.logger.warn(f"render() without a render_mode draws nothing; {want}")
            return None
        return tuple(self._view.draw(self._handle, world) for world in range(self.num_envs))

    def begins(self) -> np.ndarray:
        """Which worlds stand at the beginning of an episode, (N,) bool: they have taken no step in it.

        In `NEXT_STEP` mode an episode that is over lasts until the next step.
        """
        self._check_received()
        return np.frombuffer(self._handle.ask("begins")[1], np.bool_).copy()

    def get_state(self) -> bytes:
        """Everything that decides the future of the worlds, as bytes to be kept or sent."""
        self._check_received()
        return self._handle.ask("state")[1]

    def set_state(self, state: bytes) -> _Observations:
        """Put all worlds back to where `get_state` found them, here or in an equal environment.

        An equal one has the same task, options, clock, number of worlds and `seed`
        argument; seeds given to `reset` are part of the state. What the worlds do
        afterwards is what they did then, bit for bit. Returns the observations, (N, *S).
        """
        self._check_received()
        if not isinstance(state, bytes):
            raise TypeError(f"the state is {type(state).__name__}; want the bytes that get_state returned")
        self._handle.ask("set_state", None, state)
        self._never_reset[:], self._needs_reset = False, False
        self._unseeded[:] = False
        self._count_over()
        self._out = np.arange(self.num_envs)
        return self._returned()

    # Details.

    def _returned(self) -> _Observations:
        """The observations of all worlds, as they are returned."""
        if self._layout is not None:
            return self._layout.split(self._observation, copy=True)
        return self._observation.copy() if self.copy else self._observation

    def __repr__(self) -> str:
        if not hasattr(self, "_handle") or not hasattr(self, "action_space"):  # it could not be opened
            return _repr.line(type(self).__name__, "not open")
        return _repr.line(
            type(self).__name__, self.task, "closed" if self.closed else "open", num_envs=self.num_envs,
            observation=self.single_observation_space, action=self.single_action_space,
        )  # fmt: skip

    def __reduce__(self) -> Any:
        raise TypeError("worlds cannot be copied or pickled: make equal ones, and give them what get_state() returns")

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("this environment is closed; make a new one")
        self._handle.library.check_process()

    def _check_step(self) -> None:
        self._check_open()
        if self._needs_reset:
            world = np.flatnonzero(self._never_reset)[0]
            raise ResetNeeded(f"world {world} has never been reset; call reset() before the first step")

    def _check_received(self) -> None:
        if not self._sent:
            return
        if worlds := self._handle.ask("pending")[0] + len(self._received) + self._arrived.value:
            raise _library.Error(f"{worlds} worlds are still being stepped: receive them first")
        self._sent = False

    def _count_over(self) -> None:
        self._over.value = int(np.count_nonzero(self._terminated | self._truncated))

    def _advice(self, worlds: np.ndarray) -> str:
        return (
            f"the episode of world {worlds[0]} is over and autoreset is disabled: "
            "call reset(options={'reset_mask': terminations | truncations}) first"
        )

    def _reset_mask(self, options: Mapping[str, Any] | None) -> np.ndarray | None:
        if options is None:
            return None
        if not isinstance(options, Mapping):
            raise TypeError(f"options is {options!r}, want None or a dict such as {{'reset_mask': mask}}")
        for name in options:
            if name != "reset_mask":
                raise ValueError(f"options has {name!r}; the only option of reset is 'reset_mask'")
        if not options:
            return None
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            found = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
            raise TypeError(f"options['reset_mask'] is {found}, want a NumPy array of dtype bool")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"options['reset_mask'] has shape {mask.shape}, want ({self.num_envs},)")
        if not mask.any():
            raise ValueError("options['reset_mask'] is False for every world; at least one must be True")
        return np.array(mask)

    def _seeds(self, seed: Any) -> tuple[np.ndarray, np.ndarray]:
        """For each world whether it has a seed, and which."""
        if isinstance(seed, np.ndarray) and seed.ndim == 0:
            seed = seed[()]
        if seed is None:
            seed = [None] * self.num_envs
        elif not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str | bytes):
            seed = [_request.check_seed(seed) + i for i in range(self.num_envs)]
        elif len(seed) != self.num_envs:
            raise ValueError(f"seed has {len(seed)} entries, want one for each of {self.num_envs} worlds")
        seeded = np.array([s is not None for s in seed], np.bool_)
        return seeded, np.array([0 if s is None else _request.check_seed(s) for s in seed], np.uint64)

    def _copy_actions(self, to: np.ndarray, actions: Any) -> None:
        """Check actions and copy them to where the library reads them."""
        actions = np.asarray(actions)
        if actions.shape != to.shape:
            raise ValueError(f"actions have shape {actions.shape}; want {to.shape}")
        # Whether values are finite, or choices that there are, the library checks.
        if self._discrete:
            if actions.dtype.kind not in "iu":
                raise TypeError(f"actions have dtype {actions.dtype}; want integers")
        elif actions.dtype.kind not in "fiu":
            raise TypeError(f"actions have dtype {actions.dtype}; want float32, or real numbers that become it")
        if actions.dtype == to.dtype or self._discrete:
            to[:] = actions
        else:
            with np.errstate(over="ignore"):
                to[:] = actions

    def _infos(self, rows: Any, restarted: np.ndarray | None) -> dict[str, Any]:
        """The infos of a step of some worlds, in Gymnasium's vector format."""
        infos: dict[str, Any] = {}
        ended = (self._terminated | self._truncated)[rows]
        began = ended if self._mode is AutoresetMode.SAME_STEP else restarted
        everywhere = np.ones(len(ended), np.bool_)
        reported = everywhere if began is None or not np.count_nonzero(began) else ~began
        if self._mode is AutoresetMode.SAME_STEP and np.count_nonzero(ended):
            objects, final = np.full(len(ended), None, object), {}
            last = self._final_observation[rows]
            for i in np.flatnonzero(ended):
                row = last[i].astype(self._observation.dtype)
                objects[i] = row if self._layout is None else self._layout.split(row, copy=True)
            infos["final_obs"], infos["_final_obs"] = objects, ended
            self._add(final, self._final_info, rows, dict.fromkeys(self._final_info, ended))
            infos["final_info"], infos["_final_info"] = final, ended.copy()
        masks = {name: everywhere if name in self._reset_names else reported for name in self._info}
        self._add(infos, self._info, rows, masks)
        return infos

    def _add_faults(self, infos: dict[str, Any], ids: np.ndarray) -> None:
        """Say of the worlds ids which of them failed in their last step, and why."""
        fault = self._fault[ids]
        messages = np.full(len(ids), None, object)
        messages[fault] = self._handle.ask("faults", ids[fault].tolist())[0]
        infos["fault"], infos["_fault"] = fault, fault.copy()
        infos["fault_message"], infos["_fault_message"] = messages, fault.copy()

    def _add(
        self, infos: dict[str, Any], values: dict[str, np.ndarray], rows: Any, masks: dict[str, np.ndarray]
    ) -> None:
        """Add values to infos where their masks say so, as copies with zeros elsewhere."""
        for name, mask in masks.items():
            if count := np.count_nonzero(mask):  # a tenth of the time of any() and all()
                array = values[name][rows].astype(self._types.get(name, np.float64))
                if count < len(mask):
                    array[~mask] = 0
                infos[name], infos[f"_{name}"] = array, mask.copy()


def _mode(given: AutoresetMode | str) -> str:
    """The library's name for an autoreset mode, given Gymnasium's mode, its value, or that name."""
    for mode, name in _MODES.items():
        if given in (mode, mode.value, name):
            return name
    raise ValueError(f"autoreset_mode is {given!r}, want one of {', '.join(str(mode) for mode in _MODES)}")


def make_vec(
    task: str | None = None, num_envs: int | None = None, *, copy: bool = False, **arguments: Any
) -> VectorEnv:
    """Make a vector environment of a task or of a configuration.

    Args:
        task: the name of a task, such as "HalfCheetah-v5", with or without
            "Polyrhythm/": the worlds that Gymnasium has under this name.
        num_envs: N, the number of worlds; 1 for a task, the configuration's for one.
        config, text: in place of a task the path of a configuration, such as
            "configs/quadruped.yaml", or its contents: any clock, sensors, noise and latency.
        dataset: folder to record to, a new or an empty one. A task by itself records at its
            control rate, a configuration as it says. `close` finishes the dataset; where no
            step was taken, it leaves none.
        seed: decides every draw of all worlds until `reset` is given others; by default
            the configuration's, while a task's worlds draw seeds at the first `reset`.
        autoreset_mode: by default NEXT_STEP for a task, the configuration's for one.
        max_episode_steps: control steps until an episode is truncated, -1 for no
            limit; by default the task's own.
        workers: threads that step worlds, by default one per processor.
        block_size: worlds stepped by one call into the engine, at most 16; by default
            chosen from num_envs. Neither number changes a result.
        render_mode: "rgb_array" for `render`, with width, height, and camera_name or camera_id as in
            Gymnasium's MuJoCo environments; by default the model's camera "track", or one that follows the robot.
        copy: return copies in place of the shared observations; see `VectorEnv`.
        pictures: "dict" for observations that are dicts, with the pictures of cameras as arrays; see `VectorEnv`.
        others: of a task, the keywords of Gymnasium's constructor
            (`frame_skip=2`); of a configuration, its keys (`max_steps=100`,
            `training={"segment": 32}`, `**{"runners.Capture.rate": 25}`).

    Raises:
        NotFound: a file is not there; it is a FileNotFoundError and a ValueError.
        ValueError: a configuration, name or value that is wrong; it says which, and for
            a name the nearest known one.
        TypeError: a value of a wrong type, a keyword about Gymnasium's renderer, or two that are the same.
        MemoryError: there is no room for the worlds; it says how much they need.
    """
    envs = VectorEnv(task, num_envs, copy=copy, **arguments)
    given = {"task": task, "num_envs": envs.num_envs, "copy": copy, "vectorization_mode": "vector_entry_point"}
    envs.spec = _registration.spec(envs.task, {**given, **arguments})
    return envs
