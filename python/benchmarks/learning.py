"""How fast PPO learns here, beside Stable-Baselines3 and CleanRL's loop over EnvPool.

    python python/benchmarks/learning.py --task HalfCheetah-v5

needs the environment of the workflow `peers` and build/bin/train (or --train). All learn
the same task with the same settings, which the table's head names. Each contender has a
process of its own; in every round each learns for a while, in turning order, while the
others wait. What counts is the median over the rounds, and the ratios are medians of the
rounds' own ratios, since a shared machine changes its speed from minute to minute.

    polyrhythm     `train run`, a new training in each round, without recording
    sb3            PPO of Stable-Baselines3 with VecNormalize over its DummyVecEnv
    cleanrl        the loop of CleanRL's ppo_continuous_action, written anew in PyTorch, over
                   EnvPool or, where that is not installed, Gymnasium's SyncVectorEnv

The last two run with one and with two threads of PyTorch; the faster one is compared. A
rate is of environment steps that were learnt from, by the wall time of rollouts and updates
together: without starting the process, with the first rollout of polyrhythm, which only
measures the observations. `rollout` and `update` are the rates of each part alone. `return`
is the mean of the first and of the last episodes that ended.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

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


def ours(task: str, train: str, workers: int):
    """A new training for each call."""
    s = SETTINGS
    keys = {
        "worlds": s["worlds"],
        "block_size": max(1, s["worlds"] // workers),  # has no influence on what is learnt
        "recording.enabled": "false",
        "recording.clip": "false",
        "evaluation.episodes": 1,
        "training.segment": s["segment"],
        "training.minibatch": s["minibatch"],
        "training.epochs": s["epochs"],
        "training.hidden": f"[{s['hidden']},{s['hidden']}]",
        "training.schedule": "constant",
        "training.learning_rate": s["learning_rate"],
        "training.gamma": s["gamma"],
        "training.lambda": s["lambda"],
        "training.clip": s["clip"],
        "training.value_weight": s["value_weight"],
        "training.max_grad_norm": s["max_grad_norm"],
        "training.initial_std": s["initial_std"],
    }

    def learn(iterations: int) -> dict:
        keys["training.steps"] = (iterations + 1) * ROLLOUT
        sets = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "run"
            subprocess.run(
                [train, "run", "--task", task, "--out", out, "--log-every", "0", "--workers", str(workers), *sets],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            report = json.loads((out / "run.json").read_text())
            rows = list(csv.DictReader((out / "metrics.csv").open()))
        assert report["worlds"] == s["worlds"] and len(rows) == iterations, (report, len(rows))
        rollout = report["rollout_s"]
        returns = [float(row["mean_return"]) for row in rows if row["mean_return"]]
        return part(iterations, rollout, report["wall_s"] - rollout, returns)

    return learn


def part(iterations: int, rollout: float, update: float, returns: list[float]) -> dict:
    """What learning for so many iterations took, in seconds, and the episodes' returns."""
    return {"steps": iterations * ROLLOUT, "rollout": rollout, "update": update, "returns": returns}


