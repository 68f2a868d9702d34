"""Checks ONNX models: onnx_acts.py LIST, a JSON list of models with observations and the
actions that each must give, to 1e-5. The observations of a recurrent policy follow each
other, in episodes of a given length, with the states that it must pass through."""

import json
import sys

import numpy as np
import onnx
import onnxruntime


def act(session, state, observed):
    """The actions, two-dimensional, and the next states."""
    inputs = {"observation": observed.astype(np.float32)}
    if state is None:
        (actions,) = session.run(["action"], inputs)
    else:
        actions, state = session.run(["action", "next_state"], inputs | {"state": state})
    if actions.ndim == 1:  # choices
        assert actions.dtype == np.int64, actions.dtype
        actions = actions[:, None]
    return actions, state


def walk(model, session, observed):
    """The actions and states of a recurrent policy, step by step by its own states."""
    states = np.array(model["Next"], np.float32)
    acted, passed = [], []
    for step, observation in enumerate(observed):
        if step % model["Episode"] == 0:
            state = np.zeros((1, states.shape[1]), np.float32)
        action, state = act(session, state, observation[None])
        acted.append(action[0])
        passed.append(state[0])
    worst = np.abs(np.array(passed) - states).max()
    assert worst <= 1e-5, f"{model['Name']}: states off by {worst}"
    # All steps as one batch, each from the state before.
    before = np.concatenate([np.zeros_like(states[:1]), states[:-1]])
    before[:: model["Episode"]] = 0
    batch, _ = act(session, before, observed)
    assert np.abs(batch - acted).max() <= 1e-5, model["Name"]
    return np.array(acted)


for model in json.load(open(sys.argv[1])):
    loaded = onnx.load(model["File"])
    onnx.checker.check_model(loaded, full_check=True)
    properties = {p.key: p.value for p in loaded.metadata_props}
    assert properties["task"] == "test" and properties["version"] == "v0", properties
    session = onnxruntime.InferenceSession(model["File"], providers=["CPUExecutionProvider"])
    observed, acted = np.array(model["Observed"]), np.array(model["Acted"])
    if "Next" in model:
        batch = walk(model, session, observed)
    else:
        batch, _ = act(session, None, observed)
        one, _ = act(session, None, observed[:1])
        assert np.abs(one - acted[:1]).max() <= 1e-5, model["Name"]
    worst = np.abs(batch - acted).max()
    assert batch.shape == acted.shape and worst <= 1e-5, f"{model['Name']}: off by {worst}"
    print(f"{model['Name']}: {worst:.1e}")
