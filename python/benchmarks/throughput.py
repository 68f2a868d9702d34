"""How fast worlds step through Python, beside EnvPool and our own Go loop.

    python python/benchmarks/throughput.py --task HalfCheetah-v5 --worlds 64

Every round measures each contender once on the same tape of random actions, for about
--seconds; rounds.py has how rounds are compared.

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

import time
from collections.abc import Callable
from functools import partial

import gymnasium
import numpy as np
from rounds import in_turns, medians, options, run, tell

import polyrhythm


def stepping(worlds: gymnasium.vector.VectorEnv, tape: np.ndarray) -> Callable[[int], float]:
    """A measurement: the seconds of so many steps."""

    def measure(steps: int) -> float:
        begin = time.perf_counter()
        for i in range(steps):
            worlds.step(tape[i % len(tape)])
        return time.perf_counter() - begin

    return measure


def go_loop(worlds: polyrhythm.VectorEnv, tape: np.ndarray, barrier: bool) -> Callable[[int], float]:
    actions = tape.astype(np.float32).tobytes()
    return lambda steps: worlds._handle.ask("loop", {"steps": steps, "barrier": barrier}, actions)[0]


def envpool_loop(task: str, worlds: int, threads: int, tape: np.ndarray) -> Callable[[int], float] | None:
    try:
        import envpool
    except ImportError:
        return None
    if task not in envpool.list_all_envs():
        return None
    peer = envpool.make_gymnasium(task, num_envs=worlds, num_threads=threads)
    peer.reset()
    return stepping(peer, tape.astype(np.int32 if np.issubdtype(tape.dtype, np.integer) else np.float64))


def main() -> None:
    arguments = options(
        __doc__, task=("HalfCheetah-v5", "of Gymnasium"), worlds=(64, "of each"),
        workers=(int, "threads, by default one per processor"), rounds=(21, "how many"),
        seconds=(0.25, "of each contender in each round"),
    )  # fmt: skip

    def make(copy: bool = False) -> polyrhythm.VectorEnv:
        worlds = polyrhythm.make_vec(arguments.task, arguments.worlds, workers=arguments.workers, seed=1, copy=copy)
        worlds.reset(seed=1)
        return worlds

    ours, copied, theirs, free = make(), make(copy=True), make(), make()
    ours.action_space.seed(1)
    tape = np.array([ours.action_space.sample() for _ in range(64)])
    contenders: dict[str, Callable[[int], float] | None] = {
        "python": stepping(ours, tape),
        "copy": stepping(copied, tape),
        "go": go_loop(theirs, tape, barrier=True),
        "go free": go_loop(free, tape, barrier=False),
        "envpool": envpool_loop(arguments.task, arguments.worlds, ours.workers, tape),
    }
    running = {name: measure for name, measure in contenders.items() if measure is not None}
    for measure in running.values():
        measure(50)
    steps = max(1, int(100 * arguments.seconds / running["python"](100)))

    rounds = in_turns({name: partial(measure, steps) for name, measure in running.items()}, arguments.rounds)
    result = {
        "task": arguments.task, "worlds": arguments.worlds, "workers": ours.workers, "rounds": arguments.rounds,
        "steps_per_round": steps, "substeps": ours.substeps,
        "env_steps_per_s": medians(running, rounds, lambda r, name: arguments.worlds * steps / r[name]),
        "python_over": medians(list(running)[1:], rounds, lambda r, name: r[name] / r["python"]),
    }  # fmt: skip
    for worlds in (ours, copied, theirs, free):
        worlds.close()

    def show() -> None:
        print(f"{arguments.task}, {arguments.worlds} worlds, {ours.workers} threads; "
              f"medians of {arguments.rounds} rounds of {steps} steps")  # fmt: skip
        print(f"{'':10}{'env steps/s':>14}{'physics steps/s':>18}{'python is':>12}")
        for name, rate in result["env_steps_per_s"].items():
            ratio = result["python_over"].get(name)
            print(f"{name:10}{rate:14,.0f}{rate * ours.substeps:18,.0f}" + (f"{ratio:10.2f} ×" if ratio else ""))

    tell(arguments, result, show)


if __name__ == "__main__":
    run(main)
