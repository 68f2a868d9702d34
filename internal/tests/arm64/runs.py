"""Runs train for arm64, by emulation, and compares what it makes with itself and with x86_64's.

    python3 internal/tests/arm64/runs.py --emulated build/arm64/bin/train --native build/bin/train --work DIR [--short]

`cmake --workflow --preset arm64` calls it under third_party/arm64/emulate, so that programs for arm64 start like any
others. The same training must have the same bytes for any number of workers, again, and after a kill; its dataset is
recovered and exported, its log replayed. Then it is made on x86_64, and the tables that are printed say by how much
its columns differ (docs/evidence/arm64.md).
"""

from __future__ import annotations

import argparse
import array
import csv
import math
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

CONFIG = "configs/quadruped.yaml"

# Files that hold the time, the machine or the number of workers.
OF_THE_MACHINE = {"run.json", "config.yaml", "metrics.tfevents"}


def run(*command: str | Path) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def training(program: Path, out: Path, steps: int, workers: int) -> list[str | Path]:
    # The small form is of fewer worlds, so that it has several iterations and whole episodes too.
    small = ["worlds=4", "training.segment=32", "training.minibatch=64", "max_steps=40"] if steps < 20_000 else []
    sets = [f"training.steps={steps}", "evaluation.episodes=2", "recording.clip=false", *small]
    return [program, "run", "--config", CONFIG, *(a for s in sets for a in ("--set", s)), "--workers", str(workers),
        "--out", out]  # fmt: skip


def files(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*"))
        if f.is_file() and f.name not in OF_THE_MACHINE}  # fmt: skip


def want_same(what: str, got: Path, want: Path) -> None:
    a, b = files(got), files(want)
    differing = sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))
    if differing:
        sys.exit(f"{what}: {got} and {want} differ in {', '.join(differing)}; want the same bytes")
    if not any(name.endswith(".ckpt") for name in a) or not any(name.endswith(".arrow") for name in a):
        sys.exit(f"{what}: {want} has no checkpoint or no dataset: {', '.join(a)}")
    print(f"{what}: {len(a)} files, {sum(map(len, a.values()))} bytes, the same", flush=True)


def kill_and_resume(program: Path, out: Path, steps: int, undisturbed: Path) -> None:
    """Kills a training after its first iteration, recovers the dataset of a copy, and continues it."""
    process = subprocess.Popen([str(c) for c in training(program, out, steps, 2)], stdout=subprocess.DEVNULL)
    metrics = out / "metrics.csv"
    while process.poll() is None and not (metrics.exists() and metrics.read_text().count("\n") > 1):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if not (out / "resume.state").exists():
        sys.exit(f"the training in {out} ended before it could be killed; want a resume.state then")
    copy = out.with_name(out.name + "-recovered")
    shutil.copytree(out, copy)
    print("killed and recovered:", run(program, "recover", copy).strip().splitlines()[-1])
    run(program, "export", copy, "--to", "csv", "--out", copy.with_suffix(".csv"))
    run(program, "run", "--resume", out, "--workers", 3)
    want_same("killed and continued by 3 workers", out, undisturbed)


