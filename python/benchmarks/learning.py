"""How fast PPO learns here, beside Stable-Baselines3 and CleanRL's loop over EnvPool.

    python python/benchmarks/learning.py --task HalfCheetah-v5

needs the environment of the workflow `peers` and build/bin/train (or --train). All learn
the same task with the same settings, which the table's head names. Each contender has a
process of its own; in every round each learns for a while, while the others wait. rounds.py
has how rounds are compared.

    polyrhythm     `train run`, a new training in each round, without recording
    sb3            PPO of Stable-Baselines3 with VecNormalize over its DummyVecEnv
    cleanrl        the loop of CleanRL's ppo_continuous_action, written anew in PyTorch, over
                   EnvPool or, where that is not installed, Gymnasium's SyncVectorEnv
    rl_tools       PPO of rl_tools, a C++ program that is built for the task (rl_tools.cpp), with
                   OpenBLAS; it has HalfCheetah-v5 and InvertedPendulum-v5. It bounds neither the
                   gradient's norm nor the change of values, and its moments of observations are
                   means over rollouts

Polyrhythm runs with a thread for each processor and with one, those below it with one and with two
threads, of PyTorch or of rl_tools' worlds; the fastest ones are compared. A rate is of environment
steps that were learnt from, by the wall time of rollouts and updates together, with the first
rollout of polyrhythm, which only measures the observations. `return` is the mean of the first and
of the last eighth of the episodes that ended, with the steps that were learnt from until then: of
polyrhythm in a round, and of the others in all rounds, since they go on.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

import gymnasium
import numpy as np
import torch
from engines import Engine
from rounds import ROOT, TRAIN, in_turns, medians, options, run, tell, train
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.running_mean_std import RunningMeanStd
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn
from torch.distributions import Normal

from polyrhythm._processes import Processes

try:
    import envpool
except ImportError:
    envpool = None

# The same for all. The learning rate is constant; the value loss is value_weight times half
# the squared error; observations and rewards are standardised by running moments.
SETTINGS = {
    "worlds": 8,
    "segment": 256,
    "minibatch": 64,
    "epochs": 10,
    "hidden": 64,  # units of each of two tanh layers
    "learning_rate": 3e-4,
    "gamma": 0.99,
    "lambda": 0.95,
    "clip": 0.2,
    "value_weight": 0.5,
    "max_grad_norm": 0.5,
    "initial_std": 1.0,
}
ROLLOUT = SETTINGS["worlds"] * SETTINGS["segment"]


def ours(task: str, workers: int, program: str):
    """A new training for each call."""
    s = SETTINGS
    other = ("worlds", "hidden")
    keys = {
        "worlds": s["worlds"],
        "block_size": max(1, s["worlds"] // workers),  # has no influence on what is learnt
        "recording.enabled": False,
        "recording.clip": False,
        "evaluation.episodes": 1,
        "training.hidden": [s["hidden"]] * 2,
        "training.schedule": "constant",
        **{f"training.{name}": s[name] for name in s if name not in other},
    }

    def learn(iterations: int) -> dict:
        keys["training.steps"] = (iterations + 1) * ROLLOUT
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "run"
            train(program, "run", keys, "--task", task, "--out", out, "--workers", workers)
            report = json.loads((out / "run.json").read_text())
            rows = list(csv.DictReader((out / "metrics.csv").open()))
        assert report["worlds"] == s["worlds"] and len(rows) == iterations, (report, len(rows))
        rollout = report["rollout_s"]
        returns = [float(row["mean_return"]) for row in rows if row["mean_return"]]
        return part(iterations, rollout, report["wall_s"] - rollout, returns) | {"new": True}

    return learn


def part(iterations: int, rollout: float, update: float, returns: list[float]) -> dict:
    """What learning for so many iterations took, in seconds, and the episodes' returns."""
    return {"steps": iterations * ROLLOUT, "rollout": rollout, "update": update, "returns": returns}


class Timed(PPO):
    """Stable-Baselines3's PPO, with the seconds of its updates."""

    seconds = 0.0

    def train(self) -> None:
        begun = time.perf_counter()
        super().train()
        self.seconds += time.perf_counter() - begun


