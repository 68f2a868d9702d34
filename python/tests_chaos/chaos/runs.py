"""The workloads that write files: killed, they go on or begin again until they have what an undisturbed one has.

A case is a function of a `Case`. What it draws comes from the seed and the case's name, and where something is done to
a program is counted in its own system calls, so a case repeats: `--only NAME` runs it alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

import pyarrow.ipc
from polyrhythm import _request
from rounds import ROOT, TRAIN

from chaos.network import Index, Proxy
from chaos.programs import ENDS, PYTHONS, Done, Programs, files, plan, remove, same
from chaos.record import Broken, Record, source

# Of a run folder: with the time and the machine in them, or the number of workers.
MACHINES = ["run.json", "config.yaml", "metrics.tfevents"]
RECORDING = (
    "recording={every_world: 1, batch_rows: 40, flush_segments: 2, tables: [capture, control], compression: lz4, clip: false}"
)
LEARNING = [
    "worlds=4", "block_size=2", "max_steps=25", "training.steps=1600", "training.segment=20", "training.epochs=2",
    "training.minibatch=32", "training.hidden=[8]", "training.checkpoint_every=500",
    "evaluation={episodes: 2, every: 600}",
    "training.stagger_episodes=true", RECORDING,
]  # fmt: skip
CAMERA = (
    "sensors=[{name: front, runner: Capture, camera: {name: track, width: 12, height: 8, kinds: [rgb, depth]}}, "
    "{name: state, runner: Sensors, sources: [qpos], noise: {std: 0.1}, latency: 8ms, dropout: 0.1}]"
)
TRAININGS = {
    "ppo": ["--task", "HalfCheetah-v5"],
    "sac": ["--task", "HalfCheetah-v5", "training.algorithm=sac",
            "training.sac={segment: 5, minibatch: 16, hidden: [8], random_steps: 100, update_ratio: 0.25, "
            "replay: 600}"],
    "memory": ["--task", "LunarLander-v3", "training.recurrent=4", "training.sequence=10"],
    "camera": ["--task", "HalfCheetah-v5", CAMERA, "recording.tables=[capture, control, sensors]"],
    "quadruped": ["--task", "quadruped", "training.schedule=adaptive", "training.target_kl=0.01"],
    "sync": ["--task", "Hopper-v5", "recording.sync=batch", "recording.compression=zstd", "evaluation.every=0"],
    "box2d": ["--task", "BipedalWalker-v3", "recording.every_world=2", "recording.memory_mb=1"],
}  # fmt: skip
ROLLOUTS = {
    "cheetah": ["--task", "HalfCheetah-v5", CAMERA, "recording={tables: [capture, control, sensors], batch_rows: 30}"],
    "lander": ["--task", "LunarLander-v3", "recording={tables: [capture, control], batch_rows: 20, compression: zstd}"],
    "quadruped": ["--task", "quadruped", "recording={tables: [capture, control], batch_rows: 25, sync: batch}"],
}
FORMATS = {"cheetah": ["hf", "parquet", "csv", "mcap", "png", "minari"], "lander": ["hf", "parquet", "csv", "mcap"],
           "quadruped": ["hf", "parquet", "csv", "mcap", "lerobot"]}  # fmt: skip


def words(settings: Sequence[str], *more: str) -> list[str]:
    """Arguments of `train`: what has an = is a setting."""
    return [w for one in (*settings, *more) for w in (["--set", one] if "=" in one else [one])]


@dataclass(frozen=True)
class Reference:
    """An undisturbed run: its files, and the system calls by which it made them."""

    folder: Path
    files: dict[str, bytes]
    calls: int


class References:
    """The undisturbed runs, each made when it is first asked for."""

    def __init__(self, programs: Programs) -> None:
        self._programs, self._made, self._lock = programs, {}, threading.Lock()

    def get(self, name: str, command: Callable[[Path], list[object]], but: Sequence[str] = ()) -> Reference:
        with self._lock:
            lock = self._made.setdefault(name, [threading.Lock(), None])
        with lock[0]:
            if lock[1] is None:
                folder = self._programs.work / "undisturbed" / name
                folder.parent.mkdir(parents=True, exist_ok=True)
                done = self._programs.train(*command(folder), folder=folder.parent)
                if done.code != 0:
                    raise Broken(f"the undisturbed {name}: {done.says()}")
                lock[1] = Reference(folder, files(folder, but), done.calls)
            return lock[1]


class Disk:
    """A small file system in memory, at a folder."""

    size = 64 << 20  # bytes
    refused = ""  # why there can be none

    def __init__(self, folder: Path) -> None:
        self.folder, self._filler = folder, folder / ".filler"

    @classmethod
    def mount(cls, folder: Path) -> Disk | None:
        if cls.refused:
            return None
        command = ["mount", "-t", "tmpfs", "-o", f"size={cls.size}", "tmpfs", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            cls.refused = " ".join(done.stderr.split())
            return None
        return cls(folder)

    def fill(self, free: int) -> None:
        """Leave so many bytes."""
        there = os.statvfs(self.folder)
        with self._filler.open("wb") as f:
            os.posix_fallocate(f.fileno(), 0, max(1, there.f_bavail * there.f_bsize - free))

    def free(self) -> None:
        self._filler.unlink()

    def unmount(self) -> None:
        subprocess.run(["umount", str(self.folder)], check=True)


class Case:
    """One case: its draw, its folder, and what is shared."""

    def __init__(self, name: str, seed: int, programs: Programs, references: References, record: Record) -> None:
        self.name, self.r, self.record = name, source(seed, name), record
        self.programs, self.references = programs, references
        self.folder = programs.work / "cases" / name.replace("/", "-")
        self.folder.mkdir(parents=True)
        self.disk = Disk.mount(self.folder) if self.r.random() < 0.5 else None

    def close(self) -> None:
        """Remove what the case has made."""
        if self.disk:
            self.disk.unmount()
        shutil.rmtree(self.folder)

    def keep(self) -> Path:
        """Keep what the case has made, to look at."""
        if self.disk:
            kept = self.folder.with_name(f"{self.folder.name}-kept")
            shutil.copytree(self.folder, kept, symlinks=True)
            self.disk.unmount()
            self.folder = kept
        return self.folder

    def check(self, kind: str, wrong: str = "") -> None:
        self.record.check(self.name, kind, wrong)
        if wrong:
            raise Broken(wrong)

    def run(self, command: Sequence[object], want: Reference, last: bool) -> Done:
        """Run a program under a drawn plan, or without room. It ends well, or as what was done to it explains."""
        cramped = "" if last else self.r.choices(["", "limit", "disk"], [8, 1, 1])[0]
        drawn = plan(self.r, want.calls, last or bool(cramped))
        self.record.note(self.name, program=" ".join(map(str, command[1:4])), plan=drawn, cramped=cramped)
        limit, size = None, sum(map(len, want.files.values()))
        if cramped == "limit":
            limit = self.r.randint(100, max(map(len, want.files.values())))
            self.record.event(self.name, "files limited to a size", limit=limit)
        if cramped == "disk" and self.disk:
            self.disk.fill(free := self.r.randint(0, size))
            self.record.event(self.name, "small disk filled", free=free)
        done = self.programs.run(command, self.folder, drawn, self.name, limit)
        if cramped == "disk" and self.disk:
            self.disk.free()
            self.record.event(self.name, "small disk freed")
        self.explained(done, cramped)
        return done

    def explained(self, done: Done, also: str = "") -> None:
        ended = [one for one in done.faults if one in ENDS]
        killed = bool(ended) and ended[-1] in ("kill", "tear")
        lines = [line for line in done.errors.splitlines() if line.startswith(("train: ", "team: "))]
        if done.code == 0 or (done.code == 137 and killed):
            return
        wrong = ""
        if not ended and not also:
            wrong = f"nothing was done to it that ends it ({done.faults}): {done.says()}"
        elif done.code != 1 or len(lines) != 1 or "goroutine " in done.errors:
            wrong = (
                f"after {ended or also} it must end with exit code 1 and one line: {done.code}, {done.errors[-600:]!r}"
            )
        self.check("a failed write ends a program with one line", wrong)

    def train(self, *args: object) -> Done:
        done = self.programs.train(*args)
        if done.code != 0:
            self.check(f"train {args[0]} succeeds", f"{' '.join(map(str, args))}: {done.says()}")
        return done

    def replays(self, folder: Path) -> None:
        done = self.programs.train("replay", folder)
        self.check("log replays", "" if done.code == 0 and "identical" in done.out else done.says())

    def loads(self, dataset: Path, form: str) -> None:
        """Export a dataset, and let the library of the format read it."""
        out = self.folder / f"export-{form}-v0"
        self.train("export", dataset, "--to", form, "--out", out)
        self.reads(form, out, dataset)
        remove(out)

    def reads(self, form: str, out: Path, dataset: Path) -> None:
        answer = self.programs.loader.ask(f"{form}\t{out}\t{dataset}")
        self.check("export loads", "" if answer == "ok" else f"{form}: {answer}")

    def only(self, *names: str) -> None:
        """Nothing else is in the case's folder."""
        there = sorted(path.name for path in self.folder.iterdir())  # hidden ones, too
        self.check(
            "nothing is left beside the result", "" if there == sorted(names) else f"{there}, want {sorted(names)}"
        )


