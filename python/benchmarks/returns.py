"""How long PPO and SAC take until a part of the return that others publish for PPO.

    python3 python/benchmarks/returns.py                     # all tasks, three seeds each
    python3 python/benchmarks/returns.py --only hopper-sac   # one task and algorithm
    build/venv-peers/bin/python python/benchmarks/returns.py --only halfcheetah-sb3

Each run is `train run --workers 1` with a preset of configs/ or configs/sac/, one after the other, with seeds that no
tuning saw; of sb3 it is Stable-Baselines3's SAC on one thread, with the settings of its zoo. It ends when all of the
return is reached, at the end of the preset, or after --minutes. What counts is the mean return of the newest episodes
of the training itself, at least EPISODES of them, whose actions are drawn. Time is that of processors, which other
programs hardly change: a line of metrics.csv gets what the run has taken when the line is there. What is measured is
kept in --out, so the script can be stopped and started again. The table has the median of the seeds, in which a run
that did not get there counts as infinitely long.
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
import time
from collections import deque
from pathlib import Path

from rounds import ROOT, TRAIN, options, run, tell

sys.path.append(str(ROOT / "python" / "examples"))
from log_training import follow

FIRST = 301  # the first seed; no tuning saw this one or those after it
PARTS = (0.5, 0.8, 1.0)  # of the published return
EPISODES = 20  # whose mean return counts
PUBLISHED = {"halfcheetah": 5784, "hopper": 3392, "walker2d": 3589, "humanoid": 6060}  # sources: docs/evidence/results.md
PRESETS = {"ppo": "", "sac": "sac/"}  # their folders
PEER = "sb3"
NAMES = {"halfcheetah": "HalfCheetah-v5", "hopper": "Hopper-v5", "walker2d": "Walker2d-v5", "humanoid": "Humanoid-v5"}
LABELS = {"ppo": "PPO", "sac": "SAC", PEER: "Stable-Baselines3's SAC"}


def processor_seconds(pid: int, before: float) -> float:
    """The seconds of all processors that a process has taken, or those before where it has ended."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    except FileNotFoundError:
        return before
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


class Progress:
    """When a training got to each part of a return: the steps and seconds, or null."""

    def __init__(self, wanted: float):
        self.wanted = wanted
        self.newest: deque[tuple[int, float]] = deque()  # numbers of episodes, and their mean return
        self.reached: dict[str, list[float] | None] = {str(part): None for part in PARTS}
        self.best, self.steps, self.seconds = -math.inf, 0, 0.0

    def add(self, steps: int, seconds: float, episodes: int, mean: float) -> None:
        """What so many steps and seconds have led to: episodes that ended since the last call, and their mean return."""
        self.steps, self.seconds = steps, seconds
        if episodes:
            self.newest.append((episodes, mean))
        while self.newest and sum(n for n, _ in self.newest) - self.newest[0][0] >= EPISODES:
            self.newest.popleft()
        if (count := sum(n for n, _ in self.newest)) >= EPISODES:
            mean = sum(n * value for n, value in self.newest) / count
            self.best = max(self.best, mean)
            for part in PARTS:
                if self.reached[str(part)] is None and mean >= part * self.wanted:
                    self.reached[str(part)] = [steps, seconds]

    def is_over(self, minutes: float) -> bool:
        return self.reached[str(PARTS[-1])] is not None or self.seconds > 60 * minutes

    def result(self, seed: int) -> dict:
        return {"seed": seed, "reached": self.reached, "best": self.best, "steps": self.steps, "seconds": self.seconds}


def measure(program: Path, preset: Path, seed: int, wanted: float, minutes: float, out: Path) -> dict:
    """Train by a preset until the return is there."""
    words = [program, "run", "--config", preset, "--seed", seed, "--out", out, "--log-every", 0, "--workers", 1]
    words += ["--set", "recording={enabled: false, clip: false}", "--set", "evaluation.episodes=1"]
    with open(out.with_suffix(".log"), "w") as log:
        training = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log)
    progress = Progress(wanted)
    try:
        for row in follow(out, lambda: training.poll() is None):
            seconds = processor_seconds(training.pid, progress.seconds)
            episodes = int(row["episodes"]) if "mean_return" in row else 0
            progress.add(int(row["env_steps"]), seconds, episodes, row.get("mean_return", math.nan))
            if progress.is_over(minutes):
                break
    finally:
        if ours := training.poll() is None:
            training.send_signal(signal.SIGINT)
    code = training.wait()
    if progress.steps == 0 or code != 0 and not ours:
        raise RuntimeError(f"train ended with {code} after {progress.steps} steps: {out.with_suffix('.log').read_text()[-500:]}")
    return progress.result(seed)


def measure_peer(task: str, seed: int, wanted: float, minutes: float) -> dict:
    """Train by Stable-Baselines3's SAC until the return is there."""
    import torch  # only here, since other runs need nothing but Python
    from stable_baselines3 import SAC
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.env_util import make_vec_env

    torch.set_num_threads(1)
    progress, begun = Progress(wanted), time.process_time()

    class Each(BaseCallback):
        def _on_step(self) -> bool:
            ended = [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
            mean = statistics.fmean(ended) if ended else math.nan
            progress.add(self.num_timesteps, time.process_time() - begun, len(ended), mean)
            return not progress.is_over(minutes)

    model = SAC("MlpPolicy", make_vec_env(task, seed=seed), learning_starts=10_000, seed=seed, device="cpu")
    model.learn(1_000_000, callback=Each())
    return progress.result(seed)


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
        print(f"| {task}, {LABELS[algorithm]} | {PUBLISHED[task]:,} | {' | '.join(cells)} | {best:,.0f} | {seeds} |")


def main() -> int:
    arguments = options(
        __doc__, out=(ROOT / "runs" / "returns", "folder of the runs"), train=(TRAIN, "the binary"),
        seeds=(3, f"of each task and algorithm, from {FIRST}"), minutes=(60.0, "of processors for a run, at most"),
        only=("", "tasks and algorithms, such as hopper-sac,hopper-ppo; without it all by PPO and SAC"),
        switches={"table": "train nothing, only print the table of what is there"},
    )  # fmt: skip
    known = [f"{task}-{algorithm}" for task in PUBLISHED for algorithm in LABELS]
    wanted = [name for name in arguments.only.split(",") if name] or [name for name in known if not name.endswith(PEER)]
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
                if algorithm == PEER:
                    done = measure_peer(NAMES[task], seed, PUBLISHED[task], arguments.minutes)
                else:
                    preset = ROOT / "configs" / f"{PRESETS[algorithm]}{task}.yaml"
                    done = measure(arguments.train, preset, seed, PUBLISHED[task], arguments.minutes, folder)
                part = kept.with_suffix(".part")
                part.write_text(json.dumps(done | {"processors": len(os.sched_getaffinity(0))}))
                part.rename(kept)
            results.setdefault(name, []).append(json.loads(kept.read_text()))
    tell(arguments, {"runs": results}, lambda: show(results))
    return 0


if __name__ == "__main__":
    run(main)
