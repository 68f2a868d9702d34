"""Train every preset with unseen seeds, and write docs/evidence/results.md anew.

    python3 python/benchmarks/results.py                       # all, for many hours
    python3 python/benchmarks/results.py --only hopper,ant      # some
    python3 python/benchmarks/results.py --table                # only the page, from what is there

Each line of RESULTS is one `train run --seeds N` per kernel with a preset, in --out. Runs that are there already
are not repeated, and one that was stopped goes on where it stopped, so the script can be ended and started again.
A line keeps what the page says of it until it has as many runs as it wants seeds. Beside the page, results.json gets
what `train verify` compares of each run. The script needs nothing but Python.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from rounds import ROOT, TRAIN, options, run

FIRST = 301  # the first seed; no tuning saw this one or those after it
COMPARED = ("seed", "openblas_kernel", "versions", "digests")  # of a run's report, by train verify
BEGIN, END = "<!-- results.py writes what follows -->\n", "<!-- until here -->\n"
HEAD = (
    "preset and curves | steps | published | wanted | mean ± std | interquartile mean "
    "| least / lower quartile / median / most | reached | seeds | mean by kernel | minutes a run"
)


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
    seeds: int = 5  # at least, before the page has a line of them

    @property
    def name(self) -> str:
        return f"{Path(self.preset).name}-{self.steps / 1e6:g}m"

    @property
    def settings(self) -> list[str]:
        own = [f"training.steps={self.steps}", f"evaluation.episodes={self.episodes}"]
        return [*own, "recording.enabled=false", "recording.clip=false", *self.sets]

    def title(self, pictured: bool) -> str:
        """The first cells of the line, with a link to the curves if there are any."""
        preset = f"[{self.preset}](../images/results/{self.name}.png)" if pictured else self.preset
        settings = "".join(f", `{setting}`" for setting in self.sets)
        return f"| {preset}{settings} | {self.steps / 1e6:g} M "


LONG_HALFCHEETAH = ("training.hidden=[64,64]", "training.min_std=0.25", "training.stagger_episodes=false")
RESULTS = [
    Result("halfcheetah", 1_000_000, 5800, "5,784 [1]"),
    Result("halfcheetah", 3_000_000, 7300, "7,337 [1]", sets=LONG_HALFCHEETAH),
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
    Result("described/go1", 1_400_000, 95, "-", "upright", 100),
    Result("described/go2", 2_500_000, 95, "-", "upright", 100, seeds=3),
]


def train(arguments: Namespace, result: Result, kernel: str) -> None:
    """Train, or go on with what is there."""
    folder = arguments.out / result.name / kernel
    command = [arguments.train, "run", "--workers", arguments.workers]
    if (folder / "sweep.json").exists():
        command += ["--resume", folder]
    else:
        command += ["--config", ROOT / "configs" / f"{result.preset}.yaml", "--out", folder, "--log-every", 0]
        command += ["--seed", FIRST, "--seeds", arguments.seeds or result.seeds]
        command += [word for setting in result.settings for word in ("--set", setting)]
    environment = os.environ | {"OPENBLAS_CORETYPE": kernel}
    subprocess.run([str(word) for word in command], env=environment, check=True)


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}"


def measure(result: Result, evaluation: dict) -> float:
    """What counts of a seed's evaluation."""
    if result.measure == "upright":
        return 100 * evaluation["truncated"] / evaluation["episodes"]
    return evaluation["mean_return"]


def interquartile_mean(values: list[float]) -> float:
    """The mean of the middle half of sorted values; one on its edge counts with its part inside."""
    quarter = len(values) / 4
    weights = [max(0.0, min(i + 1, 3 * quarter) - max(i, quarter)) for i in range(len(values))]
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / (2 * quarter)


