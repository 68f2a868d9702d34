"""Train presets once each, draw what they learned, and write docs/start/gallery.md anew.

    python3 python/benchmarks/gallery.py                          # all, for some hours
    python3 python/benchmarks/gallery.py --only quadruped,hopper  # some
    python3 python/benchmarks/gallery.py --page                   # only the page, from what is there

Runs that are there already are not repeated, and one that was stopped goes on where it stopped. What the page says of
each preset is kept in gallery.json beside it, so a preset without a run keeps its entry. The checkpoints of the presets
that have a POLICY become the trained policies that the program has itself. The script needs nothing but Python.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from rounds import ROOT, TRAIN, options, run

SEED = 1001
PAGE = ROOT / "docs" / "start" / "gallery.md"
NUMBERS = PAGE.with_suffix(".json")
PICTURES = ROOT / "docs" / "images" / "gallery"
POLICIES = ROOT / "configs" / "policies"


@dataclass(frozen=True)
class Entry:
    """A preset in the gallery: the file below configs, what it shows, and when its picture is taken."""

    preset: str
    about: str
    policy: str = ""  # its name among the trained policies that the program has itself
    at: float = 3.0  # seconds after the beginning of the episode
    sets: tuple[str, ...] = ()  # settings of the episode that is drawn
    view: str = ""  # flags of `train render`

    @property
    def name(self) -> str:
        return Path(self.preset).name

    @property
    def command(self) -> str:
        """What a reader types: by the name of the task where the program has the preset itself."""
        if "/" in self.preset:
            return f"train run --config builtin:{self.preset}.yaml"
        text = (ROOT / "configs" / f"{self.preset}.yaml").read_text()
        return f"train run --task {text.partition('name:')[2].split()[0].strip(',}')}"


GALLERY = [
    Entry("quadruped", "Walks forward at a commanded speed. Control, sensors and recording have rates of their own."),
    Entry("described/quadruped_commands", "Walks and turns as commanded, and is pushed while it does.", "quadruped"),
    Entry("described/go1", "Unitree's Go1 follows a velocity forward, sideways and turning, from a trot in place."),
    Entry("described/go2", "Unitree's Go2 does the same."),
    Entry("described/go1_tracking", "Go1 imitates a walk that was recorded.",
          sets=("commands.motion.sampling_mode=start",)),  # fmt: skip
    Entry("described/yam_reach", "An arm with six joints moves its gripper to where it is told."),
    Entry("described/yam_lift_cube", "The arm lifts a cube.", view="--distance 1.3 --azimuth 150 --elevation -25"),
    Entry("described/gantry", "A gantry is told where a part lies, and moves there.", at=1.5),
    Entry("described/gantry_camera", "The gantry is not told: it sees by a camera of depths.", "gantry", at=1.5),
    Entry("halfcheetah", "Gymnasium's HalfCheetah-v5 runs.", "halfcheetah"),
    Entry("hopper", "Gymnasium's Hopper-v5 hops."),
    Entry("walker2d", "Gymnasium's Walker2d-v5 walks."),
    Entry("ant", "Gymnasium's Ant-v5 runs."),
    Entry("humanoid", "Gymnasium's Humanoid-v5 walks."),
    Entry("swimmer", "Gymnasium's Swimmer-v5 swims."),
    Entry("reacher", "Gymnasium's Reacher-v5 reaches.", at=0.8),
    Entry("pusher", "Gymnasium's Pusher-v5 pushes."),
    Entry("invertedpendulum", "Gymnasium's InvertedPendulum-v5 stands."),
    Entry("inverteddoublependulum", "Gymnasium's InvertedDoublePendulum-v5 stands."),
    Entry("lunarlander", "Gymnasium's LunarLander-v3 lands, with choices for actions.", "lunarlander"),
    Entry("lunarlandercontinuous", "The lander with continuous engines."),
    Entry("bipedalwalker", "Gymnasium's BipedalWalker-v3 walks on Box2D."),
]


def train(arguments: Namespace, entry: Entry) -> Path:
    """Train, or go on with what is there; the run's folder."""
    folder = arguments.out / entry.name
    if (folder / "run.json").exists() and json.loads((folder / "run.json").read_text())["status"] == "done":
        return folder
    words: list[object] = ["run", "--resume", folder]
    if not (folder / "resume.state").exists():
        words = ["run", "--config", ROOT / "configs" / f"{entry.preset}.yaml", "--out", folder, "--seed", SEED]
        words += ["--log-every", 0, "--set", "recording.enabled=false", "--set", "recording.clip=false"]
    call(arguments, *words)
    return folder


