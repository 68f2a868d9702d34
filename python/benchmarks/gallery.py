"""Train tasks with their presets, draw a clip of each policy, and write the table of docs/start/gallery.md anew.

    python3 python/benchmarks/gallery.py                                  # all, for an hour or two
    python3 python/benchmarks/gallery.py --only Walker2d-v5,Reacher-v5    # some

The other lines of the table stay as they are. Runs that are there already are not repeated. A policy of an
unlucky seed makes a dull clip: --seed 2 tries another one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path

from rounds import ROOT, TRAIN

PAGE = ROOT / "docs" / "start" / "gallery.md"
CLIPS = ROOT / "docs" / "images" / "gallery"
TASKS = [
    "quadruped", "Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "Swimmer-v5", "Walker2d-v5", "Reacher-v5",
    "Pusher-v5", "InvertedDoublePendulum-v5", "HumanoidStandup-v5", "LunarLander-v3", "BipedalWalker-v3",
]  # fmt: skip
BEGIN, END = "<!-- gallery.py writes what follows -->\n", "<!-- until here -->\n"
VIEW = ["--size", "240x180", "--fps", "15", "--until", "4s", "--force"]


def train(*arguments: object) -> None:
    subprocess.run([TRAIN, *map(str, arguments)], cwd=ROOT, check=True)


def line(task: str, seed: int, out: Path) -> str:
    """The line of a task, for which it is trained and drawn."""
    run = out / f"{task}-{seed}"
    if not (run / "run.json").exists():
        train("run", "--task", task, "--seed", seed, "--out", run, "--set", "recording.enabled=false")
    about = json.loads((run / "run.json").read_text())
    drawn = out / f"{task}-{seed}-drawn"
    if not drawn.exists():
        train("rollout", "--task", task, "--policy", run, "--seed", seed + 1, "--episodes", 1,
              "--set", "worlds=1", "--log-every", 0, "--out", drawn)  # fmt: skip
    CLIPS.mkdir(exist_ok=True)
    train("render", drawn, "--out", CLIPS / f"{task}.gif", *VIEW)
    picture = f"![{task}](../images/gallery/{task}.gif)"
    steps, result = about["env_steps"], about["evaluation"]["mean_return"]
    return f"| {picture} | `{task}` | {steps:,} | {about['wall_s'] / 60:.1f} | {result:,.1f} |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(TASKS), help="tasks, with commas between them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "gallery")
    given = parser.parse_args()
    for task in given.only.split(","):
        made = line(task, given.seed, given.out.resolve())
        head, rest = PAGE.read_text().split(BEGIN)
        table, tail = rest.split(END)
        lines = dict(re.findall(r"(?m)^(?=.*`([\w-]+)`)(\| !.*\n)", table)) | {task: made}
        title = "| | task | control steps | minutes | return |\n|---|---|---|---|---|\n"
        order = [lines[name] for name in TASKS if name in lines]
        PAGE.write_text(f"{head}{BEGIN}\n{title}{''.join(order)}\n{END}{tail}")


if __name__ == "__main__":
    main()
