"""A whole training in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from polyrhythm import _library, _request
from polyrhythm._display import Display

_WAIT = 200  # ms that a call into the library lasts at most, so that Ctrl-C is seen


def train(
    task: str | None = None,
    *,
    out: str | os.PathLike[str],
    algorithm: str | None = None,
    config: str | os.PathLike[str] | None = None,
    text: str | None = None,
    seed: int | None = None,
    workers: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    resume: bool = False,
    progress: bool = True,
    on_metrics: Callable[[dict[str, float | None]], Any] | None = None,
) -> dict[str, Any]:
    """Train as `train run` does, with the same bytes in the run folder; return the report, as in run.json.

    Only the clip is not drawn. Ctrl-C stops the training as it stops `train run`: `resume` goes on.

    Args:
        task: a task's name, with the configuration that `train run --task` has; or else
        out: the run folder, new or empty, or that of the training to resume.
        algorithm: one for which the task has a configuration of its own, such as "sac", as `train run --algorithm`.
        config: the path of a configuration.
        text: a configuration's contents.
        seed: the configuration's if it is None.
        workers: threads; the configuration's, or one per processor, if it is None.
        overrides: keys of a configuration and their values; with `resume` as of `polyrhythm.parts.Learner`.
        resume: go on with the stopped training in `out`.
        progress: show how far the training is on stderr, and in the end a table on stdout.
        on_metrics: is called after each iteration with the iteration's line of metrics.csv: names and numbers, None
            where a cell is empty. The training waits for it, and ignores what it returns. What it raises stops the
            training after this iteration, with a checkpoint and the state to resume from, and is raised here.
    """
    body = _request.training(task, out, resume, config, text, seed, workers, overrides)
    if algorithm is not None:
        if task is None:
            raise TypeError(f"algorithm is {algorithm!r} without a task; want both, or the key training.algorithm")
        body["algorithm"] = algorithm
    training = _Training(body)
    display = Display(training, progress, on_metrics)
    try:
        while training.wait():
            display.update()
        display.update()  # warnings of the evaluation
        report = training.end()
    except BaseException:
        display.close()
        with suppress(_library.Error):  # the first reason counts
            training.end()
        raise
    display.close({**report, "folder": os.fsdecode(out)})
    return report


class _Training:
    """A training that goes on. It stands still after each iteration until the next `wait`."""

    def __init__(self, body: dict[str, Any]) -> None:
        self._open = _library.Open("trainer", body)
        self.metrics: dict[str, float | None] | None = None  # of the newest iteration

    def wait(self) -> bool:
        """Wait for the metrics of an iteration, not for long. False when the training is over."""
        answer, _ = self._open.ask("iteration", _WAIT)
        self.metrics = answer["metrics"] or self.metrics
        return answer["coming"] or answer["metrics"] is not None

    def status(self) -> dict[str, Any]:
        """As of `polyrhythm.parts.Learner`."""
        return self._open.ask("status")[0]

    def end(self) -> dict[str, Any]:
        """End the training, unless it is over; return its report."""
        return self._open.ask("end")[0]
