"""An exported policy acts in onnxruntime as it does in train. Other architectures are
compared in Go (rl, POLYTEST_PYTHON)."""

import json
import os

import numpy as np
import onnx
import onnxruntime
import polyrhythm
import pytest
from shared import learn, train


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    training = {"steps": 1024, "segment": 64, "epochs": 2, "hidden": [32, 16]}
    return learn(tmp_path_factory.mktemp("policy") / "run", "HalfCheetah-v5", training=training)


def exported(folder, task, **training):
    """A short training, its policy in Python, its model, and a session of onnxruntime with it."""
    run, out = folder / "run", folder / "policy.onnx"
    learn(run, task, max_steps=60, training={"steps": 2048, "segment": 64, "epochs": 2, **training})
    done = train("export-policy", run, "--to", "onnx", "--out", out)
    assert f"{task} after 2048 steps" in done.stdout and done.stderr == ""
    model = onnx.load(out)
    onnx.checker.check_model(model, full_check=True)
    return polyrhythm.Policy.load(run), model, onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("task, activation", [
    ("HalfCheetah-v5", "tanh"), ("LunarLander-v3", "elu"), ("LunarLander-v3", "relu"),
])  # fmt: skip
def test_the_same_actions(tmp_path, task, activation):
    policy, model, session = exported(tmp_path, task, hidden=[16, 8], activation=activation)
    env = policy.make_vec(4, seed=5)
    properties = {p.key: p.value for p in model.metadata_props}
    assert (properties["task"], properties["env_steps"]) == (task, "2048")
    assert properties["version"] == model.producer_version != ""
    for key, space in ("observation_names", env.single_observation_space), ("action_names", env.single_action_space):
        assert key not in properties or len(json.loads(properties[key])) == (space.shape or (1,))[0]
    observations, _ = env.reset()
    chosen = set()
    for _ in range(60):
        observations = observations.astype(np.float32).astype(np.float64)
        want = policy.act(observations)
        (got,) = session.run(["action"], {"observation": observations.astype(np.float32)})
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, atol=1e-5, rtol=0)
        chosen.update(got.flat)
        observations, *_ = env.step(want)
    assert len(chosen) > 1


@pytest.mark.parametrize(("task", "keys"), [
    ("HalfCheetah-v5", {"hidden": [16], "activation": "elu"}),
    ("LunarLander-v3", {"hidden": [16, 8]}),
])
def test_a_recurrent_policy_remembers_alike(tmp_path, task, keys):
    acts_alike(*exported(tmp_path, task, recurrent=12, **keys))


@pytest.mark.parametrize(("size", "keys"), [(2, {}), (5, {"state_dependent_std": True})])
def test_a_policy_carries_on_alike(tmp_path, size, keys):
    """One that decides on chunks of actions, which a clone does."""
    dataset, run, out = tmp_path / "data", tmp_path / "run", tmp_path / "policy.onnx"
    limit = {"worlds": 2, "max_steps": 60}
    train("rollout", "--task", "HalfCheetah-v5", "--episodes", 8, "--out", dataset,
        keys={**limit, "recording": {"tables": ["capture", "control"]}})  # fmt: skip
    train("clone", dataset, "--out", run, keys={**limit, "recording": {"enabled": False},
        "training": {"steps": 2000, "hidden": [16], "chunk_size": size, **keys}})  # fmt: skip
    train("export-policy", run, "--to", "onnx", "--out", out)
    onnx.checker.check_model(onnx.load(out), full_check=True)
    session = onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])
    acts_alike(polyrhythm.Policy.load(run), onnx.load(out), session)


def acts_alike(policy, model, session):
    """Whether a policy with a state acts in onnxruntime as in train, over several episodes."""
    assert [i.name for i in model.graph.input] == ["observation", "state"]
    assert [o.name for o in model.graph.output] == ["action", "next_state"]
    env = policy.make_vec(4, seed=5, max_episode_steps=25)
    act = policy.actor(env)
    state, begun = policy.new_state(4), 0
    observations, _ = env.reset()
    for _ in range(90):
        observations = observations.astype(np.float32).astype(np.float64)
        begins = env.begins()
        begun += begins.sum()
        want = act(observations)
        state[begins] = 0
        given = {"observation": observations.astype(np.float32), "state": state}
        got, state = session.run(["action", "next_state"], given)
        np.testing.assert_allclose(got, want, atol=1e-5, rtol=0)
        np.testing.assert_allclose(state, act.state, atol=1e-5, rtol=0)
        observations, *_ = env.step(want)
    assert begun >= 12


def test_errors_are_one_line_and_leave_nothing(run, tmp_path):
    damaged = tmp_path / "damaged.ckpt"
    data = bytearray((run / "latest").read_bytes())
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)
    out = tmp_path / "policy.onnx"
    for arguments, code, text in [
        ((run, "--to", "torch", "--out", out), 2, '--to is "torch", want one of onnx, policy'),
        ((run, "--to", "onnx"), 2, "no file given, want --out FILE"),
        ((run, "--to", "onnx", "--out", tmp_path), 2, "want a file"),
        ((run, "--to", "onnx", "--out", tmp_path / "no" / "x.onnx"), 2, "want one that does"),
        ((tmp_path, "--to", "onnx", "--out", out), 2, "holds no checkpoint"),
        ((damaged, "--to", "onnx", "--out", out), 1, "damaged"),
        ((run, "--to", "onnx", "--out", out, "--set", "task.name=Ant-v5"), 1, "it has 6 action values, want the 8 of Ant-v5"),
    ]:
        done = train("export-policy", *arguments, code=code)
        assert text in done.stderr and done.stderr.count("\n") == 1, done
        assert os.listdir(tmp_path) == ["damaged.ckpt"], arguments
