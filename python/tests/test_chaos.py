"""What tests_chaos/chaos.py relies on: its faults come where they are asked for, and it sees what grows."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHAOS = Path(__file__).parents[1] / "tests_chaos"
sys.path += [str(CHAOS), str(CHAOS.with_name("benchmarks"))]
from chaos import flat, programs, record

WRITER = """
import os, sys, time
begun = time.time()
for i in range(5):
    f = os.open(f"{sys.argv[1]}/{i}", os.O_WRONLY | os.O_CREAT)  # calls 1, 4, 7, …
    try:
        print(i, os.write(f, b"x" * 100))  # 2, 5, 8, …
    except OSError as error:
        print(i, error.strerror)
    os.fsync(f)  # 3, 6, 9, …
print("moved", round((time.time() - begun) / 1000))
"""


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    path = tmp_path_factory.mktemp("faults") / "faults"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-o", path, CHAOS / "chaos/faults.c"], check=True)
    return path


@pytest.fixture
def disturb(tool, tmp_path):
    """Runs WRITER under a plan: its exit code, what it printed, the sizes of its files, and the log."""

    def run(*plan):
        folder, log = tmp_path / "files", tmp_path / "log"
        folder.mkdir()
        command = [tool, "-d", folder, "-o", log, *plan, "--", sys.executable, "-c", WRITER, folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if "seccomp" in done.stderr:
            pytest.skip(f"the kernel lets nobody watch system calls: {done.stderr}")
        sizes = [path.stat().st_size for path in sorted(folder.iterdir())]
        return done.returncode, done.stdout.split("\n")[:-1], sizes, [json.loads(line) for line in log.open()]

    return run


def test_calls_are_counted(disturb):
    code, said, sizes, log = disturb()
    assert (code, said[0], sizes, log) == (0, "0 100", [100] * 5, [{"calls": 15, "exit": 0}])


def test_a_write_is_cut_short_or_fails(disturb):
    code, said, sizes, log = disturb("2:short", "5:eio", "8:eintr", "6:stop:100")
    assert code == 0 and said[:3] == ["0 50", "1 Input/output error", "2 100"]  # Python repeats what is interrupted
    assert sizes == [50, 0, 100, 100, 100]
    assert log[-1] == {"calls": 16, "exit": 0}
    assert [line["what"] for line in log[:-1]] == ["short", "eio", "stop", "eintr"]
    assert log[0] == {"n": 2, "what": "short", "call": "write", "file": "/0"}


@pytest.mark.parametrize(("what", "size"), [("kill", 0), ("tear", 50)])
def test_a_process_is_killed_at_a_write(disturb, what, size):
    code, _, sizes, log = disturb(f"8:{what}")
    assert (code, sizes, log[-1]) == (137, [100, 100, size], {"calls": 8, "exit": 137})


def test_a_disk_is_full_until_there_is_room(disturb):
    code, said, _, _ = disturb("5:enospc", "6:room")
    assert code == 0 and said[:3] == ["0 100", "1 No space left on device", "2 100"]


def test_the_wall_clock_moves(disturb):
    assert disturb("4:clock:86400")[1][-1] == "moved 86"
    assert abs(time.time() - Path("/proc/self/stat").stat().st_mtime) < 1000  # that of nobody else


def test_a_plan_repeats():
    plans = [programs.plan(record.source(7, "training/3"), 200, False) for _ in range(2)]
    assert plans[0] == plans[1] != programs.plan(record.source(7, "training/4"), 200, False)


def test_what_grows_is_seen():
    noise = record.source(1, "noise")
    flat_ones = [(float(i), 100 + noise.gauss(0, 1)) for i in range(200)]
    assert flat.grows(flat_ones) == ""
    assert flat.grows([(t, v + 0.2 * t) for t, v in flat_ones]).startswith("from 1")
