"""Learn with Stable-Baselines3's PPO in our worlds.

    python python/examples/train_sb3.py --task InvertedPendulum-v5 --steps 50000

Needs the package stable_baselines3.
"""

import argparse

from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy

import polyrhythm
from polyrhythm.sb3 import VecEnv

parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parse.add_argument("--task", default="InvertedPendulum-v5")
parse.add_argument("--worlds", type=int, default=16)
parse.add_argument("--steps", type=int, default=50_000, help="environment steps to learn for")
arguments = parse.parse_args()


def worlds(n: int, seed: int) -> VecEnv:
    env = VecEnv(polyrhythm.make_vec(arguments.task, n, autoreset_mode="SameStep"))
    env.seed(seed)
    return env


training = worlds(arguments.worlds, seed=1)
model = PPO("MlpPolicy", training, n_steps=128, batch_size=256, seed=1, device="cpu")
model.learn(arguments.steps)
training.close()

judging = worlds(8, seed=1000)
mean, deviation = evaluate_policy(model, judging, n_eval_episodes=16, warn=False)
judging.close()
print(f"mean return {mean:.1f} ± {deviation:.1f}")
