"""Checks ONNX models: onnx_acts.py LIST, a JSON list of models with observations and the
actions that each must give, to 1e-5."""

import json
import sys

import numpy as np
import onnx
import onnxruntime

for model in json.load(open(sys.argv[1])):
    loaded = onnx.load(model["File"])
    onnx.checker.check_model(loaded, full_check=True)
    properties = {p.key: p.value for p in loaded.metadata_props}
    assert properties["task"] == "test" and properties["version"] == "v0", properties
    session = onnxruntime.InferenceSession(model["File"], providers=["CPUExecutionProvider"])
    observed = np.array(model["Observed"], dtype=np.float32)
    acted = np.array(model["Acted"])
    (batch,) = session.run(["action"], {"observation": observed})
    if batch.ndim == 1:  # choices
        assert batch.dtype == np.int64, batch.dtype
        batch = batch[:, None]
    worst = np.abs(batch - acted).max()
    assert batch.shape == acted.shape and worst <= 1e-5, f"{model['Name']}: off by {worst}"
    (one,) = session.run(["action"], {"observation": observed[:1]})
    assert np.abs(one.reshape(-1) - acted[0]).max() <= 1e-5, model["Name"]
    print(f"{model['Name']}: {worst:.1e}")
