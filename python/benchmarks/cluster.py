"""What it costs to divide a run among processes, and what follows for more machines.

    python python/benchmarks/cluster.py                     # ratios, a lost worker, the model
    python python/benchmarks/cluster.py --picture docs/images/scaling.png    # needs matplotlib

needs build/bin/train (or --train). Everything runs on this machine. In every round each contender
runs once, in turning order; what counts is the median over the rounds, and the ratios are medians
of the rounds' own ratios, since a shared machine changes its speed from minute to minute. Starting
processes is left out of all times.

    train    `train run` with --processes workers, beside polyrhythm.cluster.train with as many slices of
             one worker each. Each round is a new training
    rollout  `train rollout`, beside polyrhythm.cluster.rollout, in the same way: the time of --seconds
             less that of a tenth, so that what both spend once is left out

A worker is killed once in a training, while it collects: how much was collected again is counted.

The model is fitted to slices of 1/8, 1/4, 1/2 and all of the worlds, each collected alone by one
thread: processor seconds of a rollout, bytes of orders and parts, and the learner's processor seconds
from the first part to the next orders. Which share of these several threads divide among them is from the
quickest updates by the wall clock, with one thread and with --processes. docs/beyond-one-machine.md has the formulas.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from polyrhythm import cluster
from polyrhythm._processes import Processes
from polyrhythm._team import Team
from polyrhythm.parts import Collector, Learner

ROOT = Path(__file__).resolve().parents[2]
NODES = (1, 2, 4, 8, 16, 32, 64)


def overrides(arguments: argparse.Namespace, iterations: int, **more: Any) -> dict[str, Any]:
    steps = (iterations + 1) * arguments.worlds * arguments.segment
    return {
        "worlds": arguments.worlds,
        "recording.enabled": False,
        "recording.clip": False,
        "training.steps": steps,
        "training.segment": arguments.segment,
        "evaluation.episodes": 1,
        **more,
    }


def sets(keys: dict[str, Any]) -> list[str]:
    return [word for key, value in keys.items() for word in ("--set", f"{key}={json.dumps(value)}")]


def run(command: list[Any]) -> None:
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def train_alone(arguments: argparse.Namespace, folder: Path) -> dict[str, float]:
    """A training by one process; its seconds in rollouts and in all."""
    run([arguments.train, "run", "--config", arguments.config, "--out", folder, "--log-every", 0, "--workers", arguments.processes]
        + sets(overrides(arguments, arguments.iterations)))  # fmt: skip
    report = json.loads((folder / "run.json").read_text())
    return {"all": report["wall_s"], "rollout": report["rollout_s"], "steps": report["env_steps"]}


def train_divided(arguments: argparse.Namespace, folder: Path) -> dict[str, float]:
    """The same training as polyrhythm.cluster.train does it, which starts its workers after the clock of the report."""
    learner = Learner(
        config=arguments.config, out=folder, slices=arguments.processes, workers=arguments.processes,
        overrides=overrides(arguments, arguments.iterations), keep_point=True,
    )  # fmt: skip
    orders = learner.orders()
    begin = time.perf_counter()
    jobs = [(assignment, 1, None) for assignment in learner.assignments]
    with Team(Processes(), "polyrhythm.cluster:Collecting", jobs, facts=cluster.facts(), restore=learner.snapshot) as team:
        starting = time.perf_counter() - begin
        while orders is not None:
            team.each("collect", orders, take=lambda _, part: learner.add(part))
            orders = learner.orders()
    report = learner.close()
    return {"all": report["wall_s"] - starting, "rollout": report["rollout_s"] - starting, "steps": report["env_steps"]}


def rollout_alone(arguments: argparse.Namespace, folder: Path, seconds: float) -> float:
    begin = time.perf_counter()
    run([arguments.train, "rollout", "--config", arguments.config, "--out", folder, "--log-every", 0, "--workers", arguments.processes,
         "--seconds", seconds, *sets({"worlds": arguments.worlds})])  # fmt: skip
    return time.perf_counter() - begin


def rollout_divided(arguments: argparse.Namespace, folder: Path, seconds: float) -> float:
    begin = time.perf_counter()
    cluster.rollout(config=arguments.config, out=folder, slices=arguments.processes, seconds=str(seconds), overrides={"worlds": arguments.worlds})
    return time.perf_counter() - begin


def compare(arguments: argparse.Namespace, work: Path) -> dict[str, Any]:
    """One process beside several, in rounds."""

    def rollout(run_it: Any, folder: Path) -> dict[str, float]:
        long = run_it(arguments, folder / "long", arguments.seconds)
        return {"all": max(1e-9, long - run_it(arguments, folder / "short", arguments.seconds / 10))}

    contenders = {
        "train": {"alone": train_alone, "divided": train_divided},
        "rollout": {
            "alone": lambda _, folder: rollout(rollout_alone, folder),
            "divided": lambda _, folder: rollout(rollout_divided, folder),
        },
    }
    rounds: list[dict[str, Any]] = []
    for number in range(arguments.rounds):
        rounds.append({})
        for kind, pair in contenders.items():
            rounds[-1][kind] = {}
            for name in list(pair)[:: 1 if number % 2 == 0 else -1]:
                folder = work / f"{kind}-{name}-{number}"
                folder.mkdir()
                rounds[-1][kind][name] = pair[name](arguments, folder / "run" if kind == "train" else folder)
                run(["rm", "-rf", folder])
            seconds = {name: f"{told['all']:.2f} s" for name, told in rounds[-1][kind].items()}
            print(f"round {number + 1}: {kind}: {seconds}", file=sys.stderr, flush=True)
    ratios = {kind: [r[kind]["alone"]["all"] / r[kind]["divided"]["all"] for r in rounds] for kind in contenders}
    ratios["collect"] = [r["train"]["alone"]["rollout"] / r["train"]["divided"]["rollout"] for r in rounds]
    return {
        "ratio": {kind: statistics.median(all_of) for kind, all_of in ratios.items()},
        "least": {kind: min(all_of) for kind, all_of in ratios.items()},
        "most": {kind: max(all_of) for kind, all_of in ratios.items()},
        "alone_steps_per_s": statistics.median(r["train"]["alone"]["steps"] / r["train"]["alone"]["all"] for r in rounds),
    }


def lose_a_worker(arguments: argparse.Namespace, folder: Path) -> dict[str, int]:
    """Kill a worker while it collects, and count how often collectors were asked for a rollout."""
    learner = Learner(config=arguments.config, out=folder, slices=arguments.processes, overrides=overrides(arguments, 3))
    orders, asked, rollouts = learner.orders(), 0, 0
    jobs = [(assignment, 1, None) for assignment in learner.assignments]
    with Team(Counting(), "polyrhythm.cluster:Collecting", jobs, facts=cluster.facts(), restore=learner.snapshot) as team:
        while orders is not None:
            if rollouts == 2:
                victim = team._workers[0].process
                threading.Timer(0.05, lambda: os.kill(victim.pid, signal.SIGKILL)).start()
            team.each("collect", orders, take=lambda _, part: learner.add(part))
            rollouts += 1
            orders = learner.orders()
        asked, lost = Counting.collects, team.lost
    learner.close()
    return {"parts": rollouts * arguments.processes, "asked": asked, "lost": lost}


class Counting(Processes):
    """The local executor, which counts."""

    collects = 0

    def start(self, maker: str, *job: Any) -> Any:
        worker = super().start(maker, *job)
        call = worker.call

        def counted(method: str, *values: Any) -> Any:
            Counting.collects += method == "collect"
            return call(method, *values)

        worker.call = counted
        return worker


def slices_of(worlds: int) -> list[tuple[int, int]]:
    """1/8, 1/8, 1/4 and 1/2 of the worlds."""
    ends = [0, worlds // 8, worlds // 4, worlds // 2, worlds]
    return list(zip(ends[:-1], ends[1:], strict=True))


def measure(arguments: argparse.Namespace, work: Path) -> dict[str, Any]:
    """Seconds and bytes of slices of several sizes, one after the other in this process, and of the learner."""
    points: list[tuple[int, float, int]] = []  # worlds, processor seconds, bytes of a part
    learning, walls, sent = [], {1: [], arguments.processes: []}, 0
    whole = [(0, arguments.worlds)]
    for name, slices, threads in (("parts", slices_of(arguments.worlds), 1), ("one", whole, 1), ("several", whole, arguments.processes)):
        learner = Learner(config=arguments.config, out=work / name, slices=slices, workers=threads,
                          overrides=overrides(arguments, arguments.iterations))  # fmt: skip
        collectors = [Collector(assignment, workers=1) for assignment in learner.assignments]
        orders = learner.orders()
        while orders is not None:
            parts = []
            for (first, end), collector in zip(slices, collectors, strict=True):
                begin = time.process_time()
                parts.append(collector.collect(orders))
                points.append((end - first, time.process_time() - begin, len(parts[-1])))
            sent, begin, wall = len(orders), time.process_time(), time.perf_counter()
            for part in parts:
                learner.add(part)
            first_one, orders = learner.metrics is None, learner.orders()
            if orders is not None and not first_one:  # it measures observations; after the last one it evaluates
                walls[threads].append(time.perf_counter() - wall)
                if threads == 1:
                    learning.append(time.process_time() - begin)
        for collector in collectors:
            collector.close()
        learner.close()
    sizes = sorted({worlds for worlds, *_ in points})
    seconds = [statistics.median(s for w, s, _ in points if w == worlds) for worlds in sizes]
    parts = [statistics.median(b for w, _, b in points if w == worlds) for worlds in sizes]
    slope, offset = np.polyfit(sizes, seconds, 1, w=[1 / s for s in seconds])
    if offset < 0:  # noise
        slope, offset = float(np.mean([s / w for w, s in zip(sizes, seconds, strict=True)])), 0.0
    several = arguments.processes
    sped_up = min(walls[several]) / min(walls[1])
    bytes_slope, bytes_offset = np.polyfit(sizes, parts, 1)
    return {
        "worlds": sizes,
        "seconds": seconds,
        "error": max(abs(offset + slope * w - s) / s for w, s in zip(sizes, seconds, strict=True)),
        "a": offset,  # seconds of a rollout, whatever the worlds
        "b": slope,  # and for each world
        "orders": sent,
        "part": bytes_offset,
        "part_world": bytes_slope,
        "learn": statistics.median(learning),
        "shared": min(1.0, max(0.0, (1 - sped_up) / (1 - 1 / several))) if several > 1 else 0.0,  # among threads
    }


def pipe(arguments: argparse.Namespace, size: int) -> dict[str, float]:
    """Seconds of an empty call of a worker, and for each byte that goes there and back."""
    worker = Processes().start("builtins:str", "")
    calls = {}
    for length in (0, size):
        text, times = "x" * length, []
        for _ in range(20):
            begin = time.perf_counter()
            worker.call("join", [text]).result()
            times.append(time.perf_counter() - begin)
        calls[length] = statistics.median(times)
    worker.stop()
    return {"latency": calls[0], "per_byte": max(0.0, calls[size] - calls[0]) / (2 * size)}


def iteration(m: dict[str, Any], worlds: int, nodes: int, cores: int, bandwidth: float, latency: float) -> dict[str, float]:
    """The model: seconds of an iteration with one slice for each of the nodes, and its terms."""
    collect = m["a"] + m["b"] * worlds / (nodes * cores)
    network = latency + (nodes * (m["orders"] + m["part"]) + worlds * m["part_world"]) / bandwidth if nodes > 1 else 0.0
    learn = m["learn"] * worlds / m["worlds"][-1] * (1 - m["shared"] + m["shared"] / cores)
    return {"collect": collect, "network": network, "learn": learn, "all": collect + network + learn}


def predict(m: dict[str, Any], arguments: argparse.Namespace) -> dict[str, Any]:
    """Predictions for machines that are not here."""
    table = {}
    for name, bandwidth, more, costlier in (
        ("10 Gbit/s, the same worlds", 1.25e9, False, 1),
        ("1 Gbit/s, the same worlds", 1.25e8, False, 1),
        ("10 Gbit/s, worlds for each node", 1.25e9, True, 1),
        ("10 Gbit/s, the same worlds, steps of ten times the cost", 1.25e9, False, 10),
    ):
        rows = []
        for nodes in NODES:
            worlds = arguments.predict_worlds * (nodes if more else 1)
            told = iteration({**m, "b": costlier * m["b"]}, worlds, nodes, arguments.cores, bandwidth, 1e-3)
            rows.append({"nodes": nodes, "worlds": worlds, **told, "steps_per_s": worlds * arguments.segment / told["all"],
                         "received_MB_per_s": worlds * m["part_world"] / told["all"] / 1e6})  # fmt: skip
        table[name] = rows
    first = table["10 Gbit/s, the same worlds"][0]
    return {"table": table, "limit": first["all"] / first["learn"]}


def draw(path: Path, result: dict[str, Any], arguments: argparse.Namespace) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    m, predicted = result["model"], result["predictions"]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2))
    left.plot(m["worlds"], [1e3 * s for s in m["seconds"]], "o", label="measured: processor time, one thread")
    left.plot([0, m["worlds"][-1]], [1e3 * m["a"], 1e3 * (m["a"] + m["b"] * m["worlds"][-1])], "-", label="fit")
    left.set(xlabel="worlds of the slice", ylabel="ms", title=f"a rollout of {arguments.segment} steps", ylim=(0, None))
    for name, rows in predicted["table"].items():
        base = rows[0]["steps_per_s"]
        right.plot([r["nodes"] for r in rows], [r["steps_per_s"] / base for r in rows], "--", label=name)
    right.axhline(predicted["limit"], color="grey", linewidth=0.8, label="limit of the same worlds: the learner")
    right.set(xscale="log", ylim=(0, None), xlabel=f"nodes of {arguments.cores} cores", ylabel="× the steps/s of one", title="predicted, not measured")
    right.set_xticks(NODES, [str(n) for n in NODES])
    for axes in (left, right):
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)
    right.set_ylim(0, 1.6 * right.get_ylim()[1])  # room for the legend
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})


def show(result: dict[str, Any], arguments: argparse.Namespace) -> None:
    if "compared" in result:
        c = result["compared"]
        print(f"{arguments.processes} slices × 1 worker have so much of the speed of 1 process × {arguments.processes} workers, median of {arguments.rounds} rounds:")
        for kind, what in (("train", "training"), ("collect", "its rollouts alone"), ("rollout", "recorded rollout")):
            print(f"  {what:20}{c['ratio'][kind]:.2f}  ({c['least'][kind]:.2f} to {c['most'][kind]:.2f})")
        lost = result["lost"]
        print(f"{lost['lost']} worker killed: {lost['asked'] - lost['parts']} of {lost['parts']} parts collected again")
    m, p = result["model"], result["pipe"]
    print("measured here, one thread:")
    for worlds, seconds in zip(m["worlds"], m["seconds"], strict=True):
        print(f"  rollout of {arguments.segment} steps in {worlds:3} worlds {1e3 * seconds:8.1f} ms")
    print(f"  learner, from the last part to the next orders {1e3 * m['learn']:.1f} ms, of which threads share {100 * m['shared']:.0f} %")
    print(f"  pipe to a process {1e6 * p['latency']:.0f} µs and {1e-6 / max(p['per_byte'], 1e-12):.0f} MB/s")
    print(f"fit: collect = {1e3 * m['a']:.2f} ms + {1e3 * m['b']:.3f} ms × worlds (error at most {100 * m['error']:.0f} %), "
          f"orders {m['orders']} bytes, part = {m['part']:.0f} + {m['part_world']:.0f} bytes × worlds")  # fmt: skip
    print(f"predictions, not measurements: nodes of {arguments.cores} such cores, each with a slice, and a learner on all of the first")
    for name, rows in result["predictions"]["table"].items():
        print(f"  {name}")
        for r in rows:
            print(f"    {r['nodes']:3} nodes {r['worlds']:6} worlds  collect {1e3 * r['collect']:8.1f} ms  network {1e3 * r['network']:8.1f} ms  "
                  f"learn {1e3 * r['learn']:8.1f} ms  {r['steps_per_s']:10,.0f} steps/s  receives {r['received_MB_per_s']:6.1f} MB/s")  # fmt: skip
    print(f"  limit of the same worlds at this cost: {result['predictions']['limit']:.1f} × one node, when only the learner is left")


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--config", type=Path, default=ROOT / "configs/quadruped.yaml")
    parse.add_argument("--train", type=Path, default=ROOT / "build/bin/train")
    parse.add_argument("--processes", type=int, default=2)
    parse.add_argument("--worlds", type=int, default=64)
    parse.add_argument("--segment", type=int, default=64, help="steps of each world in a rollout of the training")
    parse.add_argument("--iterations", type=int, default=10, help="of each training")
    parse.add_argument("--seconds", type=float, default=20, help="of simulated time of a recorded rollout")
    parse.add_argument("--rounds", type=int, default=5)
    parse.add_argument("--cores", type=int, default=16, help="of each node in the predictions")
    parse.add_argument("--predict-worlds", type=int, default=1024, help="in the predictions")
    parse.add_argument("--shared", type=float, help="share of the learner's time that its threads divide, in place of what is measured")
    parse.add_argument("--model-only", action="store_true", help="leave out the comparison")
    parse.add_argument("--picture", type=Path, help="draw the model to this file")
    parse.add_argument("--json", action="store_true", help="print one line of JSON")
    arguments = parse.parse_args()

    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if not arguments.model_only:
            result["compared"] = compare(arguments, work)
            result["lost"] = lose_a_worker(arguments, work / "lost")
        result["model"] = measure(arguments, work)
        if arguments.shared is not None:
            result["model"]["shared"] = arguments.shared
        result["pipe"] = pipe(arguments, 1 << 20)
        result["predictions"] = predict(result["model"], arguments)
    if arguments.picture:
        draw(arguments.picture, result, arguments)
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result, arguments)


if __name__ == "__main__":
    main()
