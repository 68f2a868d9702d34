"""How fast worlds step through Python, beside EnvPool and our own Go loop.

    python python/benchmarks/throughput.py --task HalfCheetah-v5 --worlds 64

Every round measures each contender once on the same tape of random actions, for about
--seconds; rounds.py has how rounds are compared.

    python         step() of polyrhythm.make_vec, in this process
    copy           step() of gymnasium.make_vec, which copies what it returns
    async          send() and recv() of polyrhythm.make_vec, half of the worlds at a time
    go             the same worlds stepped by a loop in Go, action by action for all worlds,
                   as step() does
    go free        the same, each thread taking its worlds through the round without
                   waiting for the others
    envpool        EnvPool's step(), if it is installed, with as many threads
    envpool async  its send() and recv(), with batches of half of the worlds
    gymnasium sync, gymnasium async
                   Gymnasium's own vectors: in one thread, and with a process for each world
    mujoco.batch, mujoco.rollout, mjbatch
                   physics alone, with neither task nor reset

The loops in Go and the last two groups have processes of their own, see engines.py; --here
leaves the two groups out. Before each call Python computes for --think microseconds, as a
policy would; the loops in Go do not. Environment steps and physics steps are printed apart. Ratios are
medians over the rounds, with their quartiles.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from statistics import quantiles
from typing import Any

import gymnasium
import numpy as np
from engines import engines, go_loop
from rounds import ROOT, in_turns, medians, options, run, tell

import polyrhythm


def stepping(step: Callable[[np.ndarray], Any], tape: np.ndarray, think: float) -> Callable[[int], float]:
    """A measurement: the seconds of so many steps."""

    def measure(steps: int) -> float:
        begin = time.perf_counter()
        for i in range(steps):
            compute(think)
            step(tape[i % len(tape)])
        return time.perf_counter() - begin

    return measure


def sending(send: Any, recv: Callable[[], Any], tape: np.ndarray, think: float) -> Callable[[int], float]:
    """As `stepping`, of worlds that have been sent and are received in part: as many steps of a world."""

    def measure(steps: int) -> float:
        begin, taken = time.perf_counter(), 0
        while taken < steps * len(tape[0]):
            worlds = recv()[4]["env_id"]
            compute(think)
            send(tape[taken // len(tape[0]) % len(tape)][worlds], worlds)
            taken += len(worlds)
        return time.perf_counter() - begin

    return measure


def compute(microseconds: float) -> None:
    if microseconds:
        end = time.perf_counter() + microseconds / 1e6
        while time.perf_counter() < end:
            pass


def envpool_loops(task: str, threads: int, tape: np.ndarray, think: float) -> dict[str, Callable[[int], float]]:
    try:
        import envpool
    except ImportError:
        return {}
    if task not in envpool.list_all_envs():
        return {}
    worlds, half = len(tape[0]), max(1, len(tape[0]) // 2)
    tape = tape.astype(np.int32 if np.issubdtype(tape.dtype, np.integer) else np.float64)
    together = envpool.make_gymnasium(task, num_envs=worlds, num_threads=threads)
    together.reset()
    apart = envpool.make_gymnasium(task, num_envs=worlds, batch_size=half, num_threads=threads)
    apart.async_reset()
    return {
        "envpool": stepping(together.step, tape, think),
        "envpool async": sending(apart.send, apart.recv, tape, think),
    }


def main() -> None:
    arguments = options(
        __doc__, switches={"here": "only contenders in this process"},
        task=("HalfCheetah-v5", "of Gymnasium"), worlds=(64, "of each"),
        workers=(int, "threads, by default one per processor"), rounds=(21, "how many"),
        seconds=(0.25, "of each contender in each round"), think=(0.0, "microseconds of Python before each call"),
    )  # fmt: skip

    def make(copy: bool = False) -> polyrhythm.VectorEnv:
        worlds = polyrhythm.make_vec(arguments.task, arguments.worlds, workers=arguments.workers, seed=1, copy=copy)
        worlds.reset(seed=1)
        return worlds

    ours, copied, apart = make(), make(copy=True), make()
    ours.action_space.seed(1)
    tape = np.array([ours.action_space.sample() for _ in range(64)])
    apart.send(tape[0])
    think, folder = arguments.think, tempfile.TemporaryDirectory()
    loops = {
        name: go_loop(arguments.task, arguments.worlds, ours.workers, tape, folder.name, *free)
        for name, free in {"go": [], "go free": ["free"]}.items()
    }
    running = {
        "python": stepping(ours.step, tape, think),
        "copy": stepping(copied.step, tape, think),
        "async": sending(apart.send, partial(apart.recv, max(1, arguments.worlds // 2)), tape, think),
        **{name: loop.measure for name, loop in loops.items()},
        **envpool_loops(arguments.task, ours.workers, tape, think),
    }
    for measure in running.values():
        measure(50)
    steps = max(1, int(100 * arguments.seconds / running["python"](100)))

    bare = {}
    if not arguments.here:
        bare = engines(ROOT / "build", arguments.task, arguments.worlds, ours.workers, tape, folder.name)
    for name, engine in bare.items():
        engine.measure(50)
        running[name] = engine.measure
    rounds = in_turns({name: partial(measure, steps) for name, measure in running.items()}, arguments.rounds)
    result = {
        "task": arguments.task, "worlds": arguments.worlds, "workers": ours.workers, "rounds": arguments.rounds,
        "steps_per_round": steps, "substeps": ours.substeps,
        "engines": {name: engine.version for name, engine in bare.items()},
        "env_steps_per_s": medians(running, rounds, lambda r, name: arguments.worlds * steps / r[name]),
        "python_over": {name: quantiles([r[name] / r["python"] for r in rounds], n=4) for name in list(running)[1:]},
    }  # fmt: skip
    for engine in (*loops.values(), *bare.values()):
        engine.close()
    for worlds in (ours, copied, apart):
        worlds.close()

    def show() -> None:
        print(f"{arguments.task}, {arguments.worlds} worlds, {ours.workers} threads; "
              f"medians of {arguments.rounds} rounds of {steps} steps")  # fmt: skip
        print(f"{'':16}{'env steps/s':>12}{'physics steps/s':>17}{'python is':>12}")
        for name, rate in result["env_steps_per_s"].items():
            low, ratio, high = result["python_over"].get(name, (1, 1, 1))
            print(f"{name:16}{rate:12,.0f}{rate * ours.substeps:17,.0f}{ratio:10.3f} × ({low:.3f} to {high:.3f})")
        for name, engine in bare.items():
            print(f"{name}: {engine.version}")

    tell(arguments, result, show)


if __name__ == "__main__":
    run(main)
