"""How long PPO and SAC take until a part of the return that others publish for PPO.

    python3 python/benchmarks/returns.py                     # all tasks, three seeds each
    python3 python/benchmarks/returns.py --only hopper-sac   # one task and algorithm

Each run is `train run --workers 1` with a preset of configs/ or configs/sac/, one after the other, with seeds that no
tuning saw. It ends when all of the return is reached, at the end of the preset, or after --minutes. What counts is the
mean return of the newest episodes of the training itself, at least EPISODES of them, whose actions are drawn. Time is
that of processors, which other programs hardly change: a line of metrics.csv gets what the run has taken when the line
is there. What is measured is kept in --out, so the script can be stopped and started again. The table has the median of
the seeds, in which a run that did not get there counts as infinitely long.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
from collections import deque
from pathlib import Path

from rounds import ROOT, TRAIN, options, run, tell

sys.path.append(str(ROOT / "python" / "examples"))
from log_training import follow

FIRST = 301  # the first seed; no tuning saw this one or those after it
PARTS = (0.5, 0.8, 1.0)  # of the published return
EPISODES = 20  # whose mean return counts
PUBLISHED = {"halfcheetah": 5784, "hopper": 3392, "walker2d": 3589, "humanoid": 6060}  # sources: docs/evidence/results.md
ALGORITHMS = {"ppo": "", "sac": "sac/"}  # folders of their presets


def processor_seconds(pid: int, before: float) -> float:
    """The seconds of all processors that a process has taken, or those before where it has ended."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    except FileNotFoundError:
        return before
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def measure(program: Path, preset: Path, seed: int, wanted: float, minutes: float, out: Path) -> dict:
    """Train until the return is there; for each part the steps and seconds until it was, or null."""
    words = [program, "run", "--config", preset, "--seed", seed, "--out", out, "--log-every", 0, "--workers", 1]
    words += ["--set", "recording={enabled: false, clip: false}", "--set", "evaluation.episodes=1"]
    with open(out.with_suffix(".log"), "w") as log:
        training = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log)
    newest: deque[tuple[int, float]] = deque()  # numbers of episodes, and their mean return
    reached: dict[str, list[float] | None] = {str(part): None for part in PARTS}
    best, steps, seconds = -math.inf, 0, 0.0
    try:
        for row in follow(out, lambda: training.poll() is None):
            steps, seconds = int(row["env_steps"]), processor_seconds(training.pid, seconds)
            if "mean_return" in row:
                newest.append((int(row["episodes"]), row["mean_return"]))
            while newest and sum(n for n, _ in newest) - newest[0][0] >= EPISODES:
                newest.popleft()
            count = sum(n for n, _ in newest)
            if count >= EPISODES:
                mean = sum(n * value for n, value in newest) / count
                best = max(best, mean)
                for part in PARTS:
                    if reached[str(part)] is None and mean >= part * wanted:
                        reached[str(part)] = [steps, seconds]
            if reached[str(PARTS[-1])] or seconds > 60 * minutes:
                break
    finally:
        if ours := training.poll() is None:
            training.send_signal(signal.SIGINT)
    code = training.wait()
    if steps == 0 or code != 0 and not ours:
        raise RuntimeError(f"train ended with {code} after {steps} steps: {out.with_suffix('.log').read_text()[-500:]}")
    return {"seed": seed, "reached": reached, "best": best, "steps": steps, "seconds": seconds}


def median(runs: list[dict], part: float, place: int) -> float:
    """Of the steps (0) or seconds (1) until a part; infinite if most runs did not get there."""
    values = [one["reached"][str(part)] for one in runs]
    return statistics.median_low([math.inf if value is None else value[place] for value in values])


def show(results: dict[str, list[dict]]) -> None:
    """Print the table."""
    parts = " | ".join(f"{part:.0%}: processor minutes, steps" for part in PARTS)
    print(f"| task | published | {parts} | best, median | seeds |")
    print("|---" * (len(PARTS) + 4) + "|")
    for name, runs in results.items():
        task, algorithm = name.rsplit("-", 1)
        cells = []
        for part in PARTS:
            seconds, steps = median(runs, part, 1), median(runs, part, 0)
            cells.append("not reached" if math.isinf(seconds) else f"{seconds / 60:.1f}, {steps:,.0f}")
        best = statistics.median(one["best"] for one in runs)
        seeds = f"{runs[0]['seed']} to {runs[-1]['seed']}"
        print(f"| {task}, {algorithm.upper()} | {PUBLISHED[task]:,} | {' | '.join(cells)} | {best:,.0f} | {seeds} |")


def main() -> int:
    arguments = options(
        __doc__, out=(ROOT / "runs" / "returns", "folder of the runs"), train=(TRAIN, "the binary"),
        seeds=(3, f"of each task and algorithm, from {FIRST}"), minutes=(60.0, "of processors for a run, at most"),
        only=("", "tasks and algorithms, such as hopper-sac,hopper-ppo"),
        switches={"table": "train nothing, only print the table of what is there"},
    )  # fmt: skip
    known = [f"{task}-{algorithm}" for task in PUBLISHED for algorithm in ALGORITHMS]
    wanted = [name for name in arguments.only.split(",") if name] or known
    if unknown := sorted(set(wanted) - set(known)):
        print(f"--only has {', '.join(unknown)}, want some of {', '.join(known)}", file=sys.stderr)
        return 2
    results: dict[str, list[dict]] = {}
    for name in wanted:
        task, algorithm = name.rsplit("-", 1)
        for seed in range(FIRST, FIRST + arguments.seeds):
            folder = arguments.out / name / f"seed-{seed}"
            kept = folder.with_suffix(".json")
            if not kept.exists():
                if arguments.table:
                    continue
                shutil.rmtree(folder, ignore_errors=True)  # of a measurement that was stopped
                folder.parent.mkdir(parents=True, exist_ok=True)
                preset = ROOT / "configs" / f"{ALGORITHMS[algorithm]}{task}.yaml"
                done = measure(arguments.train, preset, seed, PUBLISHED[task], arguments.minutes, folder)
                part = kept.with_suffix(".part")
                part.write_text(json.dumps(done | {"processors": len(os.sched_getaffinity(0))}))
                part.rename(kept)
            results.setdefault(name, []).append(json.loads(kept.read_text()))
    tell(arguments, {"runs": results}, lambda: show(results))
    return 0


if __name__ == "__main__":
    run(main)
