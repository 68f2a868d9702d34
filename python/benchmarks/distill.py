"""What a student keeps of its teacher's return.

    python python/benchmarks/distill.py

trains the quadruped by its preset with each of some seeds, lets a student with noisy and late sensors
learn from it by `train distill`, and evaluates both, in 100 new episodes, with build/bin/train (or
--train). `direct` is a policy that learns by PPO from what the student observes, for as many steps as
the student. Returns are of seeds that differ from those of the trainings.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from rounds import TRAIN, options, run, tell

CLEAN = [
    "{term: generated_commands, command: velocity}",
    "{name: gyro, term: sensor, channel: gyro, scale: 0.25%s}",
    "{term: projected_gravity, channel: orientation%s}",
    "{term: joint_pos_rel, channel: joint_position%s}",
    "{name: joint_velocity, term: sensor, channel: joint_velocity, scale: 0.05%s}",
    "{term: last_action}",
    "{term: gait_phase, frequency: 2}",
]
# By entry of CLEAN, in the units of the observation: 0.2 rad/s, 0.05, 0.03 rad, 1.5 rad/s; late ones by a control step.
NOISE = {1: (0.05, 1), 2: (0.05, 1), 3: (0.03, 0), 4: (0.075, 0)}


def groups(*names: str) -> str:
    """The observations: the policy's with noise, a teacher's without."""
    noisy = [e % f", noise: {{uniform: {NOISE[i][0]}}}, delay: {NOISE[i][1]}" if i in NOISE else e
        for i, e in enumerate(CLEAN)]
    entries = {"policy": noisy, "teacher": [e % "" if "%s" in e else e for e in CLEAN]}
    return "observations={" + ", ".join(f"{name}: [{', '.join(entries[name])}]" for name in names) + "}"


def policy(train: str, out: Path, *words: str | Path) -> dict[str, float]:
    """Train a policy and evaluate it: seconds of training, mean return and how many of 100 episodes last."""
    quiet = {"check": True, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    words = (*words, "--set", "recording.enabled=false", "--log-every", "0", "--workers", "1", "--out", out)
    subprocess.run([train, *map(str, words)], **quiet)
    evaluated = subprocess.run([train, "eval", str(out), "--episodes", "100", "--seed", "1000", "--format", "json"],
        **quiet)
    report, result = json.loads((out / "run.json").read_text()), json.loads(evaluated.stdout)
    return {"seconds": report["wall_s"], "return": result["mean_return"], "last": result["truncated"]}


def main() -> None:
    arguments = options(__doc__, train=(TRAIN, "the program"), seeds=(5, "teachers"), first=(11, "seed of the first"),
        steps=(400_000, "environment steps of a student"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            home = Path(folder) / str(seed)
            steps = ["--set", f"training.steps={arguments.steps}"]
            row = {"seed": seed}
            row["teacher"] = policy(arguments.train, home / "teacher", "run", "--task", "quadruped", "--seed",
                str(seed))
            row["student"] = policy(arguments.train, home / "student", "distill", home / "teacher", "--seed",
                str(seed + 100), *steps, "--set", groups("policy", "teacher"))
            row["direct"] = policy(arguments.train, home / "direct", "run", "--task", "quadruped", "--seed",
                str(seed + 100), *steps, "--set", groups("policy"))
            rows.append(row)
            if not arguments.json:
                show(row)

    def summary() -> None:
        shares = [r["student"]["return"] / r["teacher"]["return"] for r in rows]
        print(f"a student has {min(shares):.3f} to {max(shares):.3f} of its teacher's return, "
            f"mean {sum(shares) / len(shares):.3f}")

    tell(arguments, {"rows": rows}, summary)


def show(row: dict) -> None:
    parts = [f"{who} {row[who]['return']:.1f} ({row[who]['last']} of 100 last, {row[who]['seconds']:.0f} s)"
        for who in ("teacher", "student", "direct")]
    print(f"seed {row['seed']}: {', '.join(parts)}", flush=True)


run(main)