def table(path: Path) -> tuple[list[str], dict[tuple[str, str, str], list[str]]]:
    with path.open(newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        key = [names.index(name) for name in ("world", "episode", "t_ns")]
        return names, {(r[key[0]], r[key[1]], r[key[2]]): r for r in rows}


def compare_datasets(what: str, native: Path, emulated: Path) -> None:
    """Prints by how much the columns of two exported datasets differ, by the time since the episode began."""
    names, a = table(native)
    other, b = table(emulated)
    if names != other:
        sys.exit(f"{what}: columns {other} on arm64, {names} on x86_64; want the same")
    common = a.keys() & b.keys()
    if not common:
        sys.exit(f"{what}: no row of {emulated} is at the world, episode and time of one of {native}")
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        groups.setdefault(name.split("[")[0], []).append(i)
    equal, table_rows = [], []
    for column, indices in groups.items():
        same = total = 0
        worst = [0.0] * 5
        for key in common:
            t = int(key[2]) / 1e9
            place = 0 if t == 0 else 1 if t <= 0.1 else 2 if t <= 0.5 else 3 if t <= 2 else 4
            for i in indices:
                x, y = a[key][i], b[key][i]
                total += 1
                if x == y:
                    same += 1
                    continue
                number = x not in ("true", "false", "")
                worst[place] = max(worst[place], abs(float(x) - float(y)) if number else math.inf)
        if same == total:
            equal.append(column)
        else:
            cells = " | ".join(f"{w:.1e}" if w else "0" for w in worst)
            table_rows.append(f"| `{column}` | {100 * same / total:.1f} % | {cells} |")
    print(f"\n{what}: {len(a)} rows on x86_64, {len(b)} on arm64, {len(common)} at the same world, episode and time")
    print(f"all bits are the same: {', '.join(equal)}\n")
    print("| column | the same bits | differs at first by | up to 0.1 s | up to 0.5 s | up to 2 s | later |")
    print("|---|---|---|---|---|---|---|", *table_rows, sep="\n", flush=True)
    if what != "training" and (missing := {"t_ns", "n", "first", "fault", "reward_steps", "action"} - set(equal)):
        sys.exit(f"{what}: {', '.join(sorted(missing))} differ between processors; want the same bits without a policy")


def compare_functions(native: Path, emulated: Path) -> None:
    """Prints which functions have other bits, how often, and by how many units in the last place."""

    def read(path: Path) -> dict[str, array.array]:
        data, found = path.read_bytes(), {}
        while data:
            name, _, data = data.partition(b"\n")
            found[name.decode()] = array.array("d", data[:80_000])
            data = data[80_000:]
        return found

    a, b = read(native), read(emulated)
    print("| function | other bits | by at most |\n|---|---|---|")
    for name, xs in a.items():
        single = name.endswith("f") or "sgemm" in name
        differing, worst = 0, 0
        for x, y in zip(xs, b[name], strict=True):
            if x != y and not (math.isnan(x) and math.isnan(y)):
                differing += 1
                worst = max(worst, units(x, y, single))
        print(f"| {name} | {100 * differing / len(xs):.3f} % | {f'{worst} ulp' if worst else '0'} |")


def units(x: float, y: float, single: bool) -> int:
    """How many floats lie between two of one sign, or around zero."""
    form, whole = ("<f", "<i") if single else ("<d", "<q")

    def place(v: float) -> int:
        (i,) = struct.unpack(whole, struct.pack(form, v))
        return i if i >= 0 else -(i & (2 ** (31 if single else 63) - 1))

    return abs(place(x) - place(y))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--emulated", type=Path, required=True, help="train for arm64")
    parser.add_argument("--native", type=Path, required=True, help="train for this machine")
    parser.add_argument("--functions", type=Path, nargs=2, metavar="PROGRAM",
        help="functions.go built for this machine and for arm64: compares functions too")
    parser.add_argument("--work", type=Path, required=True, help="a folder, made anew")
    parser.add_argument("--short", action="store_true", help="a small training, twice, and nothing of x86_64")
    arguments = parser.parse_args()
    emulated, native, work = arguments.emulated.resolve(), arguments.native.resolve(), arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    steps = 512 if arguments.short else 20_000

    first = work / "arm64"
    for workers, out in (2, first), (3, work / "workers"), *([] if arguments.short else [(2, work / "again")]):
        run(*training(emulated, out, steps, workers))
        if out != first:
            want_same(f"trained again by {workers} workers", out, first)
    print(run(emulated, "replay", first).strip())
    if arguments.short:
        return
    kill_and_resume(emulated, work / "killed", steps, first)
    for form in "onnx", "policy":
        run(emulated, "export-policy", first, "--to", form, "--out", work / f"walk.{form}")
    for form in "parquet", "lerobot", "mcap":
        run(emulated, "export", first, "--to", form, "--out", work / form)

    run(*training(native, work / "x86_64", steps, 2))
    for name, program in ("x86_64", native), ("arm64", emulated):
        for policy in "random", "zero":
            run(program, "rollout", "--config", CONFIG, "--policy", policy, "--set", "worlds=8", "--seconds", "4",
                "--out", work / f"{name}-{policy}")  # fmt: skip
        for dataset in name, f"{name}-random", f"{name}-zero":
            run(native, "export", work / dataset, "--to", "csv", "--table", "capture", "--out", work / f"{dataset}-csv")
    for what in "-zero", "-random", "":
        compare_datasets(what.strip("-") or "training", work / f"x86_64{what}-csv/capture.csv",
            work / f"arm64{what}-csv/capture.csv")  # fmt: skip
    if arguments.functions:
        for name, program in zip(("x86_64", "arm64"), arguments.functions, strict=True):
            run(program.resolve(), work / f"functions.{name}")
        compare_functions(work / "functions.x86_64", work / "functions.arm64")


if __name__ == "__main__":
    main()
