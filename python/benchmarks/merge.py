"""How fast `train merge` is, and how much memory it takes, beside reading the same bytes.

    python python/benchmarks/merge.py

records the quadruped in two slices with each compression, a row for each control and sensor
instant, and merges them with build/bin/train (or --train). In every round each contender runs
once, in turning order; what counts is the median over the rounds, and the ratios are medians of
the rounds' own ratios, since a shared machine changes its speed from minute to minute.

    merge      train merge of the slices
    sha256sum  of the slices' streams: one reading of the same bytes
    cp         of the slices

A rate is of the bytes of the merged streams, by the wall clock and by the processor time of all
threads; `values` is the rate of the bytes that they have without compression. Memory is the
largest resident set of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def timed(command: Sequence[str | Path]) -> dict[str, float]:
    """Run a command; return its seconds, those of the processors, and its largest resident set in MiB."""
    begin = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return {"wall": seconds, "cpu": used.ru_utime + used.ru_stime, "mib": used.ru_maxrss / 1024}


def streams(folder: Path) -> list[Path]:
    return sorted(folder.rglob("data-*.arrow"))


def record(train: Path, folder: Path, seconds: float, compression: str) -> list[Path]:
    """Record the slices."""
    slices = []
    for worlds in ("0:24", "24:64"):
        slices.append(folder / f"{compression}-{worlds.partition(':')[0]}")
        keys = {"runners.Capture.rate": 500, "recording.compression": compression}
        subprocess.run(
            [train, "rollout", "--config", ROOT / "configs/quadruped.yaml", "--seconds", str(seconds), "--log-every", "0"]
            + ["--slice", worlds, "--out", slices[-1]] + [word for k, v in keys.items() for word in ("--set", f"{k}={v}")],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    return slices


def rounds(train: Path, slices: list[Path], out: Path, count: int) -> list[dict[str, dict[str, float]]]:
    """Run each contender once in each round."""
    commands = {
        "merge": [train, "merge", *slices, "--out", out],
        "sha256sum": ["sha256sum", *(s for folder in slices for s in streams(folder))],
        "cp": ["cp", "-r", "--reflink=never", *slices, out],
    }
    order, results = list(commands), []
    for _ in range(count):
        results.append({})
        for name in order:
            subprocess.run(["rm", "-rf", out], check=True)
            if name == "cp":
                out.mkdir()
            results[-1][name] = timed(commands[name])
        order = order[1:] + order[:1]
    subprocess.run(["rm", "-rf", out], check=True)
    subprocess.run([train, "merge", *slices, "--out", out], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return results


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--train", type=Path, default=ROOT / "build/bin/train")
    parse.add_argument("--seconds", type=float, default=10, help="of simulated time to record; 24 MB each")
    parse.add_argument("--rounds", type=int, default=5)
    parse.add_argument("--json", action="store_true", help="print one line of JSON")
    arguments = parse.parse_args()

    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plain = 0
        for compression in ("none", "lz4", "zstd"):
            slices = record(arguments.train, folder, arguments.seconds, compression)
            measured = rounds(arguments.train, slices, folder / "merged", arguments.rounds)
            size = sum(s.stat().st_size for s in streams(folder / "merged")) / 1e6
            plain = plain or size

            def middle(name: str, key: str) -> float:
                return statistics.median(r[name][key] for r in measured)

            results[compression] = {
                "MB": size,
                "MB_per_s": size / middle("merge", "wall"),
                "MB_per_cpu_s": size / middle("merge", "cpu"),
                "values_MB_per_s": plain / middle("merge", "wall"),
                "peak_MiB": max(r["merge"]["mib"] for r in measured),
                "wall_over": {n: statistics.median(r["merge"]["wall"] / r[n]["wall"] for r in measured) for n in ("sha256sum", "cp")},
                "cpu_over": {n: statistics.median(r["merge"]["cpu"] / r[n]["cpu"] for r in measured) for n in ("sha256sum", "cp")},
            }
            subprocess.run(["rm", "-rf", *slices, folder / "merged"], check=True)
    if arguments.json:
        print(json.dumps(results))
        return
    print(f"two slices of the quadruped, 500 rows a second, {arguments.seconds:g} s; medians of {arguments.rounds} rounds")
    print(f"{'':6}{'MB':>8}{'MB/s':>8}{'MB/CPU s':>10}{'values MB/s':>13}{'peak MiB':>10}   time over sha256sum, cp; CPU time over them")
    for name, r in results.items():
        over = "   ".join(f"{r[key]['sha256sum']:.2f} {r[key]['cp']:.2f}" for key in ("wall_over", "cpu_over"))
        print(f"{name:6}{r['MB']:8.0f}{r['MB_per_s']:8.0f}{r['MB_per_cpu_s']:10.0f}{r['values_MB_per_s']:13.0f}{r['peak_MiB']:10.0f}   {over}")


if __name__ == "__main__":
    main()
