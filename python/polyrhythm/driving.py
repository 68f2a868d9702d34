"""Worlds driven frame by frame, by the wall clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from ctypes import c_double, c_int64
from typing import Any, NamedTuple

import numpy as np

from polyrhythm import _library, _repr
from polyrhythm.vector import VectorEnv

_PRE, _STEP, _POST = 0, 1, 2  # what a frame calls back for
_VALUES = 7  # of a frame in the library


class Frame(NamedTuple):
    """What one frame did, and where the worlds then are. Times are in seconds."""

    results: list[tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]]  # what step returned, by step
    delta: float  # wall time that the frame added
    dropped: float  # wall time that was taken away: the worlds are that much later from then on
    skipped: int  # control steps that were skipped
    time: float  # simulated and skipped so far
    alpha: float  # how far the wall clock is from the newest control step towards the next, in [0, 1)
    backlog: float  # wall time that waits to be simulated
    wait: float  # until the next control step is due

    def __repr__(self) -> str:
        return _repr.line("Frame", **{**self._asdict(), "results": len(self.results)})


def drive(
    envs: VectorEnv,
    policy: Callable[[Any], np.ndarray],
    *,
    mode: str = "sim_realtime",
    fps: float = 0,
    max_elapsed: float | None = None,
    max_backlog: float | None = None,
    max_steps: int | None = None,
    budget: float | None = None,
    on_free_pre_update: Callable[[float], object] | None = None,
    on_free_post_update: Callable[[float], object] | None = None,
) -> Iterator[Frame]:
    """Drive worlds by the wall clock, a frame at each turn of the iterator, without end.

        envs.reset(seed=1)
        for frame in polyrhythm.drive(envs, policy, fps=60):
            draw(envs, frame.alpha)

    Args:
        envs: worlds that have been reset.
        policy: what gives the actions of the next control step for the observations, both
            as `envs.step` has them.
        mode: `sim_realtime` is never ahead of the wall clock and loses no step;
            `game_realtime` follows it and skips what it cannot simulate;
            `sim_high_performance` reads no clock.
        fps: frames a second; 0 for one whenever a control step is due. The iterator sleeps
            in between.
        max_elapsed, max_backlog, max_steps, budget: limits of a frame, times in seconds; by
            default those of the configuration under `time`.
        on_free_pre_update, on_free_post_update: called in every frame before and after its
            control steps with the wall time that it adds, in seconds.

    An error of a callback ends the frame and the iterator. Worlds must not be stepped or
    reset in a callback or in between, but by the iterator; they may be closed.
    """
    if not 0 <= fps < float("inf"):
        raise ValueError(f"fps is {fps!r}, want at least 0")
    settings: dict[str, Any] = {"Mode": mode}
    for name, value, unit in [
        ("max_elapsed", max_elapsed, 1e9),
        ("max_backlog", max_backlog, 1e9),
        ("budget", budget, 1e9),
        ("max_steps", max_steps, 1),
    ]:
        if value is not None:
            if value < 0 or (value == 0 and name != "budget"):
                raise ValueError(f"{name} is {value!r}, want " + ("at least 0" if name == "budget" else "more than 0"))
            settings[name.replace("_", "")] = round(value * unit)
    envs._check_step()
    number = c_int64(envs._handle.number.value)  # of the worlds; the drive's takes its place
    envs._handle.library.ask("drive", settings, None, number)
    updates = {_PRE: on_free_pre_update, _POST: on_free_post_update}
    results: list[Any] = []
    errors: list[BaseException] = []

    def back(what: int, seconds: float) -> int:
        try:
            if what == _STEP:
                results.append(envs.step(policy(envs._returned())))
            elif (update := updates[what]) is not None:
                update(seconds)
        except BaseException as error:  # it must not pass through the library
            errors.append(error)
            return 1
        return 0

    def frames() -> Iterator[Frame]:
        callback, values, due = _library.CALLBACK(back), (c_double * _VALUES)(), time.monotonic()
        try:
            while True:
                try:
                    envs._handle.library.call("polyrhythm_drive_frame", number, callback, values)
                except _library.Error:
                    if errors:
                        raise errors.pop() from None
                    raise
                delta, dropped, skipped, at, alpha, backlog, wait = values
                yield Frame(results.copy(), delta, dropped, int(skipped), at, alpha, backlog, wait)
                results.clear()
                if mode != "sim_high_performance":
                    now = time.monotonic()
                    due = max(due + 1 / fps, now) if fps else now + wait
                    time.sleep(due - now)
        finally:
            envs._handle.library.ask("release", number=number)

    return frames()
