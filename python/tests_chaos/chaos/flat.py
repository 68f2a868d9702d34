"""Whether what lives on grows."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np


# s that the second half of the samples must take: memory also follows when garbage is collected
LEAST = {"memory": 600, "memory in use": 600}
LEAST_OF_OTHERS = 120


class Watched:
    """Samples of a process that lives on."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.samples: dict[str, list[tuple[float, float]]] = {}

    def sample(self, **more: float) -> None:
        status = Path(f"/proc/{self.pid}/status").read_text()
        (anonymous,) = [int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("RssAnon")]
        for name, value in {"memory": anonymous, **more}.items():
            self.samples.setdefault(name, []).append((time.monotonic(), value))

    def flat(self) -> dict[str, str]:
        """What is wrong with each of the samples' kinds, "" where it is flat; nothing of a run that was too short."""
        least = lambda name: LEAST.get(name, LEAST_OF_OTHERS)
        long = {n: v for n, v in self.samples.items() if (v[-1][0] - v[0][0]) / 2 >= least(n) and len(v) > 20}
        return {name: grows(values) for name, values in long.items()}

    def quarters(self) -> list[int]:
        """The memory at the beginning, after each quarter and at the end, MiB."""
        values = [value for _, value in self.samples.get("memory", [])]
        return [round(values[int(share * (len(values) - 1))]) for share in (0, 0.25, 0.5, 0.75, 1)] if values else []


def grows(values: list[tuple[float, float]]) -> str:
    """Why the second half of the samples is not flat: what a line through it gains is more than what is noise.

    Noise are three standard deviations of what is around the line, and 3 % of the mean.
    """
    half = np.array(values[len(values) // 2 :])
    t, v = half[:, 0] - half[0, 0], half[:, 1]
    slope, offset = np.polyfit(t, v, 1)
    noise, gain = 3 * np.std(v - slope * t - offset) + 0.03 * np.mean(v), slope * t[-1]
    return "" if gain <= noise else f"from {offset:.1f} to {offset + gain:.1f} in {t[-1]:.0f} s, noise is {noise:.1f}"
