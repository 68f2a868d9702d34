"""Programs that run under faults, and what they may leave behind: nothing."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rounds import ROOT, TRAIN

from chaos.record import Broken, Record

MARK = "CHAOS_OF"  # a variable that all processes of a run have, with its number
NAMES = {  # of what faults.c does
    "kill": "killed before a write, rename or fsync", "tear": "killed in the middle of a write",
    "short": "write cut short", "enospc": "disk filled", "room": "disk freed", "eio": "write failed",
    "eintr": "write interrupted", "stop": "stopped and continued", "slow": "slow disk", "clock": "wall clock moved",
}  # fmt: skip
LONGEST = 1200  # s that a program, or anything else that ends by itself, may take on a busy machine


@dataclass
class Done:
    """How a program ended."""

    code: int
    out: str
    errors: str
    calls: int = 0  # by which it changed files
    faults: list[str] = field(default_factory=list)  # what was done to it

    def says(self) -> str:
        lines = (self.errors.strip() or self.out.strip() or "nothing").splitlines()
        return f"exit code {self.code}, {lines[-1][:300]}"


class Loader:
    """A process that loads exports by the libraries of their formats. Any thread may ask."""

    def __init__(self, environment: Mapping[str, str], temporary: Path) -> None:
        temporary.mkdir()  # the libraries leave files there
        self._environment, self._lock = {**environment, "TMPDIR": str(temporary)}, threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def ask(self, line: str) -> str:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                command = [sys.executable, str(ROOT / "internal/tests/peers/loads.py")]
                self._process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 env=self._environment)  # fmt: skip
            self._process.stdin.write(line + "\n")  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]
            return self._process.stdout.readline().strip()  # type: ignore[union-attr]

    def close(self) -> None:
        if self._process:
            self._process.communicate()


RAY = ROOT / "build/venv-peers"  # it is in the environment of the peers, if that has been set up
PYTHONS = {"cluster": Path(sys.executable)}  # by executor
if any(RAY.glob("lib/python*/site-packages/ray")):
    PYTHONS["ray"] = RAY / "bin/python"


class Ray:
    """A Ray cluster, begun when its address is first asked for. Any thread may ask."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._environment, self._folder, self._lock = environment, folder, threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._address = ""

    def address(self) -> str:
        """HOST:PORT; "" where Ray does not begin in three tries: it waits half a minute for its processes."""
        with self._lock:
            for _ in range(3 if self._process is None else 0):
                self._folder.mkdir()
                (self._folder / "ray").mkdir()  # Ray notes its address there
                command = [PYTHONS["ray"], "-m", "chaos.rays", self._folder]
                environment = self._environment | {"TMPDIR": str(self._folder), "RAY_OF": str(self._folder)}
                self._process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 stderr=subprocess.DEVNULL, env=environment)  # fmt: skip
                line = "no address"
                while line and not re.fullmatch(r"[\w.]+:\d+\n", line):
                    line = self._process.stdout.readline()  # type: ignore[union-attr]
                self._address = line.strip()
                if self._address:
                    break
                self.close()
            return self._address

    def close(self) -> None:
        if self._process:
            self._process.communicate()
            end(having(f"RAY_OF={self._folder}"))
            shutil.rmtree(self._folder, ignore_errors=True)