def call(arguments: Namespace, *words: object) -> None:
    subprocess.run([str(word) for word in (arguments.train, *words)], check=True)


def draw(arguments: Namespace, entry: Entry, folder: Path) -> None:
    """Record an episode, and draw a frame of it."""
    dataset, frames = folder / "gallery", folder / "frames"
    for old in (dataset, frames):
        shutil.rmtree(old, ignore_errors=True)
    config = ROOT / "configs" / f"{entry.preset}.yaml"
    seconds = ("--seconds", entry.at + 1)
    sets = [word for setting in ("worlds=1", *entry.sets) for word in ("--set", setting)]
    call(arguments, "rollout", "--config", config, "--policy", folder, "--seed", SEED + 1, *sets, "--log-every", 0,
         *seconds, "--out", dataset)  # fmt: skip
    window = ("--from", f"{entry.at}s", "--until", f"{entry.at + 0.5}s", "--fps", 2, *entry.view.split())
    call(arguments, "render", dataset, "--episode", 0, *window, "--size", "320x240", "--out", frames)
    PICTURES.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(sorted(frames.glob("*.png"))[0], PICTURES / f"{entry.name}.png")


def numbers(folder: Path, quiet: bool) -> dict[str, float]:
    """What the page says of a run that is done; how long it took only if the machine had nothing else to do."""
    report = json.loads((folder / "run.json").read_text())
    evaluation = report["evaluation"]
    kept = ("episodes", "mean_return", "std_return", "mean_length", "truncated")
    time = {"seconds": report["wall_s"]} if quiet else {}
    return {"steps": report["env_steps"]} | time | {name: evaluation[name] for name in kept}


def write(found: dict[str, dict[str, float]]) -> None:
    """Write the page and its numbers, of the presets that have any."""
    lines = [
        "# Gallery",
        "",
        "Each preset was trained once, with a seed that no tuning saw, on two cores of a shared server. The picture shows an",
        "episode with another seed. A return is the mean and the standard deviation over the episodes of the evaluation at the",
        "end of the training. A time is missing where the machine had something else to do. [Results](../evidence/results.md)",
        "have several seeds of each.",
        "",
        "`python3 python/benchmarks/gallery.py` makes this page again. The presets of Go1, Go2 and the arm want",
        "the models of the robots, which [`train fetch`](../how-to/other-robots.md#robots-of-presets) brings.",
        "",
    ]
    for entry in GALLERY:
        if (n := found.get(entry.name)) is None:
            continue
        time = ""
        if seconds := n.get("seconds"):
            time = f" in {seconds / 60:.1f} minutes" if seconds >= 60 else f" in {seconds:.0f} seconds"
        text = f"{n['steps'] / 1e6:.2g} million steps{time}; return {n['mean_return']:,.1f} ± {n['std_return']:,.1f}"
        lines += [f"## {entry.name}", "", f"![{entry.about}](../images/gallery/{entry.name}.png)", "", entry.about, ""]
        lines += ["<!-- test: skip it takes minutes -->", "```sh", entry.command, "```", "", f"{text}."]
        if entry.policy:
            lines += [f"The policy comes with the program: `train demo {entry.policy}`."]
        lines += [""]
    PAGE.write_text("\n".join(lines[:-1]) + "\n")
    NUMBERS.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()) + "\n}\n")


def main() -> None:
    arguments = options(
        __doc__.partition("\n")[0],
        train=(TRAIN, "the program"),
        out=(ROOT / "runs" / "gallery", "the folder of the runs"),
        only=("", "the names of some presets, with commas between them"),
        switches={"page": "write only the page"},
    )
    only = {name for name in arguments.only.split(",") if name}
    if unknown := only - {entry.name for entry in GALLERY}:
        raise SystemExit(f"--only names {', '.join(sorted(unknown))}, which the gallery does not have")
    found = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
    for entry in GALLERY:
        if arguments.page or (only and entry.name not in only):
            continue
        began = (arguments.out / entry.name / "run.json").exists()
        folder = train(arguments, entry)
        quiet = not began and os.getloadavg()[1] < os.cpu_count() + 0.5  # over five minutes
        draw(arguments, entry, folder)
        found[entry.name] = {**found.get(entry.name, {}), **numbers(folder, quiet)}
        if entry.policy:
            shutil.copyfile(folder / "latest", POLICIES / f"{entry.policy}.ckpt")
        write(found)
    write(found)


if __name__ == "__main__":
    run(main)
