"""Reads encoded updates, each after its length, and prints the state after each frame."""

import struct
import sys

import numpy as np

from polyrhythm.live import Decoder

decoder = Decoder()
while head := sys.stdin.buffer.read(4):
    frame = decoder.update(sys.stdin.buffer.read(struct.unpack("<I", head)[0]))
    if frame is None:
        continue
    print(frame.n, frame.number, int(frame.paused), decoder.missed)
    for w in range(len(frame.ns)):
        print(frame.episode[w], frame.ns[w], int(frame.terminated[w]), int(frame.truncated[w]), frame.reward[w].view(np.uint32))
        print(*frame.poses[w].ravel().view(np.uint64))
        for name, values in frame.channels.items():
            print(name, frame.timestamps[name][w], *values[w].view(np.uint64))
