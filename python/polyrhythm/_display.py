"""What a training by worker processes shows, as `train run` does: a bar on a terminal, elsewhere lines, and a table."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from typing import Any

LINE_EVERY = 5.0  # seconds from one line to the next where stderr is no terminal


class Display:
    """The progress of a learner on stderr, and who gets its metrics. Without `shown` only warnings are printed."""

    def __init__(self, learner: Any, shown: bool, on_metrics: Callable[[dict[str, Any]], Any] | None) -> None:
        self._learner, self._shown, self._on_metrics = learner, shown, on_metrics
        self._begun = self._last = time.monotonic()
        self._first: int | None = None  # environment steps then
        self._iteration: float | None = None  # the newest whose metrics were passed on
        self._bar = ""  # what the terminal shows

    def update(self) -> None:
        """Show how far the training is, and pass its metrics on if an iteration is new."""
        status, metrics, now = self._learner.status(), self._learner.metrics, time.monotonic()
        for warning in status["warnings"]:
            self.say(f"warning: {warning}")
        steps, total = status["env_steps"], status["total"]
        self._first = steps if self._first is None else self._first
        if self._shown and steps > self._first:
            left = (now - self._begun) * max(0, total - steps) / (steps - self._first)
            last = "-" if status["mean_return"] is None else _tenths(status["mean_return"])
            text = f"{status['steps_per_s']:.0f} steps/s  return {last}  {_time(left)} left"
            name, share = f"training {status['task']}", min(1.0, steps / total)
            if sys.stderr.isatty():
                self._draw(f"{name} {int(100 * share):3} % [{'=' * int(30 * share):30}]  {text}")
            elif now - self._last >= LINE_EVERY:
                self._last = now
                print(f"{name} {int(100 * share):3} %  {text}", file=sys.stderr, flush=True)
        if metrics and metrics["iteration"] != self._iteration:
            self._iteration = metrics["iteration"]
            if self._on_metrics is not None:
                self._on_metrics(metrics)

    def say(self, text: str) -> None:
        """Print a line, above the bar."""
        bar, _ = self._bar, self._draw("")
        say(text)
        self._draw(bar)

    def close(self, report: dict[str, Any] | None = None) -> None:
        """Leave the bar as it is, and print the table of a training that is done."""
        if self._bar:
            print(file=sys.stderr)
            self._bar = ""
        if self._shown and report and report.get("evaluation"):
            print(_table(report), flush=True)

    def _draw(self, bar: str) -> None:
        if bar or self._bar:
            print(f"\r\x1b[K{bar}", end="", file=sys.stderr, flush=True)
        self._bar = bar


def say(text: str) -> None:
    """Print a line to stderr."""
    print(f"polyrhythm: {text}", file=sys.stderr, flush=True)


def _table(r: dict[str, Any]) -> str:
    e = r["evaluation"]
    mean, std, least, most = (_tenths(e[f"{name}_return"]) for name in ("mean", "std", "min", "max"))
    lines = [
        f"{r['task']}: {r['env_steps']} environment steps in {_time(r['wall_s'])} "
        f"({r['env_steps_per_s']:.0f} steps/s), {r['worlds']} worlds, learner of {r['workers']} threads, "
        f"{r['faults']} faults",
        *([f"  stopped by training.stop: {s['metric']} was {s['value']:.4g}, and had reached its value "
            f"{s['consecutive']} time{'s' * (s['consecutive'] > 1)} in a row"] if (s := r.get("stopped")) else []),
        f"{e['task']}, {e['episodes']} episodes (seed {e['seed']})",
        f"  return  {mean} ± {std}  ({least} to {most})",
        f"  length  {e['mean_length']:.1f} control steps",
        f"  ended   {e['truncated']} by the time limit, {e['terminated']} by the task, {e['faults']} by a fault",
        *([f"  fault   first of {e['first_fault']}"] if "first_fault" in e else []),
        *(f"  mean {name}  {value:.3f}" for name, value in sorted((e["infos"] or {}).items())),
    ]
    return "\n".join([*lines, f"all files are in {r['folder']}"])


def _tenths(value: float) -> str:
    return f"{value:.4g}" if abs(value) >= 1e15 else f"{value:.1f}"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return re.sub(r"^0h(0m)?", "", f"{minutes // 60}h{minutes % 60}m{rest}s")