class Programs:
    """Starts programs. `work` is a folder of this run."""

    def __init__(self, work: Path, record: Record, mark: str) -> None:
        self.work, self.record, self.mark = work, record, mark
        self.tool = work / "faults"
        self.temporary = work / "tmp"
        self.temporary.mkdir()
        self.environment = {
            **os.environ,
            "POLYRHYTHM_SETTINGS": "off",
            MARK: mark,
            "TMPDIR": str(self.temporary),
            "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(work / "hf"),
            "PYTHONPATH": f"{ROOT}/python:{ROOT}/python/tests_chaos:{ROOT}/python/benchmarks",
        }
        compiler = os.environ.get("CC", "cc")
        source = Path(__file__).with_name("faults.c")
        subprocess.run([compiler, "-O2", "-o", str(self.tool), str(source)], check=True)
        self._lock, self._count = threading.Lock(), 0
        self.loader = Loader(self.environment, work / "loader")
        self.ray = Ray(self.environment, Path(f"/tmp/ray-{mark[:8]}"))  # sockets want short paths

    def close(self) -> None:
        self.loader.close()
        self.ray.close()

    def end(self) -> None:
        """End all processes of this run at once."""
        end(self.left())
        for line in Path("/proc/mounts").read_text().splitlines():
            if (at := line.split()[1]).startswith(f"{self.work}/"):
                subprocess.run(["umount", "--lazy", at], check=False)

    def number(self) -> int:
        with self._lock:
            self._count += 1
            return self._count

    def train(self, *words: object, **options: object) -> Done:
        return self.run([TRAIN, *words], **options)  # type: ignore[arg-type]

    def start(
        self,
        command: Sequence[object],
        folder: Path,
        plan: Sequence[str],
        log: Path,
        limit: int | None = None,
        **options: object,
    ) -> subprocess.Popen[str]:
        """A program under faults, which count what it does below a folder."""

        if limit is not None:  # no file may become larger, in bytes
            command = ["prlimit", f"--fsize={limit}", *command]
        words = [self.tool, "-d", folder, "-o", log, *plan, "--", *command]
        return subprocess.Popen(
            [str(word) for word in words],
            text=True,
            env=self.environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            process_group=0,
            **options,
        )  # type: ignore[call-overload]

    def run(
        self,
        command: Sequence[object],
        folder: Path | None = None,
        plan: Sequence[str] = (),
        case: str = "",
        limit: int | None = None,
        beside: Callable[[int], None] | None = None,
    ) -> Done:
        """Run a program to its end; `plan` is what faults.c shall do to it. `beside` is called with its group."""
        log = self.work / f"faults-{self.number()}"
        with (log.with_suffix(".out")).open("w+") as out, log.with_suffix(".errors").open("w+") as errors:
            process = self.start(command, folder or self.work / "none", plan, log, limit, stdout=out, stderr=errors)
            try:
                if beside:
                    beside(process.pid)
                process.wait(LONGEST)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise Broken(f"{' '.join(map(str, command))} hangs: {LONGEST} s have passed") from None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            out.seek(0), errors.seek(0)
            done = Done(process.returncode, out.read(), errors.read())
        told(log, done, self.record, case)
        for path in (log, log.with_suffix(".out"), log.with_suffix(".errors")):
            path.unlink(missing_ok=True)
        if "faults: " in done.errors:
            raise OSError(f"the kernel lets nobody watch system calls: {done.errors.strip()}")
        return done

    def left(self) -> list[str]:
        """The processes of this run that are still there."""
        return having(f"{MARK}={self.mark}")


def having(variable: str) -> list[str]:
    """The processes with a variable in their environment, each its number and its command."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if words:  # else it has ended, and waits for its parent
                    found.append(f"{process.name} {words[:200]}")
        except OSError:
            continue
    return found


def end(processes: list[str]) -> None:
    """Kill what `having` has found."""
    for line in processes:
        try:
            os.kill(int(line.split()[0]), signal.SIGKILL)
        except OSError:
            pass


def told(log: Path, done: Done, record: Record, case: str) -> None:
    """Take from the log of faults.c what was done."""
    for line in log.read_text().splitlines() if log.exists() else []:
        one = json.loads(line)
        if "what" in one:
            done.faults.append(one["what"])
            record.event(case, NAMES[one["what"]], n=one["n"], call=one["call"], file=one["file"])
        else:
            done.calls = one["calls"]


def plan(r: random.Random, calls: int, last: bool) -> list[str]:
    """What shall be done to a program that makes so many calls; in the last attempt nothing that ends it."""
    drawn = []
    at = lambda: r.randint(1, max(1, calls))
    for _ in range(r.randint(6, 30)):
        what = r.choices(["short", "eintr", "slow", "stop"], [8, 8, 2, 1])[0]
        drawn.append(f"{at()}:{what}" + (f":{r.randint(1, 60)}" if what in ("stop", "slow") else ""))
    if r.random() < 0.3:
        drawn += [f"{at()}:clock:{r.choice([-1, 1]) * 10 ** r.uniform(0, 8):.0f}" for _ in range(r.randint(1, 3))]
    if not last:
        # Half of the ends are early: what begins has the most to make.
        place = at() if r.random() < 0.6 else r.randint(1, max(1, min(calls, 40)))
        what = r.choices(["kill", "tear", "enospc", "eio"], [4, 3, 2, 1])[0]
        drawn.append(f"{place}:{what}")
        if what == "enospc" and r.random() < 0.5:
            drawn.append(f"{place + r.randint(1, 10)}:room")
    return drawn


ENDS = {"kill", "tear", "enospc", "eio"}  # after these a program may fail


def files(folder: Path, but: Sequence[str] = ()) -> dict[str, bytes]:
    """The contents of all files below a folder by their paths in it, without those of some names or beginnings."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.name in but or any(name.startswith(one) for one in but if one.endswith("/")):
            continue
        if path.is_symlink():
            found[name] = os.readlink(path).encode()
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def same(got: Mapping[str, bytes], want: Mapping[str, bytes]) -> str:
    """What differs between two results of `files`, "" if nothing does."""
    wrong = [f"{name} is missing" for name in want if name not in got]
    wrong += [f"{name} is there, want no such file" for name in got if name not in want]
    wrong += [f"{n} differs: {len(got[n])} bytes, want {len(want[n])}" for n in want if n in got and got[n] != want[n]]
    return "; ".join(wrong[:5])


def wait_until(what: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not (true := what()) and time.monotonic() < end:
        time.sleep(0.02)
    return true


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