def line(result: Result, reports: list[dict], pictured: bool) -> str:
    """A line of the table, of the runs that are done."""
    by_kernel: dict[str, list[float]] = {}
    for report in reports:
        by_kernel.setdefault(report["openblas_kernel"], []).append(measure(result, report["evaluation"]))
    values = sorted(value for of_kernel in by_kernel.values() for value in of_kernel)
    mean, minutes = statistics.fmean(values), statistics.median(report["wall_s"] / 60 for report in reports)
    quartile = statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0]
    spread = (values[0], quartile, statistics.median(values), values[-1])
    kernels = [f"{kernel} {number(statistics.fmean(of))} ({len(of)})" for kernel, of in sorted(by_kernel.items())]
    seeds = [report["seed"] for report in reports]
    reached = "yes" if mean >= result.wanted else "no"
    seen = "unseen" if min(seeds) >= FIRST else "tuning saw them"
    cells = (
        result.published, number(result.wanted), f"**{number(mean)}** ± {number(statistics.pstdev(values))}",
        number(interquartile_mean(values)), " / ".join(map(number, spread)), reached,
        f"{min(seeds)} to {max(seeds)}, {seen}", ", ".join(kernels), f"{minutes:.1f}",
    )  # fmt: skip
    return result.title(pictured) + "".join(f"| {cell} " for cell in cells) + "|"


def one_a_line(verifiable: dict[str, dict]) -> str:
    """The results as JSON, with a line for each run."""
    entries = []
    for name, result in verifiable.items():
        runs = ",\n  ".join(map(json.dumps, result["runs"]))
        entries.append(f"{json.dumps(name)}: " + json.dumps(result | {"runs": None}).replace("null}", f"[\n  {runs}\n]}}"))
    return "{\n" + ",\n".join(entries) + "\n}\n"


def write_page(page: Path, out: Path) -> None:
    """Replace the lines of the page's table that have runs, between the marks, and the pictures in images."""
    before, rest = page.read_text().split(BEGIN)
    table, after = rest.split(END)
    images = page.parent.parent / "images" / "results"
    images.mkdir(parents=True, exist_ok=True)
    digests = page.with_suffix(".json")
    verifiable = json.loads(digests.read_text()) if digests.exists() else {}
    lines = [f"| {HEAD} |", "|---" * (HEAD.count("|") + 1) + "|"]
    for result in RESULTS:
        runs = [json.loads(file.read_text()) for file in sorted((out / result.name).glob("*/seed-*/run.json"))]
        reports = [run for run in runs if run["status"] == "done"]
        enough = len(reports) >= result.seeds
        for picture in sorted((out / result.name).glob("*/seeds.png"))[:1]:
            shutil.copyfile(picture, images / f"{result.name}.png")
        pictured = (images / f"{result.name}.png").exists()
        kept = [row for row in table.splitlines() if row.startswith((result.title(True), result.title(False)))]
        not_run = f"{result.title(False)}| {result.published} | {number(result.wanted)} | not run | | | | | | |"
        lines.append(line(result, reports, pictured) if enough else kept[0] if kept else not_run)
        if enough:
            configuration = Path(os.path.relpath(ROOT / "configs" / f"{result.preset}.yaml", page.parent)).as_posix()
            of_runs = [{key: report[key] for key in COMPARED} for report in reports if "digests" in report]
            verifiable[result.name] = {"configuration": configuration, "set": result.settings, "runs": of_runs}
    if verifiable:
        digests.write_text(one_a_line(verifiable))
    page.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END + after)


def main() -> int:
    arguments = options(
        __doc__, out=(ROOT / "runs" / "results", "folder of the runs"), train=(TRAIN, "the binary"),
        page=(ROOT / "docs" / "evidence" / "results.md", "page to write"),
        seeds=(0, f"of each preset and kernel, from {FIRST}; 0: as many as each line wants"),
        kernels=("Haswell", "of OpenBLAS; SkylakeX wants a processor with AVX-512"),
        workers=(os.cpu_count() or 1, "runs at once"), only=("", "presets or results, such as hopper,ant-2m"),
        switches={"table": "train nothing, only write the page"},
    )  # fmt: skip

    wanted = {name for name in arguments.only.split(",") if name}
    known = {result.preset for result in RESULTS} | {result.name for result in RESULTS}
    if wanted - known:
        print(f"--only is {arguments.only!r}, want some of {', '.join(sorted(known))}", file=sys.stderr)
        return 2
    if not arguments.page.is_file() or not BEGIN in arguments.page.read_text():
        print(f"--page is {arguments.page}, want a page with the line {BEGIN.strip()}", file=sys.stderr)
        return 2
    for result in RESULTS:
        if arguments.table or (wanted and not wanted & {result.preset, result.name}):
            continue
        for kernel in arguments.kernels.split(","):
            print(f"== {result.name}, {kernel}", flush=True)
            train(arguments, result, kernel)
            write_page(arguments.page, arguments.out)
    write_page(arguments.page, arguments.out)
    return 0


if __name__ == "__main__":
    run(main)
