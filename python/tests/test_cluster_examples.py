"""The scripts for queues in python/examples/cluster do what they say."""

import os
import subprocess
from pathlib import Path

from shared import QUADRUPED, ROOT, TRAIN, same_tree, train

EXAMPLES = ROOT / "python/examples/cluster"


def test_an_array_of_slices_is_the_whole_rollout(tmp_path):
    def task(number):
        path = f"{Path(TRAIN).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": str(number), **options}
        subprocess.run(["bash", EXAMPLES / "slices.slurm"], check=True, capture_output=True, env=environment)
        return {path: path.stat().st_mtime_ns for path in (tmp_path / "slices").rglob("*")}

    (tmp_path / "quadruped.yaml").write_text(QUADRUPED.read_text())
    options = {"SHARED": str(tmp_path), "EPISODES": "6", "POLICY": "random", "SLURM_CPUS_PER_TASK": "1"}
    torn = tmp_path / "slices/48-64"  # of a task that was requeued
    torn.mkdir(parents=True)
    (torn / "data.journal").write_text("torn")
    for number in range(4):
        done = task(number)
    assert task(1) == done

    train("merge", *(tmp_path / "slices").iterdir(), "--out", tmp_path / "walk")
    few = ["--policy", "random", "--episodes", 6]
    train("rollout", "--config", tmp_path / "quadruped.yaml", *few, "--out", tmp_path / "whole")
    assert same_tree(tmp_path / "walk", tmp_path / "whole", but=["run.json", "run.log"])
