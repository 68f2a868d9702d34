"""Train every preset with several seeds and write docs/results.md anew.

    python3 python/benchmarks/results.py                       # all, for hours
    python3 python/benchmarks/results.py --only hopper,ant      # some
    python3 python/benchmarks/results.py --table                # only the page, from what is there

Each line of RESULTS is one `train run --seeds N` with a preset, in --out. Runs that
are there already are not repeated, and one that was stopped goes on where it stopped, so
the script can be ended and started again. It needs nothing but Python.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    """A preset trained for so many steps, and what was wanted of its final policy."""

    preset: str
    steps: int
    wanted: float
    published: str  # the best that others publish for PPO, "-" if nobody does
    measure: str = "mean_return"  # or "upright": the per cent of episodes that no termination ended
    episodes: int = 20  # of each seed's evaluation
    sets: tuple[str, ...] = ()  # other settings than the preset's

    @property
    def name(self) -> str:
        return f"{Path(self.preset).name}-{self.steps / 1e6:g}m"


RESULTS = [
    Result("halfcheetah", 1_000_000, 5800, "5,784 [1]"),
    Result("halfcheetah", 3_000_000, 7300, "7,337 [1]", sets=("training.lambda=0.9", "training.clip_value=false", "training.min_std=0.25")),
    Result("hopper", 1_000_000, 3200, "3,392 [2]"),
    Result("walker2d", 1_000_000, 4000, "3,589 [1]"),
    Result("walker2d", 3_000_000, 4900, "4,896 [1]"),
    Result("ant", 1_000_000, 3000, "3,258 [1]"),
    Result("ant", 2_000_000, 4400, "5,133 at 4 M [2]"),
    Result("humanoid", 1_000_000, 5500, "6,060 at 3 M [2]"),
    Result("swimmer", 1_000_000, 300, "282 [3]"),
    Result("reacher", 1_000_000, -3.9, "-4.1 [1]"),
    Result("pusher", 1_000_000, -28, "-40 [4]"),
    Result("invertedpendulum", 1_000_000, 1000, "1,000 [1]"),
    Result("inverteddoublependulum", 1_000_000, 9300, "9,231 [1]"),
    Result("humanoidstandup", 1_000_000, 150_000, "150,105 at 4 M [5]"),
    Result("lunarlander", 1_000_000, 250, "242 [3]"),
    Result("lunarlandercontinuous", 1_000_000, 275, "271 [3]"),
    Result("bipedalwalker", 1_000_000, 300, "288 at 5 M [3]"),
    Result("described/quadruped_commands", 2_500_000, 95, "-", "upright", 100),
]


def train(binary: Path, result: Result, folder: Path, seeds: int) -> None:
    """Train, or go on with what is in folder."""
    if (folder / "seeds.json").exists():
        command = [binary, "run", "--resume", folder]
    else:
        command = [
            binary, "run", "--config", ROOT / "configs" / f"{result.preset}.yaml", "--seeds", seeds, "--out", folder, "--log-every", 0,
            "--set", f"training.steps={result.steps}", "--set", "recording.enabled=false",
            "--set", "recording.clip=false", "--set", f"evaluation.episodes={result.episodes}",
            *(word for setting in result.sets for word in ("--set", setting)),
        ]  # fmt: skip
    subprocess.run([str(word) for word in command], check=True)


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}"


def measure(result: Result, evaluation: dict) -> float:
    """What counts of a seed's evaluation."""
    if result.measure == "upright":
        return 100 * evaluation["truncated"] / evaluation["episodes"]
    return evaluation["mean_return"]


def line(result: Result, folder: Path, seeds: int) -> str | None:
    """A line of the table, or None if no run is done."""
    try:
        with (folder / "seeds.csv").open() as file:
            runs = list(csv.DictReader(file))
    except FileNotFoundError:
        return None
    reports = [json.loads((folder / f"seed-{run['seed']}" / "run.json").read_text()) for run in runs]
    values = sorted(measure(result, report["evaluation"]) for report in reports)
    minutes = statistics.median(report["wall_s"] / 60 for report in reports)
    kernels = ", ".join(sorted({report["openblas_kernel"] for report in reports}))
    mean = statistics.fmean(values)
    reached = "yes" if mean >= result.wanted else "no"
    settings = "".join(f", `{setting}`" for setting in result.sets)
    if len(runs) < seeds:
        reached = f"open: {len(runs)} of {seeds} seeds"
    return (
        f"| [{result.preset}](images/results/{result.name}.png){settings} | {result.steps / 1e6:g} M | {result.published} | {number(result.wanted)} "
        f"| **{number(mean)}** ± {number(statistics.pstdev(values))} | {number(values[0])} / {number(statistics.median(values))} / {number(values[-1])} "
        f"| {reached} | {minutes:.1f} | {kernels} |"
    )


def write_page(page: Path, out: Path, seeds: int) -> None:
    """Replace the table in the page, between the marks, and the pictures beside it."""
    begin, end = "<!-- results.py writes what follows -->\n", "<!-- until here -->\n"
    text = page.read_text()
    before, rest = text.split(begin)
    _, after = rest.split(end)
    images = page.parent / "images" / "results"
    images.mkdir(parents=True, exist_ok=True)
    lines = [
        "| preset and curves | steps | published | wanted | here, mean ± std over seeds | least / median / most | reached | minutes a run | OpenBLAS kernels |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for result in RESULTS:
        row = line(result, out / result.name, seeds)
        if row is None:
            lines.append(f"| {result.preset} | {result.steps / 1e6:g} M | {result.published} | {number(result.wanted)} | not run | | | | |")
            continue
        lines.append(row)
        shutil.copyfile(out / result.name / "seeds.png", images / f"{result.name}.png")
    lines.append("")
    lines.append(
        f"{seeds} seeds each, 20 episodes of the final policy a seed; of described/quadruped_commands the per cent of 100 episodes without a fall. "
        "Minutes are the median of one worker's wall time."
    )
    page.write_text(before + begin + "\n" + "\n".join(lines) + "\n\n" + end + after)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "results", help="folder of the runs (default: %(default)s)")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "results.md", help="page to write (default: %(default)s)")
    parser.add_argument("--train", type=Path, default=ROOT / "build" / "bin" / "train", help="the binary (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=5, help="seeds of each preset (default: %(default)s)")
    parser.add_argument("--only", default="", help="presets or results, such as hopper or ant-4m, with commas between them")
    parser.add_argument("--table", action="store_true", help="train nothing, only write the page")
    arguments = parser.parse_args()

    wanted = {name for name in arguments.only.split(",") if name}
    known = {result.preset for result in RESULTS} | {result.name for result in RESULTS}
    if wanted - known:
        parser.error(f"--only is {arguments.only!r}, want some of {', '.join(sorted(known))}")
    if not arguments.table:
        for result in RESULTS:
            if wanted and not wanted & {result.preset, result.name}:
                continue
            print(f"== {result.name}", flush=True)
            train(arguments.train, result, arguments.out / result.name, arguments.seeds)
            write_page(arguments.page, arguments.out, arguments.seeds)
    write_page(arguments.page, arguments.out, arguments.seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
