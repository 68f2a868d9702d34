"""Step many worlds under random actions and count what happens.

    python python/examples/random_rollout.py --task Hopper-v5 --worlds 64 --steps 500
"""

import argparse
import time

import gymnasium

import polyrhythm  # registers the ids

parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parse.add_argument("--task", default="HalfCheetah-v5")
parse.add_argument("--worlds", type=int, default=64)
parse.add_argument("--steps", type=int, default=500, help="control steps of each world")
arguments = parse.parse_args()

envs = gymnasium.make_vec(
    f"{polyrhythm.PREFIX}{arguments.task}", arguments.worlds, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP
)
envs.action_space.seed(1)
observations, infos = envs.reset(seed=1)
episodes, returns = 0, 0.0
begin = time.perf_counter()
for _ in range(arguments.steps):
    observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())
    ended = terminations | truncations
    episodes += int(ended.sum())
    returns += float(envs.unwrapped.episode_return[ended].sum())
seconds = time.perf_counter() - begin
envs.close()

print(f"{arguments.worlds * arguments.steps / seconds:,.0f} environment steps/s")
print(f"{episodes} episodes" + (f", mean return {returns / episodes:.1f}" if episodes else ""))
