"""TensorBoard reads the events of a training, which say what metrics.csv says."""

import csv

import numpy as np
from tensorboard.backend.event_processing import event_accumulator
from shared import learn


def test_the_events_are_the_metrics(tmp_path):
    keys = {"training": {"steps": 1024, "segment": 32, "epochs": 2, "hidden": [8]}, "evaluation.every": 256}
    run = learn(tmp_path / "run", "HalfCheetah-v5", **keys)
    events = event_accumulator.EventAccumulator(str(run), size_guidance={event_accumulator.SCALARS: 0})
    events.Reload()
    with open(run / "metrics.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 4
    for name in rows[0]:
        tag = name if name.startswith("info/") else f"train/{name}"
        want = [(int(row["env_steps"]), float(np.float32(row[name]))) for row in rows if row[name]]
        got = [(s.step, s.value) for s in events.Scalars(tag)] if tag in events.Tags()["scalars"] else []
        assert got == want, tag
    (clip,) = events.Images("clip")
    assert clip.encoded_image_string == (run / "clip.gif").read_bytes() and (clip.width, clip.height) == (480, 360)
    evaluations = events.Scalars("evaluation/mean_return")
    assert [s.step for s in evaluations][-1] == 1024 and len(evaluations) >= 4
