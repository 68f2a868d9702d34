"""A short training by `train run`, with which those in parts are compared."""

import os
import subprocess
from pathlib import Path

CONFIG = Path(__file__).parents[2] / "configs" / "halfcheetah.yaml"
KEYS = {
    "worlds": 6,
    "block_size": 2,
    "max_steps": 20,
    "training": {"steps": 6 * 16 * 4, "segment": 16, "minibatch": 32, "epochs": 2, "hidden": [8], "tensorboard": False},
    "recording": {"enabled": False, "clip": False},
    "evaluation": {"episodes": 2},
}


def train_run(folder: Path, **more) -> None:
    """Train in one process."""
    sets = [f"--set={key}={value}" for key, value in flat("", {**KEYS, **more})]
    program = os.environ["POLYTEST_TRAIN"]
    subprocess.run([program, "run", "--config", CONFIG, "--out", folder, *sets], check=True, capture_output=True)


def flat(prefix, tree):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", str(value).lower() if isinstance(value, bool) else value
