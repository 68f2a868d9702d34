"""Worlds that are sent and received at their own pace."""

import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode

import polyrhythm
from shared import SLOW

N = 24
STEPS = 25


def make(**arguments):
    arguments = {"seed": 1, "max_episode_steps": 9, **arguments}
    return polyrhythm.make_vec("HalfCheetah-v5", N, **arguments)


def action(world, step):
    """The action of a world in its own step: the same however it gets there."""
    return np.sin(np.arange(6) + world + 0.3 * step).astype(np.float32)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("min_worlds", [1, 10, N])
def test_each_world_does_what_it_does_in_step(mode, min_worlds):
    env = make(autoreset_mode=mode)
    env.reset(seed=3)
    want = [[] for _ in range(N)]
    for step in range(STEPS):
        observations, rewards, terminations, truncations, infos = env.step(np.array([action(w, step)
            for w in range(N)]))
        for w in range(N):
            want[w].append((observations[w].copy(), rewards[w], terminations[w], truncations[w], said(infos, w)))
    env.close()

    env = make(autoreset_mode=mode)
    env.reset(seed=3)
    got = [[] for _ in range(N)]
    env.send(np.array([action(w, 0) for w in range(N)]))
    while any(len(trace) < STEPS for trace in got):
        observations, rewards, terminations, truncations, infos = env.recv(min_worlds)
        ids = infos.pop("env_id")
        infos.pop("_env_id", None)
        assert len(ids) >= min_worlds and observations.shape == (len(ids), 17)
        for row, w in enumerate(ids):
            got[w].append((observations[row], rewards[row], terminations[row], truncations[row], said(infos, row)))
        env.send(np.array([action(w, len(got[w])) for w in ids]))
    for w in range(N):
        for (o, r, te, tr, info), (o2, r2, te2, tr2, info2) in zip(want[w], got[w], strict=False):
            np.testing.assert_array_equal(o, o2)
            assert (r, te, tr) == (r2, te2, tr2)
            assert info == info2
    env.close()  # with worlds under way


def said(infos, row):
    """What infos say of a row, as plain values."""
    found = {}
    for name, values in infos.items():
        if name.startswith("_") or not infos[f"_{name}"][row]:
            continue
        if isinstance(values, dict):
            found[name] = said(values, row)
        else:
            found[name] = np.array(values[row]).tolist()
    return found


def test_step_goes_on_after_recv():
    env = make()
    env.reset(seed=3)
    env.send(np.zeros((N, 6), np.float32))
    with pytest.raises(polyrhythm.Error, match=f"{N} worlds are still being stepped"):
        env.step(np.zeros((N, 6), np.float32))
    with pytest.raises(polyrhythm.Error, match="receive them first"):
        env.reset()
    env.recv(N)
    env.step(np.zeros((N, 6), np.float32))
    env.send(np.zeros((N, 6), np.float32), np.arange(N))
    env.recv(N)


def before_the_last_step():
    """Worlds whose episodes all end in the next step."""
    env = make()
    env.reset(seed=3)
    for _ in range(8):
        env.step(np.zeros((N, 6), np.float32))
    return env


def check_all_restart(env):
    """The next step begins every world's next episode."""
    _, rewards, _, _, infos = env.step(np.zeros((N, 6), np.float32))
    assert not rewards.any() and set(infos) == {"x_position", "_x_position"}


def test_step_knows_what_ended_in_recv():
    env = before_the_last_step()
    env.send(np.zeros((N, 6), np.float32), np.arange(N))
    assert env.recv(N)[3].all()
    check_all_restart(env)


def interrupted(function):
    """A function of the library in which the user presses Ctrl-C: Python tells of it when it returns."""

    def call(*arguments):
        function(*arguments)
        raise KeyboardInterrupt

    return call


def test_an_interrupted_recv_loses_no_world():
    env = make()
    env.reset(seed=3)
    env.send(np.zeros((N, 6), np.float32))
    call, env._handle.call = env._handle.call, interrupted(env._handle.call)
    with pytest.raises(KeyboardInterrupt):
        env.recv(5)
    env._handle.call = call
    for refused in (env.reset, env.get_state, lambda: env.set_state(b"")):
        with pytest.raises(polyrhythm.Error, match=f"{N} worlds are still being stepped"):
            refused()
    ids = env.recv(N)[4]["env_id"]
    assert sorted(ids) == list(range(N))
    ids[:] = 0  # the caller's own
    env.send(np.zeros((N, 6), np.float32))
    env.recv(N)
    env.reset()


def test_an_interrupted_step_knows_what_ended():
    env = before_the_last_step()
    step, env._c_step = env._c_step, interrupted(env._c_step)
    with pytest.raises(KeyboardInterrupt):
        env.step(np.zeros((N, 6), np.float32))
    env._c_step = step
    check_all_restart(env)


