"""Watch a live run, and push the robot each second.

    train serve --task quadruped --policy runs/quadruped-001 &
    python python/examples/push_live.py --pushes 5
"""

import argparse

import numpy as np

from polyrhythm import live

parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parse.add_argument("--address", default="127.0.0.1:8081")
parse.add_argument("--token", help="if the server wants one")
parse.add_argument("--fingerprint", help="of the server's certificate, if it has made one")
parse.add_argument("--body", help="to push; the first that can be pushed if not given")
parse.add_argument("--force", type=float, default=150, help="N, to one side and then the other")
parse.add_argument("--pushes", type=int, default=10)
arguments = parse.parse_args()

with live.connect(arguments.address, name="pusher", token=arguments.token, fingerprint=arguments.fingerprint) as run:
    body = arguments.body or next(b.name for b in run.description.bodies if b.force)
    index = [b.name for b in run.description.bodies].index(body)
    made, due = 0, None
    for frame in run:
        if due is None or frame.ns[0] >= due or frame.ns[0] < due - 1_000_000_000:  # the last: a new episode
            due = frame.ns[0] + 1_000_000_000
            if made == arguments.pushes:
                break
            number = run.push(body, force=(0, arguments.force * (-1) ** made, 0), steps=5)
            made += 1
            x, y, z = np.round(frame.poses[0, index, :3], 2)
            print(f"step {frame.n}, {frame.ns[0] / 1e9:.2f} s: {body} at ({x}, {y}, {z}); the push is intent {number}")
