"""Weights & Biases, offline, gets the metrics of a training as they are in metrics.csv."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import polyrhythm
import wandb
from wandb.proto import wandb_internal_pb2
from wandb.sdk.internal.datastore import DataStore

ROOT = Path(__file__).resolve().parents[2]
FEW = {
    "worlds": 4, "training": {"steps": 1024, "segment": 32, "hidden": [8]}, "evaluation": {"episodes": 2},
    "recording": {"enabled": False, "clip": False},
}  # fmt: skip


def history(folder):
    """The rows that the offline run in a folder has, without what the service adds."""
    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    store, rows = DataStore(), []
    store.open_for_scan(str(path))
    while data := store.scan_data():
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        if record.history.item:
            values = {item.key or "/".join(item.nested_key): item.value_json for item in record.history.item}
            row = {key: json.loads(value) for key, value in values.items()}
            rows.append({key: value for key, value in row.items() if key not in ("_runtime", "_timestamp")})
    return rows


def metrics(folder):
    """The lines of metrics.csv, without empty cells."""
    with open(folder / "metrics.csv", newline="") as file:
        return [{name: float(cell) for name, cell in row.items() if cell} for row in csv.DictReader(file)]


def test_log_training(tmp_path):
    sets = ["worlds=4", "training={steps: 1024, segment: 32, hidden: [8]}", "evaluation.episodes=2",
            "recording={enabled: false, clip: false}"]  # fmt: skip
    command = [sys.executable, ROOT / "python/examples/log_training.py", "--to", "wandb", "--project", "tries"]
    command += ["--train", os.environ["POLYTEST_TRAIN"], "--", "--task", "HalfCheetah-v5", "--out", tmp_path / "run"]
    environment = os.environ | {"WANDB_MODE": "offline", "WANDB_DIR": str(tmp_path), "WANDB_SILENT": "true"}
    command += [f"--set={one}" for one in sets]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=1200, env=environment)
    assert done.returncode == 0, done.stderr
    *rows, last = history(tmp_path)
    want = metrics(tmp_path / "run")
    assert len(want) > 4
    about = json.loads((tmp_path / "run" / "run.json").read_text())["evaluation"]
    # The evaluation is of the same step as the last iteration.
    want[-1] |= {f"evaluation/{name}": about[name] for name in ("mean_return", "std_return", "mean_length")}
    assert [row.pop("_step") for row in [*rows, last]] == [row.pop("env_steps") for row in want]
    assert [*rows, last] == want


def test_on_metrics(tmp_path):
    run = wandb.init(project="tries", mode="offline", dir=tmp_path, settings=wandb.Settings(silent=True))
    polyrhythm.train("HalfCheetah-v5", out=tmp_path / "run", overrides=FEW, progress=False, on_metrics=run.log)
    run.finish()
    wandb.teardown()  # waits until the service has written the file
    rows, want = history(tmp_path), metrics(tmp_path / "run")
    assert [row.pop("_step") for row in rows] == list(range(len(want)))
    assert [{name: value for name, value in row.items() if value is not None} for row in rows] == want
