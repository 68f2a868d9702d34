"""An exported policy acts in onnxruntime as it does in train. Other architectures are
compared in Go (rl, POLYTEST_PYTHON)."""

import json
import os
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest

import polyrhythm

TRAIN = os.environ["POLYTEST_TRAIN"]


def train(*arguments):
    return subprocess.run([TRAIN, *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("policy") / "run"
    done = train(
        "run", "--task", "HalfCheetah-v5", "--out", folder, "--log-every", "0",
        "--set", "worlds=4", "--set", "max_steps=40", "--set", "recording.enabled=false",
        "--set", "training={steps: 1024, segment: 64, epochs: 2, hidden: [32, 16]}", "--set", "evaluation.episodes=2")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def model(run):
    out = run.parent / "cheetah.onnx"
    done = train("export-policy", run, "--to", "onnx", "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert "HalfCheetah-v5 after 1024 steps" in done.stdout
    return out


def test_the_model_is_valid_and_says_what_it_is(model):
    loaded = onnx.load(model)
    onnx.checker.check_model(loaded, full_check=True)
    properties = {p.key: p.value for p in loaded.metadata_props}
    assert properties["task"] == "HalfCheetah-v5"
    assert properties["env_steps"] == "1024"
    assert properties["version"] == loaded.producer_version != ""
    for key, size in ("observation_names", 17), ("action_names", 6):
        if key in properties:
            assert len(json.loads(properties[key])) == size


def test_the_same_actions(run, model):
    policy = polyrhythm.Policy.load(run)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    env = policy.make_vec(4, seed=5)
    observations, _ = env.reset()
    for _ in range(100):
        observations = observations.astype(np.float32).astype(np.float64)
        want = policy.act(observations)
        (got,) = session.run(["action"], {"observation": observations.astype(np.float32)})
        np.testing.assert_allclose(got, want, atol=1e-5, rtol=0)
        observations, *_ = env.step(want)
    env.close()


@pytest.mark.parametrize("activation", ["elu", "relu"])
def test_a_discrete_policy_chooses_alike(tmp_path, activation):
    run, out = tmp_path / "run", tmp_path / "lander.onnx"
    done = train(
        "run", "--task", "LunarLander-v3", "--out", run, "--log-every", "0",
        "--set", "worlds=4", "--set", "max_steps=60", "--set", "recording.enabled=false",
        "--set", f"training={{steps: 2048, segment: 64, epochs: 2, hidden: [16], activation: {activation}}}",
        "--set", "evaluation.episodes=2")
    assert done.returncode == 0, done.stderr
    done = train("export-policy", run, "--to", "onnx", "--out", out)
    assert done.returncode == 0, done.stderr
    onnx.checker.check_model(onnx.load(out), full_check=True)
    session = onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])
    policy = polyrhythm.Policy.load(run)
    env = policy.make_vec(4, seed=5)
    observations, _ = env.reset()
    chosen = set()
    for _ in range(60):
        want = policy.act(observations)
        (got,) = session.run(["action"], {"observation": observations.astype(np.float32)})
        assert got.dtype == np.int64 and got.shape == (4,)
        np.testing.assert_array_equal(got, np.asarray(want).reshape(4))
        chosen.update(got.tolist())
        observations, *_ = env.step(want)
    env.close()
    assert len(chosen) > 1


@pytest.mark.parametrize("task, more", [
    ("HalfCheetah-v5", "hidden: [16], activation: elu"),
    ("LunarLander-v3", "hidden: [16, 8]"),
])
def test_a_recurrent_policy_remembers_alike(tmp_path, task, more):
    run, out = tmp_path / "run", tmp_path / "recurrent.onnx"
    done = train(
        "run", "--task", task, "--out", run, "--log-every", "0",
        "--set", "worlds=4", "--set", "max_steps=60", "--set", "recording.enabled=false",
        "--set", f"training={{steps: 2048, segment: 64, epochs: 2, recurrent: 12, {more}}}",
        "--set", "evaluation.episodes=2")
    assert done.returncode == 0, done.stderr
    done = train("export-policy", run, "--to", "onnx", "--out", out)
    assert done.returncode == 0, done.stderr
    model = onnx.load(out)
    onnx.checker.check_model(model, full_check=True)
    assert [i.name for i in model.graph.input] == ["observation", "state"]
    assert [o.name for o in model.graph.output] == ["action", "next_state"]
    session = onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])
    policy = polyrhythm.Policy.load(run)
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
        got, state = session.run(["action", "next_state"], {"observation": observations.astype(np.float32), "state": state})
        np.testing.assert_allclose(got, want, atol=1e-5, rtol=0)
        np.testing.assert_allclose(state, act.state, atol=1e-5, rtol=0)
        observations, *_ = env.step(want)
    env.close()
    assert begun >= 12


def test_errors_are_one_line_and_leave_nothing(run, tmp_path):
    damaged = tmp_path / "damaged.ckpt"
    data = bytearray((run / "latest").read_bytes())
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)
    out = tmp_path / "policy.onnx"
    for arguments, code, text in [
        ((run, "--to", "torch", "--out", out), 2, '--to is "torch", want onnx or policy'),
        ((run, "--to", "onnx"), 2, "no file given, want --out FILE"),
        ((run, "--to", "onnx", "--out", tmp_path), 2, "want a file"),
        ((run, "--to", "onnx", "--out", tmp_path / "no" / "x.onnx"), 2, "want one that does"),
        ((tmp_path, "--to", "onnx", "--out", out), 2, "holds no checkpoint"),
        ((damaged, "--to", "onnx", "--out", out), 1, "damaged"),
        ((run, "--to", "onnx", "--out", out, "--set", "task.name=Ant-v5"), 1, "the policy has 17 and 6"),
    ]:
        done = train("export-policy", *arguments)
        assert done.returncode == code and text in done.stderr and done.stderr.count("\n") == 1, done
        assert os.listdir(tmp_path) == ["damaged.ckpt"], arguments