def attempts(case: Case, most: int = 4):
    """Numbers of attempts, and whether it is the last, which nothing ends."""
    n = case.r.randint(1, most)
    return ((i, i == n) for i in range(n + 1))


def resumed(case: Case, begin: Callable[[Path], list[object]], state: str, want: Reference) -> Path:
    """The folder of a command that is begun, and resumed where its file `state` is, until an attempt is done."""
    name = begin(Path())[0]
    out = case.folder / name
    for _, last in attempts(case):
        command = [name, "--resume", out, "--workers", case.r.randint(1, 3)]
        if not (out / state).exists():
            remove(out)
            command = begin(out)
        done = case.run([TRAIN, *command], want, last)
        if done.code == 0:
            break
    else:
        case.check("an undisturbed attempt completes it", done.says())
    return out


def training(case: Case) -> None:
    """Killed, out of room, stopped: a training that goes on has the bytes of one that was left alone."""
    kind = case.r.choice(sorted(TRAININGS))
    begin = lambda out: ["run", "--out", out, *words([*LEARNING, *TRAININGS[kind]], "--workers", "2")]
    want = case.references.get(f"training-{kind}/run", begin, MACHINES)
    out = resumed(case, begin, "resume.state", want)
    case.check("resumed has the bytes of undisturbed", same(files(out, MACHINES), want.files))
    if case.r.random() < 0.5:
        case.replays(out)
    if case.r.random() < 0.3:
        case.loads(out / "dataset", case.r.choice(["hf", "parquet", "csv", "mcap"]))
    case.only("run")


