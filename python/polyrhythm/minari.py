"""Datasets of Minari, for `train clone`.

    python -m polyrhythm.minari mujoco/halfcheetah/expert-v0 --out expert
    train clone expert --task HalfCheetah-v5

The dataset is one that Minari has on this machine, by its name, or a folder. Its observations must be vectors, its
actions vectors or choices. What is written is the part of a LeRobot v3 dataset that `train clone` reads:
`observation.state`, `action` and `episode_index` of every step. It needs `pip install 'polyrhythm[minari]'`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from polyrhythm._extras import extra


def convert(dataset: Any, out: str | os.PathLike[str]) -> int:
    """Write a `minari.MinariDataset` to a folder, new or empty, and return the number of its steps."""
    import gymnasium

    with extra("minari", by="polyrhythm.minari"):
        import pyarrow
        import pyarrow.parquet

    out = Path(out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out} is there, want a new or an empty folder")
    seen, done = dataset.observation_space, dataset.action_space
    if not isinstance(seen, gymnasium.spaces.Box) or len(seen.shape) != 1:
        raise ValueError(f"the observations are {seen}, want a Box of one dimension")
    choices = isinstance(done, gymnasium.spaces.Discrete)
    if not choices and (not isinstance(done, gymnasium.spaces.Box) or len(done.shape) != 1):
        raise ValueError(f"the actions are {done}, want a Box of one dimension or Discrete")
    # Of ours, the infos have what only others than the policy observe, which follows what the policy does.
    infos = (dataset[0].infos or {}) if dataset.total_episodes else {}
    others = [name for name in infos if name.startswith("privileged.")]
    kinds = {  # a choice counts from 0
        "observation.state": (np.float64, seen.shape[0] + sum(infos[name].shape[1] for name in others)),
        "action": (np.int64, 1) if choices else (np.float32, done.shape[0]),
        "next.reward": (np.float64, 1),
        "next.terminated": (np.bool_, 1),
        "episode_index": (np.int64, 1),
    }
    columns = {
        name: pyarrow.list_(pyarrow.from_numpy_dtype(kind)) if name in ("observation.state", "action")
        else pyarrow.from_numpy_dtype(kind)
        for name, (kind, _) in kinds.items()
    }
    schema, steps, episodes = pyarrow.schema(list(columns.items())), 0, 0
    folder = out / "data" / "chunk-000"
    folder.mkdir(parents=True, exist_ok=True)
    (out / "meta").mkdir()
    with pyarrow.parquet.ParquetWriter(folder / "file-000.parquet", schema) as writer:
        for episode in dataset.iterate_episodes():
            n = len(episode.actions)
            acted = np.asarray(episode.actions)
            observed = [episode.observations, *(episode.infos[name] for name in others)]
            values = {
                "observation.state": np.concatenate([np.asarray(part, np.float64)[:n] for part in observed], axis=1),
                "action": acted.reshape(n, 1) - done.start if choices else acted,
                "next.reward": np.asarray(episode.rewards),
                "next.terminated": np.asarray(episode.terminations),
                "episode_index": np.full(n, episodes),
            }
            arrays = [
                pyarrow.array(list(values[name].astype(kind)), columns[name]) for name, (kind, _) in kinds.items()
            ]
            writer.write_table(pyarrow.table(arrays, schema=schema))
            steps, episodes = steps + n, episodes + 1
    features = {
        name: {"dtype": np.dtype(kind).name, "shape": [size], "names": None} for name, (kind, size) in kinds.items()
    }
    about = {"codebase_version": "v3.0", "total_episodes": episodes, "total_frames": steps, "features": features}
    (out / "meta" / "info.json").write_text(json.dumps(about, indent=2) + "\n")  # last: with it the dataset is whole
    return steps


def main() -> int:
    parse = argparse.ArgumentParser(
        prog="python -m polyrhythm.minari", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("dataset", help="the name of a dataset of Minari, or its folder")
    parse.add_argument("--out", required=True, help="a new folder")
    given = parse.parse_args()
    try:
        with extra("minari", by=parse.prog):
            import minari
        folder = Path(given.dataset) / "data"
        dataset = minari.MinariDataset(folder) if folder.is_dir() else minari.load_dataset(given.dataset)
        steps = convert(dataset, given.out)
    except (ImportError, OSError, ValueError, KeyError) as error:
        print(f"polyrhythm.minari: {error}", file=sys.stderr)
        return 2
    print(f"{steps} steps of {dataset.total_episodes} episodes in {given.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
