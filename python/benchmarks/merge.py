"""How fast `train merge` is, and how much memory it takes, beside reading the same bytes.

    python python/benchmarks/merge.py

records the quadruped in two slices with each compression, a row for each control and sensor
instant, and merges them with build/bin/train (or --train), in rounds as rounds.py has them.

    merge      train merge of the slices
    sha256sum  of the slices' streams: one reading of the same bytes
    cp         of the slices

A rate is of the bytes of the merged streams, by the wall clock and by the processor time of all
threads; `values` is the rate of the bytes that they have without compression. Memory is the
largest resident set of the process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rounds import ROOT, TRAIN, in_turns, medians, options, run, tell, train


def timed(command: Sequence[str | Path]) -> dict[str, float]:
    """Run a command; return its seconds, those of the processors, and its largest resident set in MiB."""
    begin = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return {"wall": seconds, "cpu": used.ru_utime + used.ru_stime, "mib": used.ru_maxrss / 1024}


def streams(folder: Path) -> list[Path]:
    return sorted(folder.rglob("data-*.arrow"))


def record(program: Path, folder: Path, seconds: float, compression: str) -> list[Path]:
    """Record the slices."""
    slices = []
    for worlds in ("0:24", "24:64"):
        slices.append(folder / f"{compression}-{worlds.partition(':')[0]}")
        keys = {"runners.Capture.rate": 500, "recording.compression": compression}
        words = ["--config", ROOT / "configs/quadruped.yaml", "--seconds", seconds, "--slice", worlds]
        train(program, "rollout", keys, *words, "--out", slices[-1])
    return slices


def measure(program: Path, slices: list[Path], out: Path, count: int) -> list[dict[str, dict[str, float]]]:
    """Run each contender once in each round, and leave what was merged."""

    def anew(command: list[str | Path]) -> dict[str, float]:
        shutil.rmtree(out, ignore_errors=True)
        if command[0] == "cp":
            out.mkdir()
        return timed(command)

    merge = [program, "merge", *slices, "--out", out]
    commands = {
        "merge": merge,
        "sha256sum": ["sha256sum", *(s for folder in slices for s in streams(folder))],
        "cp": ["cp", "-r", "--reflink=never", *slices, out],
    }
    results = in_turns({name: partial(anew, command) for name, command in commands.items()}, count)
    anew(merge)
    return results


def main() -> None:
    arguments = options(
        __doc__, train=(TRAIN, "the program"), seconds=(10.0, "of simulated time to record; 24 MB each"),
        rounds=(5, "how many"),
    )  # fmt: skip
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plain = 0
        for compression in ("none", "lz4", "zstd"):
            slices = record(arguments.train, folder, arguments.seconds, compression)
            measured = measure(arguments.train, slices, folder / "merged", arguments.rounds)
            size = sum(s.stat().st_size for s in streams(folder / "merged")) / 1e6
            plain = plain or size
            middle = medians(["wall", "cpu"], measured, lambda r, key: r["merge"][key])
            over = {
                key: medians(["sha256sum", "cp"], measured, lambda r, name, key=key: r["merge"][key] / r[name][key])
                for key in ("wall", "cpu")
            }
            results[compression] = {
                "MB": size, "MB_per_s": size / middle["wall"], "MB_per_cpu_s": size / middle["cpu"],
                "values_MB_per_s": plain / middle["wall"], "peak_MiB": max(r["merge"]["mib"] for r in measured),
                "wall_over": over["wall"], "cpu_over": over["cpu"],
            }  # fmt: skip
            for old in (*slices, folder / "merged"):
                shutil.rmtree(old)

    def show() -> None:
        seconds = f"{arguments.seconds:g} s"
        print(f"two slices of the quadruped, 500 rows a second, {seconds}; medians of {arguments.rounds} rounds")
        columns = ["MB", "MB_per_s", "MB_per_cpu_s", "values_MB_per_s", "peak_MiB"]
        print(" " * 6 + "".join(f"{name:>16}" for name in columns) + "   time over sha256sum, cp; CPU time over them")
        for name, r in results.items():
            over = "   ".join(f"{r[key]['sha256sum']:.2f} {r[key]['cp']:.2f}" for key in ("wall_over", "cpu_over"))
            print(f"{name:6}" + "".join(f"{r[key]:16.0f}" for key in columns) + f"   {over}")

    tell(arguments, results, show)


if __name__ == "__main__":
    run(main)
