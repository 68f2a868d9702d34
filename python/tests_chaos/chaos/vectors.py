"""A Python process that opens, steps and closes vector environments for as long as it lives.

A line for each has the MiB that malloc has handed out. What the process has from the system is more, and goes up and
down by tens of MiB with the gaps between.
"""

from __future__ import annotations

import ctypes
import random
import sys

import polyrhythm

TASKS = ["HalfCheetah-v5", "Hopper-v5", "LunarLander-v3", "BipedalWalker-v3", "InvertedPendulum-v5"]


class Mallinfo2(ctypes.Structure):
    """As glibc has it."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def main() -> None:
    libc = ctypes.CDLL("libc.so.6")
    libc.mallinfo2.restype = Mallinfo2
    r = random.Random(sys.argv[1])
    while True:
        envs = polyrhythm.make_vec(r.choice(TASKS), r.randint(1, 8), seed=r.getrandbits(30))
        envs.action_space.seed(r.getrandbits(30))
        envs.reset()
        for _ in range(r.randint(1, 20)):
            envs.step(envs.action_space.sample())
        envs.close()
        info = libc.mallinfo2()  # of the main arena, and of mappings
        print(f"opened and closed, MiB in use: {(info.uordblks + info.hblkhd) / (1 << 20):.3f}", flush=True)


if __name__ == "__main__":
    main()
