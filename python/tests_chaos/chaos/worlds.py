"""Live worlds: one that lives on, among a hundred clients, and others that are killed and go on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

from polyrhythm import live
from rounds import TRAIN

from chaos.flat import Watched
from chaos.network import Proxy, garbage
from chaos.programs import LONGEST, Done, Programs, files, told, wait_until
from chaos.record import Broken, Record, source
from chaos.runs import Case

RUNNERS = "runners=[{name: Robot, rate: 10}, {name: Capture, rate: 30}, {name: Sensors, rate: 100}]"
QUADRUPED = ["--task", "quadruped", "--policy", "random", "--worlds", "2", "--channels", "gyro",
             "--set", "max_steps=300", "--set", RUNNERS]  # fmt: skip


class Server:
    """`train serve` under faults, and where it is reached."""

    def __init__(self, programs: Programs, case: str, folder: Path) -> None:
        self.programs, self.case, self.folder = programs, case, folder
        self.web = self.grpc = "127.0.0.1:0"
        self.process: subprocess.Popen[str] | None = None
        self.errors = programs.work / f"server-{programs.number()}"
        self.log = self.errors.with_suffix(".faults")

    def start(self, plan: list[str]) -> bool:
        """Begin the run, or go on with it; says whether it has come so far that it serves."""
        begin = (
            ["--resume", self.folder] if (self.folder / "live.state").exists() else ["--out", self.folder, *QUADRUPED]
        )
        self.log.unlink(missing_ok=True)
        with self.errors.open("w") as errors:
            command = [TRAIN, "serve", "--listen", self.web, "--grpc", self.grpc, *begin]
            self.process = self.programs.start(command, self.folder, plan, self.log, stdout=errors, stderr=errors)
        end = time.monotonic() + LONGEST
        while self.process.poll() is None:
            text = self.errors.read_text(errors="replace")
            web, grpc = re.search(r"serving at ws://([^/]+)", text), re.search(r"serving at grpc://(\S+)\n", text)
            if web and grpc:
                self.web, self.grpc = web[1], grpc[1]
                return True
            if time.monotonic() > end:
                raise Broken(f"a server says after {LONGEST} s: {text[-300:]}")
            time.sleep(0.02)
        return False

    def pid(self) -> int:
        """The process itself, not the one that watches its calls."""
        assert self.process is not None
        return int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0])

    def wait(self, seconds: float, interrupt: bool = False) -> Done:
        """Wait for its end. If it does not come, or at once, interrupt it as Ctrl-C does."""
        assert self.process is not None
        for how in ([] if interrupt else [None]) + [signal.SIGINT, signal.SIGKILL]:
            if how is not None:
                os.killpg(self.process.pid, how) if how == signal.SIGKILL else self.process.send_signal(how)
            try:
                self.process.wait(LONGEST if how else seconds)
                break
            except subprocess.TimeoutExpired:
                if how == signal.SIGINT:
                    told_ = self.errors.read_text(errors="replace")[-2000:]
                    os.kill(self.pid(), signal.SIGQUIT)
                    time.sleep(2)
                    raise Broken(f"a server does not end after Ctrl-C: {told_}") from None
        done = Done(self.process.returncode, "", self.errors.read_text(errors="replace"))
        told(self.log, done, self.programs.record, self.case)
        return done

    def kill(self) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def metrics(self) -> dict[str, float]:
        with urllib.request.urlopen(f"http://{self.web}/metrics", timeout=LONGEST) as answer:
            lines = answer.read().decode().splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


class Crowd:
    """Processes of clients."""

    def __init__(self, programs: Programs, case: str, folder: Path, seed: object) -> None:
        self.programs, self.case, self.folder, self.seed = programs, case, folder, seed
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self._arguments: dict[str, list[str]] = {}
        self._started = 0
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, name: str, web: str, grpc: str, number: int, few: int, garbled: bool = False) -> None:
        self._arguments[name] = [web, grpc, str(number), str(few), *(["garbled"] if garbled else [])]
        self.again(name)

    def again(self, name: str) -> None:
        self._started += 1
        seed = f"{self.seed}/{self._started}"
        command = [sys.executable, "-m", "chaos.clients", seed, str(self.folder), name, *self._arguments[name]]
        with (self.folder / f"{name}.errors").open("a") as errors:
            self.processes[name] = subprocess.Popen(command, env=self.programs.environment, stderr=errors, text=True)

    def kill(self, name: str) -> None:
        self.processes[name].kill()
        self.processes[name].wait()

    def close(self) -> None:
        for name in self.processes:
            self.kill(name)

    def events(self) -> None:
        """Count what the clients have done by themselves."""
        for path in self.folder.glob("*.events"):
            lines = path.read_text().splitlines()
            for kind in sorted(set(lines)):
                self.programs.record.event(self.case, kind, lines.count(kind))

    def check(self, check, run: Path, minimum: int) -> None:  # type: ignore[no-untyped-def]
        """What clients were told is one story, and that of the log."""
        wrong, frames = [], {}
        for path in self.folder.glob("*.wrong"):
            wrong += path.read_text().splitlines()
        for path in self.folder.glob("*.frames"):
            for line in path.read_text().splitlines():
                number, _, text = line.partition(" ")
                if len(text) == 16 and frames.setdefault(number, text) != text:
                    wrong.append(f"frame {number} differs between two processes of clients")
        if len(frames) < minimum:
            wrong.append(f"clients had {len(frames)} frames, want at least {minimum}")
        check("all clients had the same frames", "; ".join(wrong[:3]))
        logged = [
            int(n) for path in log_files(run) for n in re.findall(rb'"intent":\{"number":(\d+)', path.read_bytes())
        ]
        wrong = [] if logged == sorted(logged) else ["the intents in the log are not in the order of their numbers"]
        there = set(logged)
        for path in self.folder.glob("*.acks"):
            numbers = {int(line) for line in path.read_text().splitlines()}
            # What came less than a step before a kill is not promised: those may be at the end of each process.
            wrong += [f"intent {n} was acknowledged, and is not in the log" for n in sorted(numbers - there)
                      if logged and n < logged[-1]]  # fmt: skip
        check("acknowledged intents are in the log, in order", "; ".join(wrong[:3]))


def log_files(run: Path) -> list[Path]:
    return sorted(run.glob("run.log*"), key=lambda path: int(path.suffix[1:]) if path.suffix != ".log" else 0)


def operator(address: str, edits: list[object]) -> None:
    """Let a run go on, at its speed, and change its clock."""
    try:
        with live.connect(address, name="operator", timeout=20, patience=20) as run:
            for call in [lambda: run.pause(False), lambda: run.speed(1), *([lambda: run.edit(edits)] if edits else [])]:
                try:
                    call()
                except live.Refused:
                    pass
    except live.Lost:
        pass


def killed(case: Case) -> None:
    """A live run that is killed, or whose disk is full, goes on, and so do its clients; its log replays."""
    r, programs = case.r, case.programs
    server = Server(programs, case.name, case.folder / "run")
    crowd = Crowd(programs, case.name, case.folder / "clients", case.name)
    cycles = r.randint(2, 5)
    try:
        for cycle in range(cycles + 1):
            plan = [
                f"{r.randint(5, 150)}:{what}"
                for what in ("short", "eintr", f"slow:{r.randint(1, 300)}")
                for _ in range(2)
            ]
            plan += [f"{r.randint(5, 100)}:stop:{r.randint(1, 900)}"]
            if r.random() < 0.4:
                plan += [f"{r.randint(5, 100)}:clock:{r.choice([-1, 1]) * 10 ** r.uniform(0, 8):.0f}"]
            if cycle < cycles:
                plan += [f"{r.randint(30, 160)}:{r.choice(['kill', 'kill', 'tear', 'enospc', 'eio'])}"]
            if not server.start(plan):
                case.explained(server.wait(1))
                continue
            if not crowd.processes:
                for i in range(2):
                    crowd.start(f"c{i}", server.web, server.grpc, 4, 1)
            if cycle < cycles:
                operator(
                    server.grpc, r.choice([[], [{"set_rate": {"name": "Robot", "rate": str(r.choice([10, 12, 20]))}}]])
                )
                done = server.wait(12)
                if done.code != 130:
                    case.explained(done)
        if server.process is None or server.process.poll() is not None:
            case.check("a live run goes on", f"the last server ended: {server.errors.read_text()[-300:]}")
        operator(server.grpc, [])
        wait_until(
            lambda: all(
                (path := crowd.folder / f"{name}.frames").exists() and path.stat().st_size for name in crowd.processes
            ),
            LONGEST,
        )  # on a busy machine they begin late
        time.sleep(1)
        done = server.wait(0, interrupt=True)
        case.check("a server ends after Ctrl-C", "" if done.code == 130 else done.says())
    finally:
        crowd.close()
        if server.process is not None and server.process.poll() is None:
            server.kill()
    crowd.events()
    crowd.check(case.check, case.folder / "run", 1)
    case.replays(case.folder / "run")
    left = set(files(case.folder / "run")) - {"run.json", "config.yaml", "live.state", "live.key"}
    odd = [name for name in left if not name.startswith("run.log")]
    case.check("nothing is left in a live run's folder", f"{odd}" if odd else "")


class Steady(threading.Thread):
    """A world that lives on among a hundred clients, whose connections break, until `end`."""

    def __init__(self, seed: int, programs: Programs, record: Record, end: float, clients: int) -> None:
        super().__init__(daemon=True)
        self.case, self.r, self.programs, self.record = "steady", source(seed, "steady"), programs, record
        self.end, self.clients, self.seed = end, clients, seed
        self.folder = programs.work / "steady"
        self.folder.mkdir()
        self.minutes = (end - time.monotonic()) / 60

    def run(self) -> None:
        try:
            self._run()
        except (Broken, OSError) as error:
            self.record.check(self.case, "it goes on", f"{type(error).__name__}: {error}")

    def _plan(self) -> list[str]:
        """A disturbance each 60 calls or so, of which there are some in each step."""
        plan, at = [], 200
        while at < 3000 * self.minutes:
            what = self.r.choice(["short", "eintr", "slow", "stop", "clock"])
            argument = {"slow": self.r.randint(1, 500), "stop": self.r.randint(1, 800),
                        "clock": round(self.r.choice([-1, 1]) * 10 ** self.r.uniform(0, 8))}.get(what)  # fmt: skip
            plan.append(f"{at}:{what}" + (f":{argument}" if argument is not None else ""))
            at += self.r.randint(20, 100)
        return plan

    def _run(self) -> None:
        server = Server(self.programs, self.case, self.folder / "run")
        if not server.start(self._plan()):
            raise Broken(f"the server does not begin: {server.errors.read_text()}")
        server.metrics()  # the first has connections of its own
        before = server.metrics()
        crowd = Crowd(self.programs, self.case, self.folder / "clients", f"{self.seed}/steady")
        cutting, garbling = Proxy(server.web), Proxy(server.web)
        part = self.clients // 5
        for name, web, garbled in (("a", server.web, False), ("b", server.web, False), ("c", cutting.address, False),
                                   ("d", cutting.address, False), ("e", garbling.address, True)):  # fmt: skip
            crowd.start(name, web, server.grpc, part - 1, 1, garbled)
        watched, stopped, turn = Watched(server.pid()), {}, 0
        hostile = threading.Thread(target=self._hostile, args=(server,), daemon=True)
        hostile.start()
        try:
            while time.monotonic() < self.end:
                if server.process.poll() is not None:  # type: ignore[union-attr]
                    self.end = 0
                    raise Broken(f"the server ended: {server.wait(1).says()}")
                self._disturb(server, crowd, cutting, garbling, stopped)
                if (turn := turn + 1) % 20 == 0:
                    metrics = server.metrics()
                    watched.sample(goroutines=metrics["go_goroutines"], descriptors=metrics["process_open_fds"])
        finally:
            hostile.join()
            for process in stopped:
                process.send_signal(signal.SIGCONT)
            crowd.close()
            crowd.events()
            for proxy in (cutting, garbling):
                proxy.close()
            if sys.exc_info()[0] is not None and server.process.poll() is None:  # type: ignore[union-attr]
                server.kill()
        self._finish(server, crowd, watched, before)

    def _hostile(self, server: Server) -> None:
        """Say what no client should, until the end."""
        r = source(self.seed, "hostile")
        while time.monotonic() < self.end:
            self.record.event(self.case, garbage(r, server.web, server.grpc))
            time.sleep(r.uniform(0, 0.1))

    def _disturb(self, server: Server, crowd: Crowd, cutting: Proxy, garbling: Proxy, stopped: dict) -> None:
        """One disturbance, of a third of a second or less."""
        what = self.r.random()
        for process, until in list(stopped.items()):
            if time.monotonic() > until:
                process.send_signal(signal.SIGCONT)
                del stopped[process]
        if what < 0.85:
            proxy = self.r.choice([cutting, garbling])
            kinds = ["reset", "cut", "stall"] + (["garble"] * 3 if proxy is garbling else [])
            if kind := proxy.disturb(self.r, kinds):
                self.record.event(self.case, kind)
        elif what < 0.88:
            if stopped:
                return
            process = crowd.processes[self.r.choice(sorted(crowd.processes))]
            process.send_signal(signal.SIGSTOP)
            stopped[process] = time.monotonic() + self.r.uniform(0.5, 7)
            self.record.event(self.case, "process of clients stopped and continued")
        elif what < 0.89:
            name = self.r.choice(sorted(crowd.processes))
            stopped.pop(crowd.processes[name], None)
            crowd.kill(name)
            crowd.again(name)
            self.record.event(self.case, "process of clients killed")
        elif what < 0.93:
            edits = self.r.choice([
                [{"set_rate": {"name": "Robot", "rate": str(self.r.choice([8, 10, 12]))}}],
                [{"set_rate": {"name": "Capture", "rate": str(self.r.choice([20, 25, 30]))}}],
                [{"set_rate": {"name": "Sensors", "rate": str(self.r.choice([60, 100, 120]))}}],
                [{"set_priority": {"name": "recorder", "priority": self.r.choice([-50, 0, 50])}}],
            ])  # fmt: skip
            operator(server.grpc, edits)
            self.record.event(self.case, "clock of a live run changed")
        time.sleep(self.r.uniform(0, 0.2))

    def _finish(self, server: Server, crowd: Crowd, watched: Watched, before: dict[str, float]) -> None:
        """Nothing of the clients is left in the server; its log replays."""
        check = lambda kind, wrong="": self.record.check(self.case, kind, wrong)
        end, names = time.monotonic() + LONGEST, ("go_goroutines", "process_open_fds")
        while True:
            now = server.metrics()
            if all(now[name] <= before[name] for name in names) or time.monotonic() > end:
                break
            time.sleep(0.5)
        for name in names:
            wrong = (
                ""
                if now[name] <= before[name]
                else f"{now[name]:.0f} {name} when all are gone, {before[name]:.0f} before"
            )
            check("goroutines and descriptors of clients are gone", wrong)
        for kind, wrong in watched.flat().items():
            check(f"{kind} of a server is flat", wrong)
        self.record.note(self.case, memory="server", MiB=watched.quarters())
        (self.programs.work / "steady.json").write_text(json.dumps(watched.samples))
        done = server.wait(0, interrupt=True)
        check("a server ends after Ctrl-C", "" if done.code == 130 else done.says())
        crowd.check(check, self.folder / "run", 20)
        done = self.programs.train("replay", self.folder / "run")
        check("log replays", "" if done.code == 0 and "identical" in done.out else done.says())
