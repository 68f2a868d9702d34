"""The examples run, and say what they should. That of Stable-Baselines3 is tested with the peers."""

import csv
import json
import os
import re
import subprocess
import sys

import gymnasium
import mujoco
import pytest
from shared import ROOT, TRAIN, learn, serve, slow, train


def run(script, *arguments):
    command = [sys.executable, ROOT / "python" / script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_random_rollout():
    out = run("examples/random_rollout.py", "--task", "Hopper-v5", "--worlds", 8, "--steps", 100)
    assert int(re.search(r"(\d+) episodes", out)[1]) > 8


def test_read_dataset(tmp_path):
    out = run("examples/read_dataset.py", tmp_path / "data")
    assert re.search(r"\d+ rows of \d+ episodes", out) and "action" in out


def test_evaluate_policy(tmp_path):
    folder = learn(tmp_path / "run", "quadruped", training={"steps": 512, "segment": 64, "minibatch": 128})
    out = run("examples/evaluate_policy.py", folder, "--episodes", 5)
    judged = json.loads(train("eval", folder, "--episodes", 5, "--format", "json").stdout)
    assert float(re.search(r"return (\S+)", out)[1]) == pytest.approx(judged["mean_return"], rel=1e-14)


# A service in place of wandb and of mlflow, which say what they were given.
SERVICE = """
import json
def init(project): assert project == "tries"; return __import__("types").SimpleNamespace(log=log_metrics)
def set_experiment(name): assert name == "tries"
def log_metrics(metrics, step): print(json.dumps({"step": step, **metrics}))
"""


@pytest.mark.parametrize("to", ["print", "wandb", "mlflow"])
def test_log_training(tmp_path, to):
    (tmp_path / f"{to}.py").write_text(SERVICE)
    sets = ["training.steps=1024", "training.segment=32", "training.hidden=[8]", "recording.clip=false"]
    arguments = ["--task", "HalfCheetah-v5", "--set=worlds=4", *(f"--set={line}" for line in sets)]
    command = [sys.executable, ROOT / "python/examples/log_training.py", "--to", to, "--project", "tries"]
    out = [f"--out={tmp_path / 'run'}"] if to == "print" else ["--out", tmp_path / "run"]
    command += ["--train", TRAIN, "--", *arguments, *out]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=1200, env=environment)
    assert done.returncode == 0, done.stderr
    got = [json.loads(line) for line in done.stdout.splitlines()]
    with open(tmp_path / "run" / "metrics.csv", newline="") as file:
        want = [{name: float(cell) for name, cell in row.items() if cell} for row in csv.DictReader(file)]
    assert len(want) > 4 and got[:-1] == [{"step": row.pop("env_steps"), **row} for row in want]
    about = json.loads((tmp_path / "run" / "run.json").read_text())["evaluation"]
    assert got[-1]["evaluation/mean_return"] == about["mean_return"] and got[-1]["step"] == 1024


@slow
def test_throughput():
    few = ["--worlds", 8, "--rounds", 2, "--seconds", 0.01]
    result = json.loads(run("benchmarks/throughput.py", "--task", "Hopper-v5", *few, "--json"))
    peers = {"envpool", "gymnasium sync", "gymnasium async", "mujoco.batch", "mujoco.rollout"}
    assert set(result["env_steps_per_s"]) >= {"python", "copy", "async", "go", "go free", *peers}
    assert result["engines"]["mujoco.batch"] == f"mujoco {mujoco.__version__}"
    assert result["machine"]["processor"] and result["machine"]["versions"]["gymnasium"] == gymnasium.__version__
    assert all(rate > 0 for rate in result["env_steps_per_s"].values())


def test_push_live():
    server, address = serve("--task", "quadruped", "--policy", "random")
    try:
        out = run("examples/push_live.py", "--address", address, "--pushes", 2)
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert re.findall(r"the push is intent (\d+)", out) == ["1", "2"]