def sb3(task: str, threads: int):
    """The same learner goes on in each call."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import VecNormalize

    torch.set_num_threads(threads)
    s = SETTINGS

    class Watch(BaseCallback):
        def _on_training_start(self) -> None:
            self.rollout, self.begun, self.returns = 0.0, 0.0, []

        def _on_rollout_start(self) -> None:
            self.begun = time.perf_counter()

        def _on_rollout_end(self) -> None:
            self.rollout += time.perf_counter() - self.begun

        def _on_step(self) -> bool:
            self.returns += [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
            return True

    model = PPO(
        "MlpPolicy",
        VecNormalize(make_vec_env(task, n_envs=s["worlds"], seed=1), gamma=s["gamma"]),
        n_steps=s["segment"],
        batch_size=s["minibatch"],
        n_epochs=s["epochs"],
        learning_rate=s["learning_rate"],
        gamma=s["gamma"],
        gae_lambda=s["lambda"],
        clip_range=s["clip"],
        clip_range_vf=s["clip"],
        vf_coef=s["value_weight"] / 2,
        max_grad_norm=s["max_grad_norm"],
        policy_kwargs={"net_arch": [s["hidden"]] * 2, "log_std_init": math.log(s["initial_std"])},
        seed=1,
        device="cpu",
    )

    def learn(iterations: int) -> dict:
        watch, begun = Watch(), time.perf_counter()
        model.learn(iterations * ROLLOUT, callback=watch, reset_num_timesteps=False)
        total = time.perf_counter() - begun
        return part(iterations, watch.rollout, total - watch.rollout, watch.returns)

    return learn


class Moments:
    """Running mean and variance over the first axis of what it is shown."""

    def __init__(self, shape=()):
        import numpy as np

        self.mean, self.variance, self.count = np.zeros(shape), np.ones(shape), 1e-4

    def add(self, x) -> None:
        n = self.count + len(x)
        away = x.mean(0) - self.mean
        self.variance = (
            self.variance * self.count + x.var(0) * len(x) + away**2 * self.count * len(x) / n
        ) / n
        self.mean = self.mean + away * len(x) / n
        self.count = n


class Worlds:
    """Worlds with standardised observations and rewards, and a record of their episodes."""

    def __init__(self, task: str):
        import numpy as np

        n = SETTINGS["worlds"]
        try:
            import envpool

            self.env, self.name = envpool.make_gymnasium(task, num_envs=n, num_threads=os.cpu_count()), "EnvPool"
        except ImportError:
            import gymnasium

            self.env, self.name = gymnasium.make_vec(task, num_envs=n, vectorization_mode="sync"), "SyncVectorEnv"
        space = getattr(self.env, "single_action_space", self.env.action_space)
        seen = getattr(self.env, "single_observation_space", self.env.observation_space)
        self.low, self.high = space.low, space.high
        self.observed, self.acted = seen.shape[-1], space.shape[-1]
        self.observations, self.discounted = Moments(self.observed), Moments()
        self.sum, self.total, self.returns = np.zeros(n), np.zeros(n), []

    def reset(self):
        return self.standard(self.env.reset()[0])

    def standard(self, x):
        self.observations.add(x)
        return ((x - self.observations.mean) / (self.observations.variance + 1e-8) ** 0.5).clip(-10, 10)

    def step(self, action):
        x, reward, terminated, truncated, _ = self.env.step(action.clip(self.low, self.high).astype("float64"))
        done = terminated | truncated
        self.sum = self.sum * SETTINGS["gamma"] + reward
        self.discounted.add(self.sum)
        self.total += reward
        self.returns += self.total[done].tolist()
        self.sum[done], self.total[done] = 0, 0
        return self.standard(x), (reward / (self.discounted.variance + 1e-8) ** 0.5).clip(-10, 10), done


def cleanrl(task: str, threads: int):
    """One file, one loop: a rollout, advantages backwards in time, epochs of minibatches."""
    import numpy as np
    import torch
    from torch import nn
    from torch.distributions import Normal

    torch.set_num_threads(threads)
    torch.manual_seed(1)
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
            order = np.random.permutation(len(x))
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


class Contender:
    """A process that learns for the iterations of each line that it is sent."""

    def __init__(self, name: str, threads: int, arguments: argparse.Namespace):
        self.name, self.threads = name, threads
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--task", arguments.task, "--train", arguments.train,
             "--contender", name, "--threads", str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.iterations = 1
        self.rounds: list[dict] = []

    def learn(self) -> dict:
        print(self.iterations, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended with exit code {self.process.wait()}")
        return json.loads(line)

    def calibrate(self, seconds: float) -> None:
        """Set iterations to what takes about so long."""
        while True:
            took = self.learn()
            took = took["rollout"] + took["update"]
            if took > seconds / 3 or self.iterations > 1000:
                break
            self.iterations *= 2
        self.iterations = max(1, round(self.iterations * seconds / took))

    def rate(self, what: str = "both") -> list[float]:
        """Steps per second of each round."""
        parts = ("rollout", "update") if what == "both" else (what,)
        return [r["steps"] / sum(r[p] for p in parts) for r in self.rounds]

    def learnt(self) -> tuple[float, float]:
        """The mean return of the first and of the last eighth of the episodes."""
        returns = [x for r in self.rounds for x in r["returns"]]
        k = max(1, len(returns) // 8)
        return (statistics.mean(returns[:k]), statistics.mean(returns[-k:])) if returns else (math.nan, math.nan)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def serve(arguments: argparse.Namespace) -> None:
    """Be a contender."""
    lines = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print is not an answer
    if arguments.contender == "polyrhythm":
        learn = ours(arguments.task, arguments.train, arguments.threads)
    else:
        learn = {"sb3": sb3, "cleanrl": cleanrl}[arguments.contender](arguments.task, arguments.threads)
    for line in sys.stdin:
        print(json.dumps(learn(int(line))), file=lines, flush=True)


def compare(contenders: list[Contender]) -> list[dict]:
    """A row for each contender; how many times as fast polyrhythm is as each."""
    us = contenders[0].rate()
    rows = []
    for c in contenders:
        ratios = sorted(a / b for a, b in zip(us, c.rate(), strict=True))
        first, last = c.learnt()
        rows.append(
            {
                "name": c.name,
                "threads": c.threads,
                "worlds": c.rounds[-1].get("worlds", ""),
                "steps_per_s": statistics.median(c.rate()),
                "rounds": c.rate(),
                "rollout_steps_per_s": statistics.median(c.rate("rollout")),
                "update_steps_per_s": statistics.median(c.rate("update")),
                "polyrhythm_over": statistics.median(ratios),
                "least": ratios[0],
                "most": ratios[-1],
                "first_return": first,
                "last_return": last,
            }
        )
    return rows


def show(rows: list[dict]) -> None:
    print(f"{'':22}{'steps/s':>10}{'rollout':>10}{'update':>10}   polyrhythm is             return")
    for r in rows:
        name = f"{r['name']}, {r['threads']} thread" + "s" * (r["threads"] > 1)
        print(
            f"{name:22}{r['steps_per_s']:10,.0f}{r['rollout_steps_per_s']:10,.0f}{r['update_steps_per_s']:10,.0f}"
            f"{r['polyrhythm_over']:7.1f} × ({r['least']:.1f} to {r['most']:.1f})   "
            f"{r['first_return']:9.1f} → {r['last_return']:.1f}"
            + (f"   over {r['worlds']}" if r["worlds"] else "")
        )
        print(" " * 22 + "rounds: " + ", ".join(f"{x:,.0f}" for x in r["rounds"]))
    for name in dict.fromkeys(r["name"] for r in rows[1:]):
        best = min((r for r in rows if r["name"] == name), key=lambda r: r["polyrhythm_over"])
        print(f"polyrhythm learns {best['polyrhythm_over']:.1f} times as fast as {name} at its best")


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--task", default="HalfCheetah-v5", help="one with continuous actions")
    parse.add_argument("--train", default=str(ROOT / "build/bin/train"), help="the program train")
    parse.add_argument("--rounds", type=int, default=7)
    parse.add_argument("--seconds", type=float, default=6, help="of each contender in each round")
    parse.add_argument("--iterations", type=int, help="rollouts with their updates in each round, in place of --seconds")
    parse.add_argument("--peer-threads", type=int, nargs="+", default=[1, 2], help="of PyTorch")
    parse.add_argument("--json", action="store_true", help="print one line of JSON")
    parse.add_argument("--contender", help=argparse.SUPPRESS)
    parse.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    arguments = parse.parse_args()
    if arguments.contender:
        serve(arguments)
        return

    contenders = [Contender("polyrhythm", os.cpu_count(), arguments)]
    contenders += [Contender(name, n, arguments) for name in ("sb3", "cleanrl") for n in arguments.peer_threads]
    for c in contenders:
        if arguments.iterations:
            c.iterations = arguments.iterations
        else:
            c.calibrate(arguments.seconds)
    order = list(contenders)
    for _ in range(arguments.rounds):
        for c in order:
            c.rounds.append(c.learn())
        order = order[1:] + order[:1]
    for c in contenders:
        c.close()
    rows = compare(contenders)
    if arguments.json:
        print(json.dumps({"task": arguments.task, "settings": SETTINGS, "contenders": rows}))
        return
    print(f"{arguments.task}, {arguments.rounds} rounds; all with")
    print("  " + ", ".join(f"{key} {value}" for key, value in SETTINGS.items()))
    show(rows)


if __name__ == "__main__":
    main()
