"""Everything fails at once, and what must hold holds: trainings, rollouts, sweeps, exports and live worlds, disturbed.

python python/tests_chaos/chaos.py --minutes 60 --seed 1
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid
from argparse import Namespace
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))  # rounds
from chaos.lives import Lives
from chaos.programs import PYTHONS, RAY, Programs, wait_until
from chaos.record import Broken, Record, source
from chaos.runs import WORKLOADS, Case, Disk, References
from chaos.worlds import Steady, killed
from rounds import TRAIN, options, run

WORKLOADS["live"] = 2, killed


class Director:
    """Draws cases, and runs some at a time until the time is over."""

    def __init__(self, seed: int, programs: Programs, record: Record, end: float) -> None:
        self.seed, self.programs, self.record, self.end = seed, programs, record, end
        self.references = References(programs)
        self._draw, self._lock, self._number = source(seed, "cases"), threading.Lock(), 0

    def next(self) -> str:
        with self._lock:
            self._number += 1
            names = sorted(WORKLOADS)
            name = self._draw.choices(names, [WORKLOADS[name][0] for name in names])[0]
            return f"{name}/{self._number}"

    def one(self, name: str) -> None:
        case = Case(name, self.seed, self.programs, self.references, self.record)
        try:
            WORKLOADS[name.partition("/")[0]][1](case)
        except Exception as error:  # of what is checked, or of this program
            if not isinstance(error, Broken):
                traceback.print_exc()
            if not any(one.startswith(f"{name}: ") for one in self.record.failures):
                self.record.check(name, "it goes on", f"{type(error).__name__}: {error}")
            print(f"FAILED {name}: {error}\n  its files: {case.keep()}", file=sys.stderr)
        else:
            case.close()

    def work(self) -> None:
        while time.monotonic() < self.end:
            self.one(self.next())


def left_over(programs: Programs, shared: set[str]) -> dict[str, list[str]]:
    """What nobody may leave behind."""
    return {
        "process": programs.left(),
        "shared memory": sorted(set(os.listdir("/dev/shm")) - shared),
        "temporary file": sorted(str(path) for path in programs.temporary.iterdir()),
    }


def disturb(director: Director, arguments: Namespace) -> None:
    """Everything at once, until the end."""
    programs, record = director.programs, director.record
    if "ray" in PYTHONS:  # first, as it does not begin where it has to wait for its turn
        programs.ray.address()
    threads = [threading.Thread(target=director.work, daemon=True) for _ in range(arguments.side_by_side)]
    threads.append(Steady(arguments.seed, programs, record, director.end, arguments.clients))
    threads.append(Lives(arguments.seed, programs, record, director.end))
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def main() -> int:
    arguments = options(
        __doc__, minutes=(float(os.environ.get("CHAOS_MINUTES", "60")), "how long"),
        seed=(int(os.environ.get("CHAOS_SEED", "1")), "of all that is drawn"), side_by_side=(3, "cases at a time"),
        clients=(100, "of the live world that lives on"), only=(str, "run one case alone, such as training/17"),
        work=(str, "a new folder for what is made, which then stays"), log=(str, "copy the log of events to this file"),
    )  # fmt: skip
    work = Path(arguments.work or tempfile.mkdtemp(prefix="polyrhythm-chaos-")).absolute()
    work.mkdir(exist_ok=True, parents=True)
    record, shared = Record(work / "events.jsonl"), set(os.listdir("/dev/shm"))
    programs = Programs(work, record, uuid.uuid4().hex)
    director = Director(arguments.seed, programs, record, time.monotonic() + 60 * arguments.minutes)
    for one in (signal.SIGTERM, signal.SIGINT):  # a shell's job in the background has been begun without the latter
        signal.signal(one, signal.default_int_handler)
    try:
        if arguments.only:
            director.one(arguments.only)
        else:
            disturb(director, arguments)
        programs.close()
    except KeyboardInterrupt:
        director.end = 0
        programs.end()
        raise
    wait_until(lambda: not any(left_over(programs, shared).values()), 120)
    for kind, left in left_over(programs, shared).items():
        record.check("end", f"no {kind} is left", "; ".join(left))
    for what, why in (("small disks", Disk.refused), ("Ray", "" if "ray" in PYTHONS else f"{RAY} does not have it")):
        if why:
            record.left_out[what] = why
    if arguments.log:
        shutil.copy(work / "events.jsonl", arguments.log)
    show(arguments, record)
    if not record.failures and not arguments.work:
        shutil.rmtree(work)
    return 1 if record.failures else 0


def show(arguments: Namespace, record: Record) -> None:
    """Print what happened, as a table for docs/evidence/trust.md."""
    for line in record.failures:
        print(f"FAILED {line}")
        case = line.partition(":")[0]
        if "/" in case:
            print(f"  repeat it with --seed {arguments.seed} --only {case}")
    if arguments.json:
        print(json.dumps({"seed": arguments.seed, "events": record.events, "checks": record.checks,
                          "left_out": record.left_out, "failures": record.failures}))  # fmt: skip
        return
    version = subprocess.run([TRAIN, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    print(
        f"seed {arguments.seed}, {arguments.minutes:g} minutes, {time.strftime('%Y-%m-%d', time.gmtime())}, "
        f"version {version}, {os.cpu_count()} processors"
    )
    print(record.table())


if __name__ == "__main__":
    run(main)
