"""The examples run, and say what they should. That of Stable-Baselines3 is tested with the peers."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRAIN = os.environ["POLYTEST_TRAIN"]


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, str(ROOT / "python" / script), *map(str, arguments)], capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_random_rollout():
    out = run("examples/random_rollout.py", "--task", "Hopper-v5", "--worlds", 8, "--steps", 100)
    assert int(re.search(r"(\d+) episodes", out)[1]) > 8


def test_read_dataset(tmp_path):
    out = run("examples/read_dataset.py", tmp_path / "data")
    assert re.search(r"\d+ rows of \d+ episodes", out) and "action" in out


def test_evaluate_policy(tmp_path):
    subprocess.run(
        [TRAIN, "run", "--task", "quadruped", "--out", str(tmp_path / "run"), "--log-every", "0",
         "--set", "worlds=4", "--set", "max_steps=30", "--set", "recording.enabled=false", "--set", "training.steps=512",
         "--set", "training.segment=64", "--set", "training.minibatch=128", "--set", "evaluation.episodes=2"],
        check=True, capture_output=True,
    )
    out = run("examples/evaluate_policy.py", tmp_path / "run", "--episodes", 5)
    judged = json.loads(subprocess.run(
        [TRAIN, "eval", str(tmp_path / "run"), "--episodes", "5", "--format", "json"], check=True, capture_output=True
    ).stdout)
    assert float(re.search(r"return (\S+)", out)[1]) == pytest.approx(judged["mean_return"], rel=1e-14)


def test_throughput():
    out = run("benchmarks/throughput.py", "--task", "Hopper-v5", "--worlds", 8, "--rounds", 2, "--seconds", 0.01, "--json")
    result = json.loads(out)
    assert set(result["env_steps_per_s"]) >= {"python", "copy", "go", "go free"}
    assert all(rate > 0 for rate in result["env_steps_per_s"].values())


def test_push_live():
    server = subprocess.Popen(
        [TRAIN, "serve", "--task", "quadruped", "--policy", "random", "--listen", "", "--grpc", "127.0.0.1:0"],
        stderr=subprocess.PIPE, text=True,
    )
    try:
        address = None
        while address is None:
            line = server.stderr.readline()
            assert line, "the server has ended"
            address = re.search(r"serving at grpc://(\S+)", line)
        out = run("examples/push_live.py", "--address", address[1], "--pushes", 2)
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert re.findall(r"the push is intent (\d+)", out) == ["1", "2"]