def acknowledged(folder: Path) -> int:
    """The rows in the whole lines of a table's journal."""
    path = folder / "data.journal"
    lines = path.read_text(errors="replace").splitlines(keepends=True) if path.exists() else []
    return sum(int(line.split()[4]) for line in lines if line.endswith("\n") and line.startswith("batch"))


def table(folder: Path) -> pyarrow.Table | None:
    parts = [pyarrow.ipc.open_stream(path.read_bytes()).read_all() for path in sorted(folder.glob("data-*.arrow"))]
    return pyarrow.concat_tables(parts) if parts else None


def whole_rollout(case: Case, kind: str) -> tuple[Reference, Callable[[Path], list[object]]]:
    sets = words(["worlds=4", "block_size=2", "max_steps=30", *ROLLOUTS[kind]], "--episodes", "16", "--workers", "2")
    begin = lambda out: ["rollout", "--out", out, *sets]
    return case.references.get(f"rollout-{kind}/walk", begin), begin


def rollout(case: Case) -> None:
    """Every row that a killed rollout has acknowledged is there after a recovery, itself killed, bit for bit."""
    kind = case.r.choice(sorted(ROLLOUTS))
    want, begin = whole_rollout(case, kind)
    out = case.folder / "walk"
    done = case.run([TRAIN, *begin(out)], want, case.r.random() < 0.05)
    tables = {name: out / name if name != "capture" else out for name in ("capture", "control", "episodes", "sensors")}
    rows = {name: acknowledged(folder) for name, folder in tables.items() if folder.exists()}
    document = out / "polyrhythm.json"
    if not document.exists() or not document.read_text().endswith("}\n"):  # killed before it had begun to record
        recovered = case.programs.train("recover", out)
        wrong = "" if recovered.code in (1, 2) and not any(rows.values()) else f"{rows} rows: {recovered.says()}"
        case.check("of what had not begun nothing is recovered", wrong)
        return
    for _, last in attempts(case, 2):
        if case.run([TRAIN, "recover", out], replace(want, calls=30), last).code == 0:
            break
    if done.code == 0:
        case.check("a rollout has the bytes of an undisturbed one", same(files(out), want.files))
    for name, n in rows.items():
        got, whole = table(tables[name]), table(want.folder / name if name != "capture" else want.folder)
        if got is not None and name == "episodes":  # after a failed write those that had not ended are there as such
            n, got = 0, got.filter(got["complete"])
        count = got.num_rows if got is not None else 0
        wrong = "" if count >= n else f"{name}: {n} rows were acknowledged, {count} are there"
        if not wrong and count and not got.equals(whole.slice(0, count)):
            wrong = f"{name}: its {count} rows are not the first of an undisturbed run"
        case.check("acknowledged rows are there, bit for bit", wrong)
    if case.r.random() < 0.4:
        case.loads(out, case.r.choice([one for one in FORMATS[kind] if one not in ("minari", "lerobot")]))
    case.only("walk")