def sb3(task: str, threads: int, _: str):
    """The same learner goes on in each call."""
    torch.set_num_threads(threads)
    s = SETTINGS
    model = Timed(
        "MlpPolicy", VecNormalize(make_vec_env(task, n_envs=s["worlds"], seed=1), gamma=s["gamma"]),
        n_steps=s["segment"], batch_size=s["minibatch"], n_epochs=s["epochs"], learning_rate=s["learning_rate"],
        gamma=s["gamma"], gae_lambda=s["lambda"], clip_range=s["clip"], clip_range_vf=s["clip"],
        vf_coef=s["value_weight"] / 2, max_grad_norm=s["max_grad_norm"], stats_window_size=10**6,
        policy_kwargs={"net_arch": [s["hidden"]] * 2, "log_std_init": math.log(s["initial_std"])}, seed=1, device="cpu",
    )  # fmt: skip

    def learn(iterations: int) -> dict:
        model.seconds, begun = 0.0, time.perf_counter()
        model.learn(iterations * ROLLOUT, reset_num_timesteps=False)
        total = time.perf_counter() - begun
        returns = [episode["r"] for episode in model.ep_info_buffer]
        model.ep_info_buffer.clear()
        return part(iterations, total - model.seconds, model.seconds, returns)

    return learn


class Worlds:
    """Worlds with standardised observations and rewards, and a record of their episodes."""

    def __init__(self, task: str):
        n = SETTINGS["worlds"]
        if envpool:
            self.env, self.name = envpool.make_gymnasium(task, num_envs=n, num_threads=os.cpu_count()), "EnvPool"
        else:
            self.env, self.name = gymnasium.make_vec(task, num_envs=n, vectorization_mode="sync"), "SyncVectorEnv"
        space = getattr(self.env, "single_action_space", self.env.action_space)
        seen = getattr(self.env, "single_observation_space", self.env.observation_space)
        self.low, self.high = space.low, space.high
        self.observed, self.acted = seen.shape[-1], space.shape[-1]
        self.observations, self.discounted = RunningMeanStd(shape=(self.observed,)), RunningMeanStd()
        self.sum, self.total, self.returns = np.zeros(n), np.zeros(n), []

    def reset(self):
        return self.standard(self.env.reset()[0])

    def standard(self, x):
        self.observations.update(x)
        return ((x - self.observations.mean) / (self.observations.var + 1e-8) ** 0.5).clip(-10, 10)

    def step(self, action):
        x, reward, terminated, truncated, _ = self.env.step(action.clip(self.low, self.high).astype("float64"))
        done = terminated | truncated
        self.sum = self.sum * SETTINGS["gamma"] + reward
        self.discounted.update(self.sum)
        self.total += reward
        self.returns += self.total[done].tolist()
        self.sum[done], self.total[done] = 0, 0
        return self.standard(x), (reward / (self.discounted.var + 1e-8) ** 0.5).clip(-10, 10), done


