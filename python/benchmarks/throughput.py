"""How fast worlds step through Python, beside EnvPool and our own Go loop.

    python python/benchmarks/throughput.py --task HalfCheetah-v5 --worlds 64

Every round measures each contender once on the same tape of random actions, in
turning order, for about --seconds; what counts is the median over the rounds, and
the ratios are medians of the rounds' own ratios, since a shared machine changes
its speed from minute to minute.

    python   step() of polyrhythm.make_vec, in this process
    copy     step() of gymnasium.make_vec, which copies what it returns
    go       the same worlds stepped by a loop inside the library, action by action
             for all worlds, as step() does
    go free  the same, each thread taking its worlds through the round without
             waiting for the others
    envpool  EnvPool's step(), if it is installed, with as many threads

Environment steps and physics steps are printed apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from ctypes import byref, c_double

import numpy as np

import polyrhythm


def python_loop(worlds: polyrhythm.VectorEnv, tape: np.ndarray) -> Callable[[int], float]:
    def measure(steps: int) -> float:
        begin = time.perf_counter()
        for i in range(steps):
            worlds.step(tape[i % len(tape)])
        return time.perf_counter() - begin

    return measure


def go_loop(worlds: polyrhythm.VectorEnv, tape: np.ndarray, barrier: bool) -> Callable[[int], float]:
    actions = np.ascontiguousarray(tape, np.float32)

    def measure(steps: int) -> float:
        seconds = c_double()
        worlds._handle.call("polyrhythm_loop", steps, actions.ctypes.data, actions.size, barrier, byref(seconds))
        return seconds.value

    return measure


def envpool_loop(task: str, worlds: int, threads: int, tape: np.ndarray) -> Callable[[int], float] | None:
    try:
        import envpool
    except ImportError:
        return None
    if task not in envpool.list_all_envs():
        return None
    peer = envpool.make_gymnasium(task, num_envs=worlds, num_threads=threads)
    peer.reset()
    actions = tape.astype(np.int32 if np.issubdtype(tape.dtype, np.integer) else np.float64)

    def measure(steps: int) -> float:
        begin = time.perf_counter()
        for i in range(steps):
            peer.step(actions[i % len(actions)])
        return time.perf_counter() - begin

    return measure


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--task", default="HalfCheetah-v5")
    parse.add_argument("--worlds", type=int, default=64)
    parse.add_argument("--workers", type=int, help="threads; by default one per processor")
    parse.add_argument("--rounds", type=int, default=21)
    parse.add_argument("--seconds", type=float, default=0.25, help="of each contender in each round")
    parse.add_argument("--json", action="store_true", help="print one line of JSON")
    arguments = parse.parse_args()

    def make(copy: bool = False) -> polyrhythm.VectorEnv:
        worlds = polyrhythm.make_vec(arguments.task, arguments.worlds, workers=arguments.workers, seed=1, copy=copy)
        worlds.reset(seed=1)
        return worlds

    ours, copied, theirs, free = make(), make(copy=True), make(), make()
    ours.action_space.seed(1)
    tape = np.array([ours.action_space.sample() for _ in range(64)])
    contenders: dict[str, Callable[[int], float] | None] = {
        "python": python_loop(ours, tape),
        "copy": python_loop(copied, tape),
        "go": go_loop(theirs, tape, barrier=True),
        "go free": go_loop(free, tape, barrier=False),
        "envpool": envpool_loop(arguments.task, arguments.worlds, ours.workers, tape),
    }
    running = {name: measure for name, measure in contenders.items() if measure is not None}
    for measure in running.values():
        measure(50)
    steps = max(1, int(100 * arguments.seconds / running["python"](100)))

    rounds: list[dict[str, float]] = []
    order = list(running)
    for _ in range(arguments.rounds):
        rounds.append({name: running[name](steps) for name in order})
        order = order[1:] + order[:1]
    result = {
        "task": arguments.task,
        "worlds": arguments.worlds,
        "workers": ours.workers,
        "rounds": arguments.rounds,
        "steps_per_round": steps,
        "substeps": ours.substeps,
        "env_steps_per_s": {
            name: arguments.worlds * steps / statistics.median(r[name] for r in rounds) for name in running
        },
        "python_over": {
            name: statistics.median(r[name] / r["python"] for r in rounds) for name in running if name != "python"
        },
    }
    for worlds in (ours, copied, theirs, free):
        worlds.close()
    if arguments.json:
        print(json.dumps(result))
        return
    print(
        f"{arguments.task}, {arguments.worlds} worlds, {ours.workers} threads; "
        f"medians of {arguments.rounds} rounds of {steps} steps"
    )
    print(f"{'':10}{'env steps/s':>14}{'physics steps/s':>18}{'python is':>12}")
    for name, rate in result["env_steps_per_s"].items():
        ratio = result["python_over"].get(name)
        print(f"{name:10}{rate:14,.0f}{rate * ours.substeps:18,.0f}" + (f"{ratio:10.2f} ×" if ratio else ""))


if __name__ == "__main__":
    main()
