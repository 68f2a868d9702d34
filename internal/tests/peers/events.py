"""Compares an event file with what it must hold: events.py FOLDER JSON."""

import json
import sys

import numpy as np
from tensorboard.backend.event_processing import event_accumulator, event_file_loader

folder, want = sys.argv[1], json.loads(sys.argv[2])
path = folder + "/metrics.tfevents"
events = list(event_file_loader.EventFileLoader(path).Load())  # checks the checksums
assert events[0].file_version == "brain.Event:2", events[0]
assert events[1].wall_time == 1_700_000_000, events[1]

accumulator = event_accumulator.EventAccumulator(folder, size_guidance={event_accumulator.SCALARS: 0})
accumulator.Reload()
(image,) = accumulator.Images("clip")
assert (image.step, image.width, image.height) == (7, 2, 1), image
assert image.encoded_image_string == b"GIF89a\2\0\1\0", image
assert sorted(accumulator.Tags()["scalars"]) == sorted(want), accumulator.Tags()
for tag, points in want.items():
    got = [(s.step, s.value) for s in accumulator.Scalars(tag)]
    assert got == [(p["Step"], float(np.float32(p["Value"]))) for p in points], (tag, got[:3])