def cleanrl(task: str, threads: int, _: str):
    """One file, one loop: a rollout, advantages backwards in time, epochs of minibatches."""
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    shuffler = np.random.default_rng(1)
    s, worlds = SETTINGS, Worlds(task)

    def layer(inputs: int, outputs: int, gain: float) -> nn.Linear:
        linear = nn.Linear(inputs, outputs)
        nn.init.orthogonal_(linear.weight, gain)
        nn.init.zeros_(linear.bias)
        return linear

    def network(outputs: int, gain: float) -> nn.Sequential:
        h = s["hidden"]
        return nn.Sequential(
            layer(worlds.observed, h, 2**0.5), nn.Tanh(), layer(h, h, 2**0.5), nn.Tanh(), layer(h, outputs, gain)
        )

    actor, critic = network(worlds.acted, 0.01), network(1, 1)
    log_std = nn.Parameter(torch.full((1, worlds.acted), math.log(s["initial_std"])))
    parameters = [*actor.parameters(), *critic.parameters(), log_std]
    adam = torch.optim.Adam(parameters, lr=s["learning_rate"], eps=1e-5)
    steps, n = s["segment"], s["worlds"]
    seen, acted = torch.zeros(steps, n, worlds.observed), torch.zeros(steps, n, worlds.acted)
    log_prob, rewards, begins, values = (torch.zeros(steps, n) for _ in range(4))
    now = {"x": torch.tensor(worlds.reset(), dtype=torch.float32), "begins": torch.zeros(n)}

    def distribution(x) -> Normal:
        mean = actor(x)
        return Normal(mean, log_std.expand_as(mean).exp())

    @torch.no_grad()
    def rollout() -> None:
        for t in range(steps):
            seen[t], begins[t] = now["x"], now["begins"]
            drawn = distribution(now["x"])
            acted[t] = drawn.sample()
            log_prob[t], values[t] = drawn.log_prob(acted[t]).sum(1), critic(now["x"]).flatten()
            x, reward, done = worlds.step(acted[t].numpy())
            rewards[t] = torch.as_tensor(reward)
            now["x"] = torch.as_tensor(x, dtype=torch.float32)
            now["begins"] = torch.as_tensor(done, dtype=torch.float32)

    @torch.no_grad()
    def advantages() -> torch.Tensor:
        result, after = torch.zeros(steps, n), torch.zeros(n)
        value, goes_on = critic(now["x"]).flatten(), 1 - now["begins"]
        for t in reversed(range(steps)):
            delta = rewards[t] + s["gamma"] * value * goes_on - values[t]
            result[t] = after = delta + s["gamma"] * s["lambda"] * goes_on * after
            value, goes_on = values[t], 1 - begins[t]
        return result

    def update() -> None:
        gained = advantages()
        targets = (gained + values).flatten()
        x, action = seen.reshape(-1, worlds.observed), acted.reshape(-1, worlds.acted)
        before, old, gained = log_prob.flatten(), values.flatten(), gained.flatten()
        for _ in range(s["epochs"]):
            order = shuffler.permutation(len(x))
            for part in np.split(order, len(x) // s["minibatch"]):
                drawn = distribution(x[part])
                ratio = (drawn.log_prob(action[part]).sum(1) - before[part]).exp()
                a = gained[part]
                a = (a - a.mean()) / (a.std() + 1e-8)
                policy = torch.max(-a * ratio, -a * ratio.clamp(1 - s["clip"], 1 + s["clip"])).mean()
                value = critic(x[part]).flatten()
                held = old[part] + (value - old[part]).clamp(-s["clip"], s["clip"])
                error = torch.max((value - targets[part]) ** 2, (held - targets[part]) ** 2).mean()
                adam.zero_grad()
                (policy + s["value_weight"] * error / 2).backward()
                nn.utils.clip_grad_norm_(parameters, s["max_grad_norm"])
                adam.step()

    def learn(iterations: int) -> dict:
        took = {"rollout": 0.0, "update": 0.0}
        worlds.returns = []
        for _ in range(iterations):
            for name, do in (("rollout", rollout), ("update", update)):
                begun = time.perf_counter()
                do()
                took[name] += time.perf_counter() - begun
        return part(iterations, took["rollout"], took["update"], worlds.returns) | {"worlds": worlds.name}

    return learn


# What rl_tools.cpp calls the tasks that it has.
RL_TOOLS = {"HalfCheetah-v5": "HalfCheetah", "InvertedPendulum-v5": "InvertedPendulum"}


def built(task: str, threads: int) -> Path:
    """The program rl_tools.cpp for a task; it is kept in build/rl_tools for the same source and settings."""
    source, mujoco = Path(__file__).with_name("rl_tools.cpp"), ROOT / "third_party" / "mujoco"
    headers = Path(find_spec("rltools").submodule_search_locations[0]) / "external" / "rl_tools" / "include"
    macros = {"task": RL_TOOLS[task], "threads": threads}
    macros |= {name: SETTINGS[name] for name in SETTINGS if name not in ("value_weight", "max_grad_norm")}
    command = [
        "g++", "-std=c++17", "-O3", "-march=native", "-ffast-math", "-DRL_TOOLS_BACKEND_ENABLE_OPENBLAS",
        *(f"-DSET_{name.upper()}={value}" for name, value in macros.items()), f"-I{headers}", f"-I{mujoco}/include",
        str(source), f"-L{mujoco}/lib", f"-Wl,-rpath,{mujoco}/lib", "-lmujoco", "-lopenblas", "-pthread",
    ]  # fmt: skip
    key = hashlib.sha256(json.dumps(command).encode() + source.read_bytes()).hexdigest()[:16]
    program = ROOT / "build" / "rl_tools" / key
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        partial = program.with_suffix(f".{os.getpid()}")
        subprocess.run([*command, "-o", str(partial)], check=True)
        partial.replace(program)
    return program


def rl_tools(task: str, threads: int, _: str):
    """The same learner goes on in each call."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as rl_tools advises
    engine = Engine(built(task, threads), gymnasium.make(task).unwrapped.fullpath, "learn")

    def learn(iterations: int) -> dict:
        result = engine.measure(iterations)
        return part(iterations, result["rollout"], result["update"], result["returns"]) | {"worlds": engine.version}

    return learn


class Learner:
    """What a contender's process has."""

    def __init__(self, name: str, *arguments):
        os.dup2(2, 1)  # what the libraries print is no result
        self.learn = {"polyrhythm": ours, "sb3": sb3, "cleanrl": cleanrl, "rl_tools": rl_tools}[name](*arguments)


class Contender:
    """A process that learns for some iterations in each turn."""

    def __init__(self, name: str, threads: int, arguments: Namespace):
        self.name, self.threads = name, threads
        self.worker = Processes().start("learning:Learner", name, arguments.task, threads, str(arguments.train))
        self.iterations = arguments.iterations or 1
        self.steps, self.returns = 0, [[]]  # learnt from by the learner of now; a list for each learner

    def learn(self) -> dict:
        result = self.worker.call("learn", self.iterations).result()
        if result.get("new"):
            self.steps = 0
            self.returns.append([])
        self.steps += result["steps"]
        self.returns[-1] += result["returns"]
        return result

    def calibrate(self, seconds: float) -> None:
        """Set iterations to what takes about so long. What new learners reached meanwhile does not count."""
        while True:
            result = self.learn()
            took = result["rollout"] + result["update"]
            if took > seconds / 3 or self.iterations > 1000:
                break
            self.iterations *= 2
        self.iterations = max(1, round(self.iterations * seconds / took))
        if result.get("new"):
            self.returns = [[]]

    def turn(self) -> dict[str, float]:
        """Steps per second of a round: of all, and of each part alone."""
        result = self.learn()
        self.worlds = result.get("worlds", "")
        parts = {"all": result["rollout"] + result["update"], "rollout": result["rollout"], "update": result["update"]}
        return {name: result["steps"] / seconds for name, seconds in parts.items()}

    def learnt(self) -> tuple[float, float]:
        """The mean return of the first and of the last eighth of the episodes of each learner."""
        ends = []
        for returns in filter(None, self.returns):
            k = max(1, len(returns) // 8)
            ends.append((statistics.mean(returns[:k]), statistics.mean(returns[-k:])))
        return tuple(map(statistics.mean, zip(*ends, strict=True))) if ends else (math.nan, math.nan)


def compare(contenders: list[Contender], rounds: list[dict[int, dict[str, float]]]) -> list[dict]:
    """A row for each contender; how many times as fast polyrhythm is as each."""
    rows = []
    for i, c in enumerate(contenders):
        ratios = sorted(r[0]["all"] / r[i]["all"] for r in rounds)
        rates = medians(["all", "rollout", "update"], rounds, lambda r, name, i=i: r[i][name])
        first, last = c.learnt()
        rows.append({
            "name": c.name, "threads": c.threads, "worlds": c.worlds, "rounds": [r[i]["all"] for r in rounds],
            "steps_per_s": rates["all"], "rollout_steps_per_s": rates["rollout"], "update_steps_per_s": rates["update"],
            "polyrhythm_over": statistics.median(ratios), "least": ratios[0], "most": ratios[-1],
            "first_return": first, "last_return": last, "steps": c.steps,
        })  # fmt: skip
    return rows


def show(arguments: Namespace, rows: list[dict]) -> None:
    print(f"{arguments.task}, {arguments.rounds} rounds; all with")
    print("  " + ", ".join(f"{key} {value}" for key, value in SETTINGS.items()))
    print(f"{'':22}{'steps/s':>10}{'rollout':>10}{'update':>10}   polyrhythm is             return")
    for r in rows:
        name = f"{r['name']}, {r['threads']} thread" + "s" * (r["threads"] > 1)
        print(
            f"{name:22}{r['steps_per_s']:10,.0f}{r['rollout_steps_per_s']:10,.0f}{r['update_steps_per_s']:10,.0f}"
            f"{r['polyrhythm_over']:7.1f} × ({r['least']:.1f} to {r['most']:.1f})   "
            f"{r['first_return']:9.1f} → {r['last_return']:.1f} in {r['steps']:,} steps"
            + (f"   over {r['worlds']}" if r["worlds"] else "")
        )
        print(" " * 22 + "rounds: " + ", ".join(f"{x:,.0f}" for x in r["rounds"]))
    for name in dict.fromkeys(r["name"] for r in rows if r["name"] != "polyrhythm"):
        best = min((r for r in rows if r["name"] == name), key=lambda r: r["polyrhythm_over"])
        print(f"polyrhythm learns {best['polyrhythm_over']:.1f} times as fast as {name} at its best")


def main() -> None:
    arguments = options(
        __doc__, task=("HalfCheetah-v5", "one with continuous actions"), train=(TRAIN, "the program"),
        rounds=(7, "how many"), seconds=(6.0, "of each contender in each round"),
        iterations=(int, "rollouts with their updates in each round, in place of --seconds"),
        peers=("sb3,cleanrl,rl_tools", "to compare with"), peer_threads=("1,2", "of PyTorch, or of rl_tools' worlds"),
    )  # fmt: skip
    contenders = [Contender("polyrhythm", n, arguments) for n in dict.fromkeys([os.cpu_count(), 1])]
    threads = [int(n) for n in arguments.peer_threads.split(",")]
    peers = [name for name in arguments.peers.split(",") if name != "rl_tools" or arguments.task in RL_TOOLS]
    contenders += [Contender(name, n, arguments) for name in peers for n in threads]
    for c in contenders:
        if not arguments.iterations:
            c.calibrate(arguments.seconds)
    rounds = in_turns({i: c.turn for i, c in enumerate(contenders)}, arguments.rounds)
    for c in contenders:
        c.worker.stop()
    rows = compare(contenders, rounds)
    tell(arguments, {"task": arguments.task, "settings": SETTINGS, "contenders": rows}, lambda: show(arguments, rows))


if __name__ == "__main__":
    run(main)
