"""What it costs to divide a run among processes, and what follows for more machines.

    python python/benchmarks/cluster.py                     # ratios, the model
    python python/benchmarks/cluster.py --picture docs/images/scaling.png    # needs matplotlib

needs build/bin/train (or --train). Everything runs on this machine; rounds.py has how rounds are compared.
Starting processes is left out of all times.

    train    `train run` with --processes workers, beside polyrhythm.cluster.train with as many slices of
             one worker each. Each round is a new training
    rollout  `train rollout`, beside polyrhythm.cluster.rollout, in the same way: the time of --seconds
             less that of a tenth, so that what both spend once is left out

The model is fitted to slices of 1/8, 1/4, 1/2 and all of the worlds, each collected alone by one thread, and to
the quickest updates with one thread and with --processes. docs/explanation/beyond-one-machine.md has the formulas.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rounds import ROOT, TRAIN, in_turns, options, run, tell, train

from polyrhythm import cluster
from polyrhythm._processes import Processes
from polyrhythm._team import Team
from polyrhythm.parts import Collector, Learner

NODES = (1, 2, 4, 8, 16, 32, 64)
LATENCY = 1e-3  # s, of the network, in the predictions


def overrides(arguments: Namespace) -> dict[str, Any]:
    steps = (arguments.iterations + 1) * arguments.worlds * arguments.segment
    return {
        "worlds": arguments.worlds, "recording.enabled": False, "recording.clip": False, "training.steps": steps,
        "training.segment": arguments.segment, "evaluation.episodes": 1,
        **({"training.hidden": [arguments.hidden] * 2} if arguments.hidden else {}),
    }  # fmt: skip


def run_train(arguments: Namespace, command: str, folder: Path, keys: dict[str, Any], *more: Any) -> None:
    words = ["--config", arguments.config, "--out", folder, "--workers", arguments.processes, *more]
    train(arguments.train, command, keys, *words)


def team(learner: Learner) -> Team:
    """Workers that collect for a learner."""
    jobs = [(assignment, 1, None) for assignment in learner.assignments]
    restore = lambda number: learner.snapshot(number)
    return Team(Processes(), "polyrhythm.cluster:Collecting", jobs, facts=cluster.facts(), restore=restore)


def train_alone(arguments: Namespace, folder: Path) -> dict[str, float]:
    """A training by one process; its seconds in rollouts and in all."""
    run_train(arguments, "run", folder, overrides(arguments))
    report = json.loads((folder / "run.json").read_text())
    return {"all": report["wall_s"], "rollout": report["rollout_s"], "steps": report["env_steps"]}


def train_divided(arguments: Namespace, folder: Path) -> dict[str, float]:
    """The same training as polyrhythm.cluster.train does it, which starts its workers after the clock of the report."""
    learner = Learner(
        config=arguments.config, out=folder, slices=arguments.processes, workers=arguments.processes,
        overrides=overrides(arguments), keep_point=True,
    )  # fmt: skip
    weights = learner.weights()
    begin = time.perf_counter()
    with team(learner) as workers:
        starting = time.perf_counter() - begin
        while weights is not None:
            workers.each("collect", weights, take=lambda _, part: learner.add(part))
            weights = learner.weights()
    report = learner.close()
    return {"all": report["wall_s"] - starting, "rollout": report["rollout_s"] - starting, "steps": report["env_steps"]}


def rollout(arguments: Namespace, folder: Path, *, divided: bool) -> dict[str, float]:
    """The seconds of a recorded rollout, without what a short one spends too."""

    def last(seconds: float, out: Path) -> float:
        begin = time.perf_counter()
        if divided:
            few = {"overrides": {"worlds": arguments.worlds}, "slices": arguments.processes}
            cluster.rollout(config=arguments.config, out=out, seconds=str(seconds), **few)
        else:
            run_train(arguments, "rollout", out, {"worlds": arguments.worlds}, "--seconds", seconds)
        return time.perf_counter() - begin

    return {"all": max(1e-9, last(arguments.seconds, folder / "long") - last(arguments.seconds / 10, folder / "short"))}


def compare(arguments: Namespace, work: Path) -> dict[str, Any]:
    """One process beside several, in rounds."""
    contenders = {
        ("train", "alone"): train_alone,
        ("train", "divided"): train_divided,
        ("rollout", "alone"): partial(rollout, divided=False),
        ("rollout", "divided"): partial(rollout, divided=True),
    }

    def anew(name: tuple[str, str]) -> dict[str, float]:
        with tempfile.TemporaryDirectory(dir=work) as folder:
            result = contenders[name](arguments, Path(folder) / "run" if name[0] == "train" else Path(folder))
        print(f"{' '.join(name)}: {result['all']:.2f} s", file=sys.stderr, flush=True)
        return result

    rounds = in_turns({name: partial(anew, name) for name in contenders}, arguments.rounds)
    what = {"train": ("train", "all"), "rollout": ("rollout", "all"), "collect": ("train", "rollout")}
    ratios = {
        name: [r[kind, "alone"][key] / r[kind, "divided"][key] for r in rounds] for name, (kind, key) in what.items()
    }
    alone = [r["train", "alone"] for r in rounds]
    return {
        "ratio": {kind: statistics.median(all_of) for kind, all_of in ratios.items()},
        "least": {kind: min(all_of) for kind, all_of in ratios.items()},
        "most": {kind: max(all_of) for kind, all_of in ratios.items()},
        "alone_steps_per_s": statistics.median(result["steps"] / result["all"] for result in alone),
    }


def slices_of(worlds: int) -> list[tuple[int, int]]:
    """1/8, 1/8, 1/4 and 1/2 of the worlds."""
    ends = [0, worlds // 8, worlds // 4, worlds // 2, worlds]
    return list(zip(ends[:-1], ends[1:], strict=True))


def measure(arguments: Namespace, work: Path) -> dict[str, Any]:
    """Seconds and bytes of slices of several sizes, one after the other in this process, and of the learner."""
    points: list[tuple[int, float, int]] = []  # worlds, processor seconds, bytes of a part
    learning, walls, sent = [], {1: [], arguments.processes: []}, 0
    whole = [(0, arguments.worlds)]
    several = arguments.processes
    divided = slices_of(arguments.worlds)
    for name, slices, threads in (("parts", divided, 1), ("one", whole, 1), ("several", whole, several)):
        learner = Learner(config=arguments.config, out=work / name, slices=slices, workers=threads,
                          overrides=overrides(arguments))  # fmt: skip
        collectors = [Collector(assignment, workers=1) for assignment in learner.assignments]
        weights, rollouts = learner.weights(), 0
        while weights is not None:
            parts = []
            for (first, end), collector in zip(slices, collectors, strict=True):
                begin = time.process_time()
                parts.append(collector.collect(weights))
                points.append((end - first, time.process_time() - begin, len(parts[-1])))
            sent, begin, wall = len(weights), time.process_time(), time.perf_counter()
            for part in parts:
                learner.add(part)
            weights, rollouts = learner.weights(), rollouts + 1
            if weights is not None and rollouts > 1:  # it measures observations; after the last one it evaluates
                walls[threads].append(time.perf_counter() - wall)
                if threads == 1:
                    learning.append(time.process_time() - begin)
        for collector in collectors:
            collector.close()
        ran = learner.close()["workers"]
        if ran != threads:
            raise SystemExit(f"the learner has {ran} threads, want {threads}")
    sizes = sorted({worlds for worlds, *_ in points})
    seconds = [statistics.median(s for w, s, _ in points if w == worlds) for worlds in sizes]
    parts = [statistics.median(b for w, _, b in points if w == worlds) for worlds in sizes]
    slope, offset = np.polyfit(sizes, seconds, 1, w=[1 / s for s in seconds])
    if offset < 0:  # noise
        slope, offset = float(np.mean([s / w for w, s in zip(sizes, seconds, strict=True)])), 0.0
    sped_up = min(walls[several]) / min(walls[1])
    bytes_slope, bytes_offset = np.polyfit(sizes, parts, 1)
    return {
        "worlds": sizes,
        "seconds": seconds,
        "error": max(abs(offset + slope * w - s) / s for w, s in zip(sizes, seconds, strict=True)),
        "a": offset,  # seconds of a rollout, whatever the worlds
        "b": slope,  # and for each world
        "weights": sent,
        "part": bytes_offset,
        "part_world": bytes_slope,
        "learn": statistics.median(learning),
        "shared": min(1.0, max(0.0, (1 - sped_up) / (1 - 1 / several))) if several > 1 else 0.0,  # among threads
    }


def iteration(m: dict[str, Any], worlds: int, nodes: int, cores: int, bandwidth: float) -> dict[str, float]:
    """The model: seconds of an iteration with one slice for each of the nodes, and its terms."""
    collect = m["a"] + m["b"] * worlds / (nodes * cores)
    sent = nodes * (m["weights"] + m["part"]) + worlds * m["part_world"]
    network = LATENCY + sent / bandwidth if nodes > 1 else 0.0
    learn = m["learn"] * worlds / m["worlds"][-1] * (1 - m["shared"] + m["shared"] / cores)
    return {"collect": collect, "network": network, "learn": learn, "all": collect + network + learn}


def predict(m: dict[str, Any], arguments: Namespace) -> dict[str, Any]:
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
            bent = {**m, "b": costlier * m["b"]}
            result = iteration(bent, worlds, nodes, arguments.cores, bandwidth)
            steps_per_s = worlds * arguments.segment / result["all"]
            rows.append({"nodes": nodes, "worlds": worlds, **result, "steps_per_s": steps_per_s,
                         "received_MB_per_s": worlds * m["part_world"] / result["all"] / 1e6})  # fmt: skip
        table[name] = rows
    first = table["10 Gbit/s, the same worlds"][0]
    return {"table": table, "limit": first["all"] / first["learn"]}


def draw(path: Path, result: dict[str, Any], arguments: Namespace) -> None:
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
    right.set(xscale="log", ylim=(0, None), title="predicted, not measured")
    right.set(xlabel=f"nodes of {arguments.cores} cores", ylabel="× the steps/s of one")
    right.set_xticks(NODES, [str(n) for n in NODES])
    for axes in (left, right):
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)
    right.set_ylim(0, 1.6 * right.get_ylim()[1])  # room for the legend
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})


def show(result: dict[str, Any], arguments: Namespace) -> None:
    if "compared" in result:
        c = result["compared"]
        several = arguments.processes
        print(f"{several} slices × 1 worker have so much of the speed of 1 process × {several} workers, "
              f"median of {arguments.rounds} rounds:")  # fmt: skip
        for kind, what in (("train", "training"), ("collect", "its rollouts alone"), ("rollout", "recorded rollout")):
            print(f"  {what:20}{c['ratio'][kind]:.2f}  ({c['least'][kind]:.2f} to {c['most'][kind]:.2f})")
    m = result["model"]
    print("measured here, one thread:")
    for worlds, seconds in zip(m["worlds"], m["seconds"], strict=True):
        print(f"  rollout of {arguments.segment} steps in {worlds:3} worlds {1e3 * seconds:8.1f} ms")
    print(f"  learner, from the last part to the next weights {1e3 * m['learn']:.1f} ms, "
          f"of which threads share {100 * m['shared']:.0f} %")  # fmt: skip
    print(f"fit: collect = {1e3 * m['a']:.2f} ms + {1e3 * m['b']:.3f} ms × worlds "
          f"(error at most {100 * m['error']:.0f} %), weights {m['weights']} bytes, "
          f"part = {m['part']:.0f} + {m['part_world']:.0f} bytes × worlds")  # fmt: skip
    print(f"predictions, not measurements: nodes of {arguments.cores} such cores, each with a slice, "
          "and a learner on all of the first")  # fmt: skip
    for name, rows in result["predictions"]["table"].items():
        print(f"  {name}")
        for r in rows:
            terms = "".join(f"  {name} {1e3 * r[name]:8.1f} ms" for name in ("collect", "network", "learn"))
            print(f"    {r['nodes']:3} nodes {r['worlds']:6} worlds{terms}  {r['steps_per_s']:10,.0f} steps/s"
                  f"  receives {r['received_MB_per_s']:6.1f} MB/s")  # fmt: skip
    limit = result["predictions"]["limit"]
    print(f"  limit of the same worlds at this cost: {limit:.1f} × one node, when only the learner is left")


def main() -> None:
    arguments = options(
        __doc__, config=(ROOT / "configs/quadruped.yaml", "of the run"), train=(TRAIN, "the program"),
        processes=(2, "slices"), worlds=(64, "of all slices"), iterations=(10, "of each training"),
        hidden=(0, "units of each of two layers, in place of the configuration's"),
        segment=(64, "steps of each world in a rollout of the training"), rounds=(5, "how many"),
        seconds=(20.0, "of simulated time of a recorded rollout"), cores=(16, "of each node in the predictions"),
        predict_worlds=(1024, "in the predictions"), picture=(Path, "draw the model to this file"),
        shared=(float, "share of the learner's time that its threads divide, in place of what is measured"),
        switches={"model_only": "leave out the comparison"},
    )  # fmt: skip

    if arguments.iterations < 2:
        raise SystemExit(f"--iterations is {arguments.iterations}, want at least 2: after the last one it evaluates")
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if not arguments.model_only:
            result["compared"] = compare(arguments, work)
        result["model"] = measure(arguments, work)
        if arguments.shared is not None:
            result["model"]["shared"] = arguments.shared
        result["predictions"] = predict(result["model"], arguments)
    if arguments.picture:
        draw(arguments.picture, result, arguments)
    tell(arguments, result, lambda: show(result, arguments))


if __name__ == "__main__":
    run(main)
