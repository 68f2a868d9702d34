"""Print what the controllers that Gymnasium ships do with given observations.

Usage: box2d_heuristics.py lander|lander-continuous|walker < OBSERVATIONS

One line of hexadecimal numbers per observation, one line with the action for
each. The walker's controller has a memory: the observations are its episode.
"""

import sys
import types

import numpy as np
from gymnasium.envs.box2d.bipedal_walker import BipedalWalkerHeuristics
from gymnasium.envs.box2d.lunar_lander import heuristic

kind = sys.argv[1]
env = types.SimpleNamespace(continuous=kind == "lander-continuous")
env.unwrapped = env
walker = BipedalWalkerHeuristics()
for line in sys.stdin:
    observation = np.array([float.fromhex(word) for word in line.split()], dtype=np.float32)
    action = walker.step_heuristic(observation) if kind == "walker" else heuristic(env, observation)
    print(*[float(v).hex() for v in np.ravel(action)])