def test_what_cannot_be_sent():
    env = make(autoreset_mode=AutoresetMode.DISABLED, block_size=3)
    with pytest.raises(ResetNeeded):
        env.send(np.zeros((N, 6), np.float32))
    env.reset(seed=1)
    block = env.blocks[1]
    assert len(block) == 3
    with pytest.raises(ValueError, match="stepped together"):
        env.send(np.zeros((1, 6), np.float32), block[:1])
    for beyond in (N, -1, 1 << 32):
        with pytest.raises(ValueError, match=f"env_id has {beyond}; there are the worlds 0 to 23"):
            env.send(np.zeros((1, 6), np.float32), np.array([beyond]))
    with pytest.raises(ValueError, match="shape"):
        env.send(np.zeros((2, 6), np.float32), block[:1])
    with pytest.raises(ValueError, match="sent twice"):
        env.send(np.zeros((2 * len(block), 6), np.float32), np.concatenate([block, block]))
    with pytest.raises(ValueError, match="finite"):
        env.send(np.full((len(block), 6), np.nan), block)
    with pytest.raises(polyrhythm.Error, match="send actions first"):
        env.recv()
    for wrong in (0, N + 1, 1.5, "1"):
        with pytest.raises(ValueError, match="min_worlds"):
            env.recv(wrong)
    env.send(np.zeros((0, 6), np.float32), block[:0])
    env.send(np.zeros((len(block), 6), np.float32), block)
    with pytest.raises(polyrhythm.Error, match="still being stepped"):
        env.send(np.zeros((len(block), 6), np.float32), block)
    with pytest.raises(polyrhythm.Error, match="want at least 4: send actions first"):
        env.recv(len(block) + 1)
    _, _, _, _, infos = env.recv()
    assert sorted(infos["env_id"]) == list(block)
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.recv()


def test_recorded_worlds_step_together(tmp_path):
    env = make(dataset=tmp_path / "data")
    env.reset(seed=1)
    with pytest.raises(polyrhythm.Error, match="use step"):
        env.send(np.zeros((N, 6), np.float32))
    env.close()


@contextmanager
def holds_the_interpreter():
    """No other thread runs Python but while this one waits, or is where it lets others run."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def test_the_interpreter_goes_on_during_a_step():
    """Another thread counts while this one is inside the library."""
    env = polyrhythm.make_vec("Humanoid-v5", 256, seed=1, workers=1)
    env.reset()
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    counter = threading.Thread(target=count)
    counter.start()
    actions = np.zeros((256, 17), np.float32)
    inside = 0
    for _ in range(1000):  # on a busy machine the other thread may not run in each
        with holds_the_interpreter():
            before = counted[0]
            env.step(actions)
            inside += counted[0] - before
        if inside:
            break
    stop.set()
    counter.join()
    env.close()
    assert inside > 0


def test_two_threads_take_turns():
    """Two calls at once: one of them may be refused, none of them crashes."""
    env = make()
    env.reset()
    refused = []

    def step():
        for _ in range(50):
            try:
                env.step(np.zeros((N, 6), np.float32))
            except polyrhythm.Error as error:
                refused.append(str(error))

    threads = [threading.Thread(target=step) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in text for text in refused)


@pytest.mark.parametrize("body", ["while True: env.step(a)",
    "env.send(a); env.recv(N)\nwhile True: env.send(a); env.recv(N)"])
def test_ctrl_c(body):
    """A signal becomes a KeyboardInterrupt, and the environment can be closed."""
    program = (
        "import os, signal, sys, threading, numpy as np, polyrhythm\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it\n"
        "N = 64\n"
        "env = polyrhythm.make_vec('HalfCheetah-v5', N, seed=1)\n"
        "env.reset()\n"
        "a = np.zeros((N, 6), np.float32)\n"
        "sys.setswitchinterval(1e6)  # the other thread runs only where this one is inside of a call, or waits\n"
        "begin = threading.Lock()\n"
        "begin.acquire()\n"
        "def interrupt():\n"
        "    begin.acquire()\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
        "try:\n"
        "    begin.release()\n" + "".join(f"    {line}\n" for line in body.splitlines())
            + "except KeyboardInterrupt:\n"
        "    env.close()\n"
        "    print('interrupted')\n"
    )
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert (child.returncode, child.stdout) == (0, "interrupted\n"), child.stderr


COUNT = 1500 if SLOW else 300
INTERRUPTED = {
    "step": "env.step(a)",
    "send and recv": "env.send(a, np.arange(N)); env.recv(N)",
    "reset": "env.reset(seed=1)",
    "set_state": "env.set_state(env.get_state())",
}


@pytest.mark.parametrize("use", INTERRUPTED.values(), ids=INTERRUPTED)
def test_an_interrupt_at_any_place_leaves_worlds_that_go_on(use):
    """Signals rain on an environment. After each one it is in use again, with nothing but a recv in between."""
    program = (
        "import random, signal, numpy as np, polyrhythm\n"
        "N = 8\n"
        "env = polyrhythm.make_vec('Hopper-v5', N, seed=1, max_episode_steps=9)\n"
        "env.reset()\n"
        "a = np.zeros((N, 3), np.float32)\n"
        "class Interrupt(BaseException): pass\n"
        "def interrupt(*_): raise Interrupt\n"
        "signal.signal(signal.SIGALRM, interrupt)\n"
        "random.seed(1)\n"
        "hits = 0\n"
        f"for _ in range({COUNT}):\n"
        "    try:\n"
        "        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 1e-3))\n"
        f"        while True: {use}\n"
        "    except Interrupt: hits += 1\n"
        "    while True:\n"
        "        try: env.recv(1)\n"
        "        except polyrhythm.Error as error:\n"
        "            assert 'send actions first' in str(error), error\n"
        "            break\n"
        "    env.step(a)\n"
        "env.close()\n"
        "print(hits)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=1200, check=False)
    assert run.stdout == f"{COUNT}\n", run.stderr
