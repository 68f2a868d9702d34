"""How fast rollouts are collected here, beside RLlib on the same worlds.

    python python/benchmarks/rllib.py --task HalfCheetah-v5

needs the environment of the workflow `peers`. Both contenders step our worlds and sample actions
with their log-probabilities from a policy with the same layers; each has one thread. In every
round each collects --segment steps of each world once, in turning order; what counts is the
median over the rounds, and the ratio is the median of the rounds' own ratios, since a shared
machine changes its speed from minute to minute.

    polyrhythm  Collector.collect: what `train run` collects in an iteration, with the value of each
                observation, and the bytes in which it goes to the learner
    rllib       SingleAgentEnvRunner.sample with PPO's module over gymnasium.make_vec, by its vector
                entry point. It computes no values: RLlib's learner does that later
    worlds      the same worlds stepped by random actions in a loop inside the library: the time that
                both others spend in physics. What is theirs beyond it is printed for each step
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from ctypes import byref, c_double
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # they are read when libraries load
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import gymnasium
import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

import polyrhythm
from polyrhythm.parts import Collector, Learner

HIDDEN = 64  # units of each of two tanh layers


def ours(task: str, worlds: int, segment: int, folder: Path) -> Callable[[], float]:
    overrides = {
        "worlds": worlds,
        "recording.enabled": False,
        "training": {"segment": segment, "hidden": [HIDDEN, HIDDEN], "epochs": 1, "steps": 10**9, "checkpoint_every": 10**6},
        "evaluation.episodes": 1,
    }
    learner = Learner({"Quadruped-v0": "quadruped"}.get(task, task), out=folder / "run", overrides=overrides)
    collector = Collector(learner.assignments[0], workers=1)

    def measure() -> float:
        orders = learner.orders()
        begin = time.perf_counter()
        part = collector.collect(orders)
        seconds = time.perf_counter() - begin
        learner.absorb([part])
        return seconds

    measure.close = lambda: (collector.close(), learner.close())  # type: ignore[attr-defined]
    return measure


def rllib(task: str, worlds: int, segment: int) -> Callable[[], float]:
    torch.set_num_threads(1)
    config = (
        PPOConfig()
        .environment(f"Polyrhythm/{task}", env_config={"workers": 1})
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=worlds,
            rollout_fragment_length=segment,
            gym_env_vectorize_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT,
        )
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[HIDDEN, HIDDEN], fcnet_activation="tanh", vf_share_layers=False))
    )
    runner = SingleAgentEnvRunner(config=config)

    def measure() -> float:
        begin = time.perf_counter()
        episodes = runner.sample(num_timesteps=worlds * segment, explore=True)
        seconds = time.perf_counter() - begin
        steps = sum(len(episode) for episode in episodes)
        assert worlds * segment <= steps < worlds * (segment + 1), steps
        return seconds * worlds * segment / steps

    measure.close = runner.stop  # type: ignore[attr-defined]
    return measure


def bare(task: str, worlds: int, segment: int) -> Callable[[], float]:
    env = polyrhythm.make_vec(task, worlds, workers=1, seed=1)
    env.reset()
    env.action_space.seed(1)
    tape = np.ascontiguousarray([env.action_space.sample() for _ in range(64)], np.float32)
    seconds = c_double()

    def measure() -> float:
        env._handle.call("polyrhythm_loop", segment, tape.ctypes.data, tape.size, False, byref(seconds))
        return seconds.value

    measure.close = env.close  # type: ignore[attr-defined]
    return measure


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--task", default="HalfCheetah-v5")
    parse.add_argument("--worlds", type=int, default=16)
    parse.add_argument("--segment", type=int, default=128, help="steps of each world in a rollout")
    parse.add_argument("--rounds", type=int, default=11)
    parse.add_argument("--json", action="store_true", help="print one line of JSON")
    arguments = parse.parse_args()
    task, worlds, segment = arguments.task, arguments.worlds, arguments.segment

    with tempfile.TemporaryDirectory() as folder:
        contenders = {
            "polyrhythm": ours(task, worlds, segment, Path(folder)),
            "rllib": rllib(task, worlds, segment),
            "worlds": bare(task, worlds, segment),
        }
        for measure in contenders.values():
            measure()
        rounds: list[dict[str, float]] = []
        order = list(contenders)
        for _ in range(arguments.rounds):
            rounds.append({name: contenders[name]() for name in order})
            order = order[1:] + order[:1]
        for measure in contenders.values():
            measure.close()  # type: ignore[attr-defined]
    result = {
        "task": task,
        "worlds": worlds,
        "segment": segment,
        "rounds": arguments.rounds,
        "steps_per_s": {name: worlds * segment / statistics.median(r[name] for r in rounds) for name in contenders},
        "polyrhythm_over": {name: statistics.median(r[name] / r["polyrhythm"] for r in rounds) for name in contenders},
        "us_beyond_worlds": {name: statistics.median(r[name] - r["worlds"] for r in rounds) / worlds / segment * 1e6 for name in contenders},
    }
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"{task}, {worlds} worlds, {segment} steps of each, one thread; medians of {arguments.rounds} rounds")
    for name, rate in result["steps_per_s"].items():
        print(f"{name:12}{rate:12,.0f} steps/s   polyrhythm is {result['polyrhythm_over'][name]:.1f} ×   {result['us_beyond_worlds'][name]:6.1f} µs a step beyond worlds")


if __name__ == "__main__":
    main()
