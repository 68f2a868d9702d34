"""The scripts for queues in python/examples/cluster do what they say."""

import os
import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples/cluster"
ROOT = EXAMPLES.parents[2]
TRAIN = os.environ.get("POLYTEST_TRAIN")


@pytest.mark.skipif(TRAIN is None, reason="POLYTEST_TRAIN names no train binary")
def test_an_array_of_slices_is_the_whole_rollout(tmp_path):
    def run(*command, **environment):
        path = f"{Path(TRAIN).parent}:{os.environ['PATH']}"
        subprocess.run(list(map(str, command)), check=True, capture_output=True, env={**os.environ, "PATH": path, **environment})

    (tmp_path / "quadruped.yaml").write_text((ROOT / "configs/quadruped.yaml").read_text())
    options = {"SHARED": str(tmp_path), "EPISODES": "6", "POLICY": "random", "SLURM_CPUS_PER_TASK": "1"}
    torn = tmp_path / "slices/48-64"  # of a task that was requeued
    torn.mkdir(parents=True)
    (torn / "data.journal").write_text("torn")
    for task in range(4):
        run("bash", EXAMPLES / "slices.slurm", SLURM_ARRAY_TASK_ID=str(task), **options)
    done = {path: path.stat().st_mtime_ns for path in (tmp_path / "slices").rglob("*")}
    run("bash", EXAMPLES / "slices.slurm", SLURM_ARRAY_TASK_ID="1", **options)
    assert done == {path: path.stat().st_mtime_ns for path in (tmp_path / "slices").rglob("*")}

    run("train", "merge", *(tmp_path / "slices").iterdir(), "--out", tmp_path / "walk")
    run("train", "rollout", "--config", tmp_path / "quadruped.yaml", "--policy", "random", "--episodes", "6", "--out", tmp_path / "whole")
    merged = [path.relative_to(tmp_path / "walk") for path in (tmp_path / "walk").rglob("*") if path.is_file()]
    assert len(merged) > 8
    for path in merged:
        assert (tmp_path / "walk" / path).read_bytes() == (tmp_path / "whole" / path).read_bytes(), path
