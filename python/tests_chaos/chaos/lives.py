"""What lives on: a training with evaluations and checkpoints, and Python that opens and closes vector environments."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from rounds import TRAIN

from chaos.flat import Watched
from chaos.programs import LONGEST, Programs
from chaos.record import Record
from chaos.runs import LEARNING, words

LONG = ["--task", "HalfCheetah-v5", *LEARNING, "training.steps=1e9", "recording.enabled=false",
        "training.checkpoint_every=2000", "evaluation={episodes: 2, every: 2000}", "training.segment=64"]  # fmt: skip


class Lives(threading.Thread):
    """Watches processes that nothing kills, but that are stopped and continued, until `end`."""

    def __init__(self, seed: int, programs: Programs, record: Record, end: float) -> None:
        super().__init__(daemon=True)
        self.r, self.programs, self.record, self.end = random.Random(f"{seed}/lives"), programs, record, end
        self.folder = programs.work / "lives"
        self.folder.mkdir()

    def _start(self, name: str, command: list[object]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.out").open("w") as out:
            # With an arena for each thread that allocates, glibc keeps what is free in each: the process grows until
            # all have had their turn. With one, what grows is what nobody frees.
            environment = {**self.programs.environment, "MALLOC_ARENA_MAX": "1"}
            return subprocess.Popen(
                ["nice", "-n", "10", *map(str, command)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, cwd=self.folder,
            )  # fmt: skip

    def _used(self) -> float:
        """What the newest whole line of the vector environments says; 0 until most tasks have had their turn."""
        lines = (self.folder / "vectors.out").read_text().split("\n")[:-1]
        return float(lines[-1].rpartition(" ")[2]) if len(lines) >= 40 else 0.0

    def run(self) -> None:
        train = [TRAIN, "run", "--out", self.folder / "run", *words(LONG), "--log-every", "0", "--workers", "1"]
        processes = {
            "training": self._start("training", train),
            "vector environments": self._start("vectors", [sys.executable, "-m", "chaos.vectors", self.r.random()]),
        }  # fmt: skip
        watched = {name: Watched(process.pid) for name, process in processes.items()}
        gone: dict[str, str] = {}
        while time.monotonic() < self.end and not gone:
            time.sleep(2)
            for name, one in watched.items():
                try:
                    more = {"descriptors": float(len(list(Path(f"/proc/{one.pid}/fd").iterdir())))}
                    if name == "vector environments" and (used := self._used()):
                        more["memory in use"] = used
                    one.sample(**more)
                except OSError:
                    gone[name] = f"it ended with {processes[name].wait()}"
            if self.r.random() < 0.1:
                name = self.r.choice(sorted(processes))
                os.kill(processes[name].pid, signal.SIGSTOP)
                time.sleep(self.r.uniform(0, 0.5))
                os.kill(processes[name].pid, signal.SIGCONT)
                self.record.event("lives", "stopped and continued")
        for name, one in watched.items():
            self.record.check("lives", f"{name}: lives on", gone.get(name, ""))
            for kind, wrong in one.flat().items():
                if (name, kind) != ("vector environments", "memory"):  # see vectors.py
                    self.record.check("lives", f"{name}: {kind} is flat", wrong)
            self.record.note("lives", memory=name, MiB=one.quarters())
        processes["training"].send_signal(signal.SIGINT)
        code = processes["training"].wait(LONGEST)
        self.record.check("lives", "a training ends after Ctrl-C", "" if code == 130 else f"exit code {code}")
        processes["vector environments"].kill()
        processes["vector environments"].wait()
        opened = (self.folder / "vectors.out").read_text().count("opened and closed")
        self.record.note("lives", vector_environments=opened)
