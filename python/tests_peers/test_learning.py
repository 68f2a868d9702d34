"""The benchmark that learns beside the peers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "python/benchmarks/learning.py"
sys.path.append(str(SCRIPT.parent))


def test_all_learn_the_same_task():
    run = subprocess.run(
        [sys.executable, SCRIPT, "--train", os.environ["POLYTEST_TRAIN"], "--task", "InvertedPendulum-v5",
         "--rounds", "2", "--iterations", "6", "--peer-threads", "1", "--json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    result = json.loads(run.stdout)
    names = [c["name"] for c in result["contenders"]]
    assert list(dict.fromkeys(names)) == ["polyrhythm", "sb3", "cleanrl", "rl_tools"]
    for c in result["contenders"]:
        assert len(c["rounds"]) == 2 and c["rollout_steps_per_s"] > 0 and c["update_steps_per_s"] > 0
        assert c["last_return"] > 2 * c["first_return"], c  # at random: about 6
    assert [c["worlds"] for c in result["contenders"][-2:]] == ["EnvPool", "MuJoCo 4.0.1"]


@pytest.mark.parametrize("task", ["HalfCheetah-v5", "InvertedPendulum-v5"])
def test_rl_tools_has_the_task_of_gymnasium(task):
    from learning import built

    env = gymnasium.make(task).unwrapped
    seen, _ = env.reset(seed=1)
    numbers = np.random.default_rng(1)
    actions = numbers.uniform(1.2 * env.action_space.low, 1.2 * env.action_space.high, (50, *env.action_space.shape))
    said = [env.data.qpos, env.data.qvel, *actions]
    run = subprocess.run(
        [built(task, 1), env.fullpath, "step"], input="\n".join(" ".join(map(repr, map(float, x))) for x in said),
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    rows = [list(map(float, line.split())) for line in run.stdout.splitlines()]
    assert rows[0] == [*seen, 0, 0] and len(rows) == 51
    for row, action in zip(rows[1:], actions, strict=True):
        seen, reward, terminated, _, _ = env.step(action.clip(env.action_space.low, env.action_space.high))
        assert np.allclose(row, [*seen, reward, terminated], rtol=1e-12, atol=1e-12)
