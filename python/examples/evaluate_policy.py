"""Evaluate a policy that `train run` made, from Python.

    python python/examples/evaluate_policy.py runs/quadruped-001 --episodes 20

The worlds, the seed and the actions are those of `train eval`, to the bit.
"""

import argparse

import numpy as np

import polyrhythm

parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parse.add_argument("run", help="folder of a run, or a checkpoint")
parse.add_argument("--episodes", type=int, default=20)
arguments = parse.parse_args()

policy = polyrhythm.Policy.load(arguments.run)
worlds = min(policy.num_envs, arguments.episodes)
envs = policy.make_vec(worlds, seed=policy.seed + 1)
act = policy.actor(envs)
observations, _ = envs.reset()

# World w runs the episodes w, w + worlds, …: taking the first to finish would favour
# short ones.
returns = np.full(arguments.episodes, np.nan)
running = np.arange(worlds)
while np.isnan(returns).any():
    observations, rewards, terminations, truncations, infos = envs.step(act(observations))
    for w in np.flatnonzero(terminations | truncations):
        if running[w] < arguments.episodes:
            returns[running[w]] = envs.episode_return[w]
        running[w] += worlds
envs.close()

print(f"{envs.task}, {arguments.episodes} episodes: return {returns.mean():.17g} ± {returns.std():.1f}")
