"""What several tests share: the program `train`, a short training, and the comparison of what runs left."""

import filecmp
import os
import re
import subprocess
from pathlib import Path

import pytest
from polyrhythm import _request

ROOT = Path(__file__).resolve().parents[2]
TRAIN = os.environ["POLYTEST_TRAIN"]
SLOW = bool(os.environ.get("POLYTEST_SLOW"))
slow = pytest.mark.skipif(not SLOW, reason="POLYTEST_SLOW is not set")
CONFIG = ROOT / "configs" / "halfcheetah.yaml"
QUADRUPED = ROOT / "configs" / "quadruped.yaml"
KEYS = {  # of CONFIG, a training of four rollouts, the first of which only fills the normalisers
    "worlds": 6,
    "block_size": 2,
    "max_steps": 20,
    "training": {"steps": 6 * 16 * 4, "segment": 16, "minibatch": 32, "epochs": 2, "hidden": [8], "tensorboard": False},
    "recording": {"enabled": False, "clip": False},
    "evaluation": {"episodes": 2},
}
RECORDING = {**KEYS, "recording": {"clip": False, "batch_rows": 64}}
SLICES = [(0, 4), (4, 6)]
ROLLOUT = {"config": CONFIG, "seed": 3, "overrides": {"worlds": 6, "block_size": 2, "max_steps": 20}}


def train(*arguments, keys=None, code=0):
    """Run `train` with keys of the configuration; it must end with a code, if that is not None."""
    sets = [f"--set={line}" for line in _request.lines(keys)]
    done = subprocess.run([TRAIN, *map(str, arguments), *sets], capture_output=True, text=True, timeout=1200)
    assert code is None or done.returncode == code, done.stderr
    return done


def learn(folder, task, **keys):
    """The run folder of a short training of a task."""
    few = {"worlds": 4, "max_steps": 40, "recording.enabled": False, "evaluation.episodes": 2}
    train("run", "--task", task, "--out", folder, "--log-every", 0, keys={**few, **keys})
    return folder


def serve(*arguments):
    """A process that serves live worlds by gRPC, and its address."""
    command = [TRAIN, "serve", "--listen", "", "--grpc", "127.0.0.1:0", *map(str, arguments)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (found := re.search(r"serving at grpc://(\S+)", line := server.stderr.readline())):
        assert line, "the server has ended"
    return server, found[1]


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def same_tree(one, other, but=()):
    """Whether two folders have the same files with the same bytes, but for some names."""
    names = [name for name in files(one) if name not in but]
    others = [name for name in files(other) if name not in but]
    return len(names) > 3 and names == others and filecmp.cmpfiles(one, other, names, shallow=False) == (names, [], [])


def same_run(one, other):
    names = ["latest", "metrics.csv", "config.yaml"]
    return filecmp.cmpfiles(one, other, names, shallow=False) == (names, [], [])


class Disturbed:
    """Mixed into an executor, it counts the calls of workers, from 1, and does something in those of `moments`."""

    moments, calls = (), 0

    def start(self, maker, *arguments):
        worker = super().start(maker, *arguments)
        plain = worker.call

        def call(method, *arguments):
            self.calls += method != "facts"
            if method == "facts" or self.calls not in self.moments:
                return plain(method, *arguments)
            return self.disturbed(worker, lambda: plain(method, *arguments))

        worker.call = call
        return worker
