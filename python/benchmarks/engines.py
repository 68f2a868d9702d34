"""Peers that need processes of their own; throughput.py starts them.

    python engines.py PEER MODEL WORLDS THREADS SUBSTEPS TAPE

mujoco.batch, mujoco.rollout and mjbatch step MuJoCo's physics and no task: no observation, reward, reset
or recording, so a robot that fell goes on lying. mjbatch wants another MuJoCo, by build/venv-mjbatch of
the workflow `peers`. Gymnasium's vectors fork, which a process with Go in it does not survive; MODEL is
their task. A process answers each number of steps on its input with the seconds that they took.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from rounds import ROOT


def batch(module: str, path: str, worlds: int, threads: int, substeps: int, tape: np.ndarray):
    """A call for each control step of all worlds."""
    import mujoco

    if module == "mjbatch":
        from mjbatch import Batch
    else:
        from mujoco.batch import Batch
    made = Batch(mujoco.MjModel.from_xml_path(path), worlds, threads)
    ctrl, position = made.bind("ctrl"), made.bind("qpos")
    assert len(position) == worlds and threads == (made.num_threads if module == "mjbatch" else made.nthread)

    def measure(steps: int) -> float:
        begin = time.perf_counter()
        for i in range(steps):
            ctrl[:] = tape[i % len(tape)]
            made.step(nstep=substeps)
        return time.perf_counter() - begin

    return measure, lambda: position


def rollout(_: str, path: str, worlds: int, threads: int, substeps: int, tape: np.ndarray):
    """One call for all steps of a round, whose controls are known: no thread waits for another in between."""
    import mujoco
    from mujoco.rollout import Rollout

    model = mujoco.MjModel.from_xml_path(path)
    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros((worlds, size))
    mujoco.mj_getState(model, data[0], state[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state[:] = state[0]
    made = Rollout(nthread=threads)

    def measure(steps: int) -> float:
        nonlocal state
        taken = tape[np.arange(steps) % len(tape)]
        control = np.repeat(taken, substeps, axis=0).swapaxes(0, 1).copy()
        states = np.empty((worlds, steps * substeps, size))
        begin = time.perf_counter()
        made.rollout(model, data, state, control, state=states)
        seconds = time.perf_counter() - begin
        state = states[:, -1].copy()
        return seconds

    return measure, lambda: state


def vector(mode: str, task: str, worlds: int, _: int, substeps: int, tape: np.ndarray):
    """Gymnasium's own. It takes a sixteenth of the steps, whose time counts as that of all."""
    import gymnasium

    made = gymnasium.make_vec(task, worlds, mode.split()[1])
    seen, _ = made.reset(seed=1)

    def measure(steps: int) -> float:
        nonlocal seen
        few = -(-steps // 16)
        begin = time.perf_counter()
        for i in range(few):
            seen = made.step(tape[i % len(tape)])[0]
        return (time.perf_counter() - begin) * steps / few

    return measure, lambda: seen


MAKE = {"gymnasium sync": vector, "gymnasium async": vector, "mujoco.batch": batch, "mjbatch": batch}
MAKE["mujoco.rollout"] = rollout


def serve(name: str, path: str, worlds: str, threads: str, substeps: str, tape: str) -> None:
    measure, state = MAKE[name](name, path, int(worlds), int(threads), int(substeps), np.load(tape))
    module = sys.modules["gymnasium" if MAKE[name] is vector else "mujoco"]
    print(json.dumps(f"{module.__name__} {module.__version__}"), flush=True)
    for line in sys.stdin:
        seconds = measure(int(line))
        assert np.isfinite(state()).all() and len(state()) == int(worlds), "a world broke"
        print(json.dumps(seconds), flush=True)


class Engine:
    """A program that tells its version, and then answers each number on its input. Close it."""

    def __init__(self, *command: object):
        self.process = subprocess.Popen([str(word) for word in command], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
        self.version = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise subprocess.CalledProcessError(self.process.wait(), self.process.args)
        return json.loads(line)

    def measure(self, steps: int):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def go_loop(task: str, worlds: int, threads: int, tape: np.ndarray, folder: str, *free: str) -> Engine:
    """The same worlds stepped by Go alone; the program and the tape are put in the folder."""
    program, path = Path(folder) / "goloop", Path(folder) / "tape.float32"
    if not program.exists():
        subprocess.run(["go", "build", "-o", program, "./python/benchmarks/goloop"], cwd=ROOT, check=True)
        tape.astype(np.float32).tofile(path)
    return Engine(program, task, worlds, threads, path, *free)


def engines(build: Path, task: str, worlds: int, threads: int, tape: np.ndarray, folder: str) -> dict[str, Engine]:
    """The peers that have the task; mjbatch where its environment is. The tape is put in the folder."""
    import gymnasium

    path, made = f"{folder}/tape.npy", gymnasium.make(task).unwrapped
    np.save(path, tape)
    peers = {name: (sys.executable, task) for name in MAKE if MAKE[name] is vector}
    if hasattr(made, "frame_skip"):  # not Box2D
        peers |= {name: (sys.executable, made.fullpath) for name in ("mujoco.batch", "mujoco.rollout")}
        peers["mjbatch"] = build / "venv-mjbatch" / "bin" / "python", made.fullpath
    words = worlds, threads, getattr(made, "frame_skip", 1), path
    return {name: Engine(p, __file__, name, model, *words) for name, (p, model) in peers.items() if Path(p).exists()}


if __name__ == "__main__":
    serve(*sys.argv[1:])
