"""Weights & Biases and MLflow, both without a server, get the metrics of a training as they are in metrics.csv."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import mlflow
import polyrhythm
import pytest
import wandb
from wandb.proto import wandb_internal_pb2
from wandb.sdk.internal.datastore import DataStore

ROOT = Path(__file__).resolve().parents[2]
FEW = {
    "worlds": 4, "training": {"steps": 1024, "segment": 32, "hidden": [8]}, "evaluation": {"episodes": 2},
    "recording": {"enabled": False, "clip": False},
}  # fmt: skip


def wandb_history(folder):
    """The rows that the offline run in a folder has, without what the service adds, and their steps."""
    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    store, rows = DataStore(), []
    store.open_for_scan(str(path))
    while data := store.scan_data():
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        if record.history.item:
            values = {item.key or "/".join(item.nested_key): item.value_json for item in record.history.item}
            row = {key: json.loads(value) for key, value in values.items()}
            step = row.pop("_step")
            rows.append((step, {key: value for key, value in row.items() if key not in ("_runtime", "_timestamp")}))
    return rows


def mlflow_history(folder):
    """The rows of the only run that the files in a folder have, and their steps."""
    client = mlflow.MlflowClient(tracking_uri=store(folder)["MLFLOW_TRACKING_URI"])
    (experiment,) = client.search_experiments(filter_string="name = 'tries'")
    (run,) = client.search_runs([experiment.experiment_id])
    assert run.info.status == "FINISHED"
    rows = {}
    for name in run.data.metrics:
        for metric in client.get_metric_history(run.info.run_id, name):
            rows.setdefault(metric.step, {})[name] = metric.value
    return sorted(rows.items())


def store(folder):
    """What MLflow has to be told to write files in a folder."""
    return {"MLFLOW_TRACKING_URI": (folder / "mlflow").as_uri(), "MLFLOW_ALLOW_FILE_STORE": "true"}


HISTORIES = {"wandb": wandb_history, "mlflow": mlflow_history}


def metrics(folder):
    """The lines of metrics.csv, without empty cells."""
    with open(folder / "metrics.csv", newline="") as file:
        return [{name: float(cell) for name, cell in row.items() if cell} for row in csv.DictReader(file)]


@pytest.fixture(autouse=True)
def services(tmp_path, monkeypatch):
    """Both services write files into a folder of the test."""
    here = {"WANDB_MODE": "offline", "WANDB_DIR": str(tmp_path), "WANDB_SILENT": "true", **store(tmp_path)}
    for name, value in here.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("to", HISTORIES)
def test_log_training(tmp_path, to):
    sets = ["worlds=4", "training={steps: 1024, segment: 32, hidden: [8]}", "evaluation.episodes=2",
            "recording={enabled: false, clip: false}"]  # fmt: skip
    command = [sys.executable, ROOT / "python/examples/log_training.py", "--to", to, "--project", "tries"]
    command += ["--train", os.environ["POLYTEST_TRAIN"], "--", "--task", "HalfCheetah-v5", "--out", tmp_path / "run"]
    command += [f"--set={one}" for one in sets]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    want = metrics(tmp_path / "run")
    assert len(want) > 4
    about = json.loads((tmp_path / "run" / "run.json").read_text())["evaluation"]
    # The evaluation is of the same step as the last iteration.
    want[-1] |= {f"evaluation/{name}": about[name] for name in ("mean_return", "std_return", "mean_length")}
    assert HISTORIES[to](tmp_path) == [(row.pop("env_steps"), row) for row in want]


def test_on_metrics_wandb(tmp_path):
    run = wandb.init(project="tries", mode="offline", dir=tmp_path, settings=wandb.Settings(silent=True))
    polyrhythm.train("HalfCheetah-v5", out=tmp_path / "run", overrides=FEW, progress=False, on_metrics=run.log)
    run.finish()
    wandb.teardown()  # waits until the service has written the file
    rows, want = wandb_history(tmp_path), metrics(tmp_path / "run")
    assert [step for step, _ in rows] == list(range(len(want)))
    assert [{name: value for name, value in row.items() if value is not None} for _, row in rows] == want


def test_on_metrics_mlflow(tmp_path):
    def log(row):
        mlflow.log_metrics({name: value for name, value in row.items() if value is not None}, step=int(row["iteration"]))

    mlflow.set_experiment("tries")
    with mlflow.start_run():
        polyrhythm.train("HalfCheetah-v5", out=tmp_path / "run", overrides=FEW, progress=False, on_metrics=log)
    assert mlflow_history(tmp_path) == [(row["iteration"], row) for row in metrics(tmp_path / "run")]
