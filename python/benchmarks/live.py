"""How soon the clients of a live world have its frames, beside Colyseus.

    (cd python/benchmarks/colyseus && npm install)     # npm ci of npm 11 refuses the lock that npm itself writes
    python python/benchmarks/live.py --rounds 5

builds `BenchmarkFanOut` of live/transport and runs it in turns with Colyseus, which sends a state of
as many numbers at the same rate, 50 Hz, to its own JavaScript client. The clients are in a process
of their own. Times are in ms: sync is from a decision point to its frame, decoded by a client; ack
from an intent to its number; seen from an intent, sent at any time, to the frame with it, decoded by
another client.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from functools import partial

from rounds import ROOT, in_turns, medians, options, run, tell

COLYSEUS = ROOT / "python/benchmarks/colyseus"


def ours(binary: str, clients: int) -> dict[str, float]:
    """One round of BenchmarkFanOut: its metrics by their names."""
    pattern = f"FanOut/clients={clients}/stuck=0"
    command = [binary, "-test.run", "-", "-test.bench", pattern, "-test.benchtime", "1x"]
    out = subprocess.run(command, cwd=ROOT / "live/transport", check=True, capture_output=True, text=True).stdout
    return {name: float(value) for value, name in re.findall(r"([\d.]+) ([\w/-]+)", out) if not name.startswith("ns")}


def colyseus(clients: int, seconds: int = 5) -> dict[str, float]:
    """One round of Colyseus: the same metrics."""
    command = ["node", "server.js", "50", "13"]
    server = subprocess.Popen(command, cwd=COLYSEUS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = json.loads(server.stdout.readline())["address"]
    command = ["node", "clients.js", address, str(clients), str(seconds)]
    got = json.loads(subprocess.run(command, cwd=COLYSEUS, check=True, capture_output=True, text=True).stdout)
    published = dict(json.loads(server.communicate()[0])["published"])
    begin = got["frames"][-1][0][1] + 1_000_000_000  # the others have joined before
    sync = [at - published[n] for frames in got["frames"] for n, at in frames if published.get(n, 0) > begin]
    metrics = {"B/tick": got["bytes"] / max(1, got["ticks"])}
    for name, ns in (("sync", sync), ("ack", got["acks"]), ("seen", got["seen"])):
        for q in (50, 95, 99):
            metrics[f"{name}-p{q}-ms"] = sorted(ns)[q * (len(ns) - 1) // 100] / 1e6
    return metrics


def main() -> None:
    """Print the medians of the rounds."""
    arguments = options(__doc__, rounds=(5, "how many"), clients=("1,20,100,250", "some of these numbers"))
    numbers = [int(clients) for clients in arguments.clients.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/transport.test"
        subprocess.run(["go", "test", "-c", "-o", binary, "./live/transport"], cwd=ROOT, check=True)
        contenders = {f"quadruped with {n} clients": partial(ours, binary, n) for n in numbers}
        contenders |= {f"Colyseus with {n} clients": partial(colyseus, n) for n in numbers}
        rounds = in_turns(contenders, arguments.rounds)
    names = sorted(rounds[0][next(iter(contenders))])
    result = {name: medians(names, rounds, lambda r, metric, name=name: r[name][metric]) for name in contenders}

    def show() -> None:
        for name, metrics in result.items():
            print(f"{name}: " + ", ".join(f"{metric} {value:.2f}" for metric, value in metrics.items()))

    tell(arguments, result, show)


if __name__ == "__main__":
    run(main)
