"""The benchmark that learns beside the peers."""

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "python/benchmarks/learning.py"


def test_all_learn_the_same_task():
    run = subprocess.run(
        [sys.executable, SCRIPT, "--train", os.environ["POLYTEST_TRAIN"], "--task", "InvertedPendulum-v5",
         "--rounds", "2", "--iterations", "6", "--peer-threads", "1", "--json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    result = json.loads(run.stdout)
    assert [c["name"] for c in result["contenders"]] == ["polyrhythm", "sb3", "cleanrl"]
    for c in result["contenders"]:
        assert len(c["rounds"]) == 2 and c["rollout_steps_per_s"] > 0 and c["update_steps_per_s"] > 0
        assert c["last_return"] > 2 * c["first_return"], c  # at random: about 6
    assert result["contenders"][2]["worlds"] == "EnvPool"
