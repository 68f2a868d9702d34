"""Print what Gymnasium's own task does, for the Go tests to compare with.

Usage: trajectories.py TASK SEEDS STEPS

One JSON object per seed: the reset state, then per step the action, the
observation, the reward and whether the episode terminated. Numbers are in
hexadecimal, so that every bit arrives.
"""

import json
import sys

import gymnasium
import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.1", mujoco.__version__


def exact(values):
    return [float(v).hex() for v in np.asarray(values, dtype=np.float64).ravel()]


task, seeds, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
env = gymnasium.make(task)
for seed in range(seeds):
    observation, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    data = env.unwrapped.data
    run = {"qpos": exact(data.qpos), "qvel": exact(data.qvel), "observation": exact(observation), "steps": []}
    for _ in range(steps):
        action = env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(action)
        run["steps"].append(
            {
                "action": exact(action),
                "observation": exact(observation),
                "reward": float(reward).hex(),
                "terminated": bool(terminated),
            }
        )
        if terminated or truncated:
            break
    print(json.dumps(run))