def merge(case: Case) -> None:
    """Slices of a rollout that were lost and made again, merged by a merge that was killed, are the whole."""
    kind = case.r.choice(sorted(ROLLOUTS))
    want, begin = whole_rollout(case, kind)
    slices = [case.folder / f"slice-{i}" for i in range(2)]
    half = replace(want, calls=want.calls // 2)
    for i, out in enumerate(slices):
        for _, last in attempts(case, 2):
            remove(out)
            if case.run([TRAIN, *begin(out), "--slice", f"{2 * i}:{2 * i + 2}"], half, last).code == 0:
                break
    out, order = case.folder / "walk", case.r.sample(slices, 2)
    but = ["run.log"]  # segments of slices end elsewhere
    for _, last in attempts(case):
        done = case.run([TRAIN, "merge", *order, "--out", out], want, last)
        if done.code == 0:
            break
        whole = same(files(out, but), files(want.folder, but)) if out.exists() else ""
        case.check("a merge is there whole or not at all", whole and f"after {done.faults}: {whole}")
        if out.exists():  # only its name was still to be forced to the disk
            break
    case.check("merged slices have the bytes of the whole", same(files(out, but), files(want.folder, but)))
    for one in slices:
        remove(one)
    case.only("walk")


def sweep(case: Case) -> None:
    """A sweep that is killed and resumed has the table and the trials of one that was left alone."""
    sets = words(["--task", "HalfCheetah-v5", "worlds=2", "max_steps=20", "evaluation.episodes=2",
                  "recording.enabled=false",
                  "training={steps: 320, segment: 16, epochs: 2, hidden: [4], tensorboard: false}"],
                 "--over", "training.learning_rate", "--trials", "4", "--workers", "2")  # fmt: skip
    sets[sets.index("--over") + 1] += "=log:1e-4..1e-2"
    begin = lambda out: ["sweep", "--out", out, *sets]
    but = [*MACHINES, "resume.state"]
    want = case.references.get("sweep/sweep", begin, but)
    out = resumed(case, begin, "sweep.yaml", want)
    case.check("a resumed sweep has the bytes of an undisturbed one", same(files(out, but), want.files))
    case.only("sweep")


def export(case: Case) -> None:
    """An export that is killed leaves nothing or all; one that is not has the bytes of an undisturbed one, and loads."""
    kind = case.r.choice(sorted(ROLLOUTS))
    form = case.r.choice(FORMATS[kind])
    source_of, _ = whole_rollout(case, kind)
    begin = lambda out: ["export", source_of.folder, "--to", form, "--out", out]
    want = case.references.get(f"export-{kind}-{form}/{form}-v0", begin)
    out = case.folder / f"{form}-v0"
    for _, last in attempts(case):
        done = case.run([TRAIN, *begin(out)], want, last)
        if done.code == 0:
            break
        whole = same(files(out), want.files) if out.exists() else ""
        case.check("an export is there whole or not at all", whole and f"after {done.faults}: {whole}")
        if out.exists():  # only its name was still to be forced to the disk
            break
    case.check("an export has the bytes of an undisturbed one", same(files(out), want.files))
    if case.r.random() < 0.3:
        case.reads(form, out, source_of.folder)
    case.only(out.name)


def team(case: Case) -> None:
    """Worker processes that are killed, under a caller that is killed, give the bytes of one process."""
    executor, what = case.r.choice(sorted(PYTHONS)), case.r.choice(["train", "memory", "rollout"])
    if executor == "ray" and not (address := case.programs.ray.address()):
        case.record.left_out["Ray"] = "it does not begin, which takes too long on a busy machine"
        executor = "cluster"
    command, train = ("rollout", "rollout") if what == "rollout" else ("train", "run")
    if command == "train":
        keys, more = TEAM | {"recording": {"clip": False, "batch_rows": 64}}, []
        if what == "memory":  # whose states go on with the rollouts of other workers
            keys["training"] = TEAM["training"] | {"recurrent": 4, "sequence": 8}
    else:
        keys, more = {key: TEAM[key] for key in ("worlds", "block_size", "max_steps")}, ["--episodes", "40"]
    config = ROOT / "configs/halfcheetah.yaml"
    begin = lambda out: [train, "--out", out, "--config", config, "--seed", "3",
                         "--log-every", "0", *more, *words(list(_request.lines(keys)))]  # fmt: skip
    but = [*MACHINES, "run.log"]
    want = case.references.get(f"team-{what}/run", begin, but)
    out = case.folder / "run"
    for _, last in attempts(case, 2):
        asked = {"what": command, "executor": executor, "out": str(out), "config": str(config),
                 "slices": [(0, 4), (4, 6)], "moments": sorted(case.r.sample(range(1, 11), case.r.randint(0, 4))),
                 "overrides": keys, "seed": 3}  # fmt: skip
        if executor == "ray":
            asked["address"] = address
        if what == "rollout":
            asked["episodes"] = 40
        elif (out / "resume.state").exists():
            asked |= {"resume": True}
            del asked["config"], asked["overrides"], asked["seed"]
        else:
            remove(out), remove(case.folder / ".run.slices")
        if what == "rollout":
            remove(out)
        done = case.run([PYTHONS[executor], "-m", "chaos.team", json.dumps(asked)], want, last)
        for line in done.out.splitlines():
            if line.startswith("{") and (killed := json.loads(line)["killed"]):
                case.record.event(case.name, f"worker of {executor} killed", killed)
        if done.code == 0:
            break
    got = files(out, but)
    for name in got.keys() - want.files.keys():
        if fnmatch(name, "checkpoint-*.ckpt"):  # of an attempt whose workers failed, so that it was interrupted
            del got[name]
    case.check(f"workers of {executor} give the bytes of one process", same(got, want.files))
    case.only("run")


TEAM = {  # of three rollouts that learn
    "worlds": 6, "block_size": 2, "max_steps": 20, "evaluation": {"episodes": 2},
    "training": {"steps": 384, "segment": 16, "minibatch": 32, "epochs": 2, "hidden": [8], "tensorboard": False},
}  # fmt: skip


def download(case: Case) -> None:
    """The set-up fetches a wheel through a connection that breaks: it is there whole, or not at all."""
    index, out = Index(case.r), case.folder / "thing"
    proxy = Proxy(index.address)
    pin = case.folder / "thing.txt"
    pin.write_text(f"thing==1.0.0 --hash=sha256:{index.digest}\n")
    script = case.folder / "fetch.cmake"
    script.write_text(f"cmake_minimum_required(VERSION 3.25)\nset(PYTHON3 {sys.executable})\n"
                      f"include({ROOT}/third_party/download.cmake)\n"
                      f"polyrhythm_fetch_wheel(thing {pin} {out} *)\n")  # fmt: skip
    environment = {**case.programs.environment, "PIP_INDEX_URL": f"http://{proxy.address}/simple",
                   "PIP_NO_CACHE_DIR": "1",
                   "PIP_EXTRA_INDEX_URL": "", "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0"}  # fmt: skip
    for _, last in attempts(case, 2):
        index.hold()
        process = subprocess.Popen(["cmake", "-P", str(script)], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)  # fmt: skip
        index.wait()  # half of the wheel has been sent
        if not last:
            kind = proxy.disturb(case.r, ["reset", "cut", "garble"])
            if kind:
                case.record.event(case.name, f"download: {kind}")
        index.go_on()
        said = process.communicate()[0]
        if process.returncode == 0:
            break
        case.check("a download is there whole or not at all", f"there is {out}" if out.exists() else "")
    wrong = "" if process.returncode == 0 and (out / "thing/data").read_bytes() == index.data else said[-300:]
    case.check("a download that broke off is repeated", wrong)
    proxy.close()
    index.close()
    case.only("thing", "thing.txt", "fetch.cmake")


WORKLOADS: dict[str, tuple[float, Callable[[Case], None]]] = {  # and how often each is drawn
    "training": (4, training), "rollout": (4, rollout), "merge": (2, merge), "sweep": (1, sweep), "export": (3, export),
    "team": (2, team), "download": (0.5, download),
}  # fmt: skip
