"""Record random actions in a configuration's worlds, and read the dataset back.

    python python/examples/read_dataset.py runs/from-python

Needs the package datasets.
"""

import argparse
from pathlib import Path

import datasets
import numpy as np

import polyrhythm

parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parse.add_argument("folder", help="a new folder")
parse.add_argument("--config", default=Path(__file__).parents[2] / "configs" / "quadruped.yaml")
parse.add_argument("--worlds", type=int, default=4)
parse.add_argument("--steps", type=int, default=150, help="control steps of each world")
arguments = parse.parse_args()

envs = polyrhythm.make_vec(config=arguments.config, num_envs=arguments.worlds, dataset=arguments.folder)
envs.action_space.seed(1)
envs.reset()
for _ in range(arguments.steps):
    envs.step(envs.action_space.sample())
envs.close()  # finishes the dataset

rows = datasets.load_from_disk(arguments.folder).with_format("numpy")
one = rows.filter(lambda episode: episode == 0, input_columns="episode")
print(f"{len(rows)} rows of {len(np.unique(rows['episode']))} episodes; columns {', '.join(rows.column_names)}")
print(f"the first episode has {len(one)} rows, the last one at {one['t_ns'][-1] / 1e9:.3f} s")
