"""Bytes that are flipped, cut, joined or of something else are refused in one line; what they came to goes on."""

import json
import random

import numpy as np
import polyrhythm
import pytest
from polyrhythm.parts import Collector, Learner, assignments, identify
from polyrhythm.policy import Policy
from shared import CONFIG, KEYS, QUADRUPED, ROLLOUT, SLOW, learn

CASES = 300 if SLOW else 40
REFUSED = (ValueError, polyrhythm.Error)


def damaged(sound, others=(), seed=27):
    """Variants of some bytes, none of which is the same."""
    draw = random.Random(seed)
    variants = [b"", b"\0", b"{}", sound[:-1], sound[1:], sound + b"\0", sound + sound, sound[::-1], *others]
    for _ in range(CASES):
        data = bytearray(sound)
        if draw.random() < 0.7:
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        elif draw.random() < 0.5:
            at = draw.randrange(len(data))
            data[at : at + 4] = draw.choice([b"\xff" * 4, b"\0" * 4, b"\xff\xff\xff\x7f", b"\0\0\xc0\x7f"])
        else:
            del data[draw.randrange(len(data)) :]
        variants.append(bytes(data))
    return [v for v in variants if v != sound]


def refused(use, variants):
    """Every use of a variant is refused, in one line."""
    for variant in variants:
        with pytest.raises(REFUSED) as caught:
            use(variant)
        text = str(caught.value)
        assert text and "\n" not in text and "panic" not in text and len(text) < 1000, text


@pytest.mark.parametrize("task", ["Hopper-v5", "LunarLander-v3", QUADRUPED])
def test_states_of_worlds(task):
    env = polyrhythm.make_vec(**({"config": task} if task == QUADRUPED else {"task": task}), num_envs=3, workers=1)
    env.reset()
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(20)]
    for a in actions:
        env.step(a)
    state = env.get_state()
    want = [np.array(x) for x in env.step(actions[0])[:4]]
    other = polyrhythm.make_vec("Reacher-v5", 3, workers=1)
    other.reset()
    refused(env.set_state, damaged(state, [other.get_state()]))
    env.set_state(state)  # nothing of what was refused is left
    for x, y in zip(env.step(actions[0])[:4], want, strict=True):
        np.testing.assert_array_equal(x, y)


def test_bytes_between_learner_and_collectors(tmp_path):
    """Weights, parts and snapshots, damaged or in the place of one another: the training goes on."""
    learner = Learner(config=CONFIG, out=tmp_path / "run", overrides=KEYS, slices=2)
    collectors = [Collector(a, workers=1) for a in learner.assignments]
    weights, rounds = learner.weights(), 0
    snapshot = learner.snapshot(0)
    while weights is not None:
        fuzzed = rounds == 1
        if fuzzed:
            refused(collectors[0].collect, damaged(weights, [snapshot]))
        parts = [c.collect(weights) for c in collectors]
        if fuzzed:
            foreign = [weights, snapshot]
            refused(identify, damaged(parts[0], foreign))
            refused(learner.add, damaged(parts[0], foreign))
        for part in parts:
            learner.add(part)
        weights = learner.weights()
        rounds += 1
    assert learner.close()["status"] == "done"
    for c in collectors:
        c.close()


def test_snapshots_of_slices(tmp_path):
    (assignment,) = assignments(**ROLLOUT, episodes=12)
    with Collector(assignment, dataset=tmp_path / "data") as collector:
        snapshot = collector.next().snapshot

    def goes_on(snapshot):
        with Collector(assignment, dataset=tmp_path / "data", snapshot=snapshot):
            pass

    before = {p.name: p.read_bytes() for p in (tmp_path / "data").iterdir() if p.is_file()}
    refused(goes_on, [v for v in damaged(snapshot) if v])  # empty: from the beginning
    assert before == {p.name: p.read_bytes() for p in (tmp_path / "data").iterdir() if p.is_file()}
    goes_on(snapshot)


def test_assignments():
    """An assignment is JSON of a configuration: damage makes another, or none."""
    (assignment,) = assignments(**ROLLOUT, episodes=12)
    for variant in damaged(assignment):
        try:
            Collector(variant, workers=1).close()
        except (*REFUSED, TypeError, json.JSONDecodeError) as error:
            assert "panic" not in str(error)


def test_policies(tmp_path):
    run = learn(tmp_path / "run", "Hopper-v5", **{"training.steps": 2000, "training.recurrent": 8})
    path = run / "latest"
    sound, copy = path.read_bytes(), tmp_path / "damaged.ckpt"
    policy = Policy.load(path)
    state = policy.new_state(2)
    assert state.shape == (2, policy.state_size) and policy.state_size

    def load(data):
        copy.write_bytes(data)
        Policy.load(copy)

    refused(load, damaged(sound))
    seen = np.zeros((2, 11), np.float32)
    for bad in (np.nan, np.inf, 1e38):  # a state is the caller's: what comes of a bad one is the policy's, and no crash
        hidden = np.full_like(state, bad)
        assert policy.act(seen, state=hidden).shape == (2, 3)


def test_a_model_that_crashes_its_reader(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 0 0 \nf 1 2 -2147483649/")
    (tmp_path / "crash.xml").write_text(
        '<mujoco><worldbody><body name="b"><geom size="1"/>'
        '<flexcomp name="f" type="mesh" file="a.obj" dim="2"/></body></worldbody></mujoco>'
    )
    scene = {"models": [{"file": str(tmp_path / "crash.xml")}]}
    with pytest.raises(ValueError, match="crash.xml: MuJoCo crashed while .* reading the model: segmentation fault"):
        polyrhythm.make_vec(config=QUADRUPED, num_envs=2, scene=scene)
