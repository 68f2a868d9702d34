"""How fast rollouts are collected here, beside RLlib on the same worlds.

    python python/benchmarks/rllib.py --task HalfCheetah-v5

needs the environment of the workflow `peers`. Both contenders step our worlds and sample actions
with their log-probabilities from a policy with the same layers; each has one thread. In every
round each collects --segment steps of each world once; rounds.py has how rounds are compared.

    polyrhythm  Collector.collect: what `train run` collects in an iteration, with the value of each
                observation, and the bytes in which it goes to the learner
    rllib       SingleAgentEnvRunner.sample with PPO's module over gymnasium.make_vec, by its vector
                entry point. It computes no values: RLlib's learner does that later
    worlds      the same worlds stepped by random actions in a loop in Go: the time that both others
                spend in physics. What is theirs beyond it is printed for each step
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # they are read when libraries load
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import gymnasium
import numpy as np
import torch
from engines import go_loop
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from rounds import in_turns, medians, options, run, tell

import polyrhythm
from polyrhythm.parts import Collector, Learner

HIDDEN = 64  # units of each of two tanh layers


def ours(task: str, worlds: int, segment: int, folder: Path, end: ExitStack) -> Callable[[], float]:
    overrides = {
        "worlds": worlds,
        "recording.enabled": False,
        "training": {"segment": segment, "hidden": [HIDDEN] * 2, "epochs": 1, "steps": 10**9},
        "training.checkpoint_every": 10**6,
        "evaluation.episodes": 1,
    }
    learner = Learner({"Quadruped-v0": "quadruped"}.get(task, task), out=folder / "run", overrides=overrides)
    collector = Collector(learner.assignments[0], workers=1)
    end.callback(lambda: (collector.close(), learner.close()))

    def measure() -> float:
        weights = learner.weights()
        begin = time.perf_counter()
        part = collector.collect(weights)
        seconds = time.perf_counter() - begin
        learner.add_rollouts([part])
        return seconds

    return measure


def rllib(task: str, worlds: int, segment: int, end: ExitStack) -> Callable[[], float]:
    torch.set_num_threads(1)
    config = (
        PPOConfig()
        .environment(f"Polyrhythm/{task}", env_config={"workers": 1})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=worlds, rollout_fragment_length=segment,
            gym_env_vectorize_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT)
        .rl_module(
            model_config=DefaultModelConfig(fcnet_hiddens=[HIDDEN] * 2, fcnet_activation="tanh", vf_share_layers=False)
        )
    )  # fmt: skip
    runner = SingleAgentEnvRunner(config=config)
    end.callback(runner.stop)

    def measure() -> float:
        begin = time.perf_counter()
        episodes = runner.sample(num_timesteps=worlds * segment, explore=True)
        seconds = time.perf_counter() - begin
        steps = sum(len(episode) for episode in episodes)
        assert worlds * segment <= steps < worlds * (segment + 1), steps
        return seconds * worlds * segment / steps

    return measure


def bare(task: str, worlds: int, segment: int, folder: Path, end: ExitStack) -> Callable[[], float]:
    with closing(polyrhythm.make_vec(task, worlds, workers=1)) as env:
        env.action_space.seed(1)
        tape = np.array([env.action_space.sample() for _ in range(64)])
    loop = go_loop(task, worlds, 1, tape, str(folder), "free")
    end.callback(loop.close)
    return lambda: loop.measure(segment)


def main() -> None:
    arguments = options(
        __doc__, task=("HalfCheetah-v5", "of Gymnasium"), worlds=(16, "of each"),
        segment=(128, "steps of each world in a rollout"), rounds=(11, "how many"),
    )  # fmt: skip
    task, worlds, segment = about = arguments.task, arguments.worlds, arguments.segment

    with tempfile.TemporaryDirectory() as folder, ExitStack() as end:
        contenders = {"polyrhythm": ours(*about, Path(folder), end), "rllib": rllib(*about, end),
            "worlds": bare(*about, Path(folder), end)}  # fmt: skip
        for measure in contenders.values():
            measure()
        rounds = in_turns(contenders, arguments.rounds)
    steps = worlds * segment
    result = {
        "task": task, "worlds": worlds, "segment": segment, "rounds": arguments.rounds,
        "steps_per_s": medians(contenders, rounds, lambda r, name: steps / r[name]),
        "polyrhythm_over": medians(contenders, rounds, lambda r, name: r[name] / r["polyrhythm"]),
        "us_beyond_worlds": medians(contenders, rounds, lambda r, name: (r[name] - r["worlds"]) / steps * 1e6),
    }  # fmt: skip

    def show() -> None:
        print(f"{task}, {worlds} worlds, {segment} steps of each, one thread; medians of {arguments.rounds} rounds")
        for name, rate in result["steps_per_s"].items():
            print(f"{name:12}{rate:12,.0f} steps/s   polyrhythm is {result['polyrhythm_over'][name]:.1f} ×"
                  f"   {result['us_beyond_worlds'][name]:6.1f} µs a step beyond worlds")  # fmt: skip

    tell(arguments, result, show)


if __name__ == "__main__":
    run(main)
