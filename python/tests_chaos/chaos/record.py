"""What happened: the events, in a log and in counts, and the checks."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any


def source(seed: int, *purpose: Any) -> random.Random:
    """A source of random numbers for a purpose, the same for the same seed."""
    return random.Random("/".join(map(str, (seed, *purpose))))


class Broken(Exception):
    """Something that must hold does not."""


class Record:
    """The events and checks of a run, each a line of JSON in a file. Any thread may call."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w")
        self._lock = threading.Lock()
        self._begin = time.monotonic()
        self.events: Counter[str] = Counter()
        self.checks: Counter[str] = Counter()
        self.failures: list[str] = []
        self.left_out: dict[str, str] = {}  # what this machine cannot do, and why

    def _write(self, **line: Any) -> None:
        self._file.write(json.dumps({"s": round(time.monotonic() - self._begin, 3), **line}) + "\n")
        self._file.flush()

    def event(self, case: str, kind: str, count: int = 1, **more: Any) -> None:
        """Something was disturbed, so often."""
        with self._lock:
            self.events[kind] += count
            self._write(case=case, event=kind, **({"count": count} if count > 1 else {}), **more)

    def note(self, case: str, **more: Any) -> None:
        """Something that is no event, to look at."""
        with self._lock:
            self._write(case=case, **more)

    def check(self, case: str, kind: str, wrong: str = "") -> None:
        """Something was checked; `wrong` says why it does not hold."""
        with self._lock:
            self.checks[kind] += 1
            if wrong:
                self.failures.append(f"{case}: {kind}: {wrong}")
                self._write(case=case, failed=kind, why=wrong)

    def table(self) -> str:
        lines = []
        for title, counts in (("events", self.events), ("checks", self.checks)):
            lines += [f"{sum(counts.values()):7,} {title}", *(f"{n:9,}  {kind}" for kind, n in sorted(counts.items()))]
        lines += [f"  not on this machine: {what}: {why}" for what, why in sorted(self.left_out.items())]
        lines.append(f"{len(self.failures):7,} failures")
        return "\n".join(lines)
