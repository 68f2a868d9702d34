"""Observations with pictures as arrays, as Gymnasium's users expect them."""

import copy
import pickle

import gymnasium
import numpy as np
import polyrhythm
import pytest
from gymnasium.utils.env_checker import check_env
from polyrhythm import _spaces

GANTRY = "configs/described/gantry.yaml"
H, W = 12, 16
pytestmark = pytest.mark.filterwarnings("ignore:.*a plane at z = 0 is added")


def sensor(name, kinds, **keys):
    place = {"body": "world", "position": [0.1, 0, 0.4], "width": W, "height": H}
    return {"name": name, "runner": "Robot", "camera": place | {"kinds": kinds}, **keys}


JOINTS = {"term": "joint_pos_rel", "joints": ["head_.*"]}
SEEING = {
    "sensors": [sensor("above", ["rgb", "depth", "segmentation"]), sensor("window", ["rgb"], history=2)],
    "observations": {
        "policy": [
            JOINTS,
            {"term": "sensor", "channel": "above", "history": 2, "delay": 1},
            {"term": "joint_vel_rel", "joints": ["head_.*"]},
            {"term": "sensor", "name": "scaled", "channel": "window", "scale": -0.37},
        ],
        "critic": [{"term": "sensor", "channel": "above"}],
    },
    "max_steps": 5,
}


def make(num_envs=3, seed=1, **keys):
    return polyrhythm.make_vec(config=GANTRY, num_envs=num_envs, seed=seed, **{**SEEING, **keys})


def expected(flat):
    """The mapping of SEEING, from vectors of (N, O)."""
    n, end = len(flat), 0

    def take(*shape):
        nonlocal end
        begin, end = end, end + int(np.prod(shape))
        return flat[:, begin:end].reshape(n, *shape)

    joints, above, velocities = take(2), take(2, H, W, 5), take(2)
    window, critic = take(2, H, W, 3), take(1, H, W, 5)

    def layer(stack, begin, end):  # the channels of the first picture, then those of the next
        return np.concatenate([stack[:, i, ..., begin:end] for i in range(stack.shape[1])], axis=-1)

    def layers(name, stack):
        return {
            f"{name}/rgb": (layer(stack, 0, 3) * 255).round().astype(np.uint8),
            f"{name}/depth": layer(stack, 3, 4).astype(np.float32),
            f"{name}/segmentation": layer(stack, 4, 5).astype(np.int32),
        }

    return {
        "policy": np.concatenate([joints, velocities], axis=1),
        "scaled/rgb": (layer(window, 0, 3) / -0.37 * 255).round().astype(np.uint8),
        **layers("above", above),
        **layers("critic/above", critic),
    }


def assert_same(found, want):
    assert set(found) == set(want)
    for name, values in want.items():
        assert found[name].dtype == values.dtype and found[name].shape == values.shape, name
        np.testing.assert_array_equal(found[name], values, err_msg=name)


def row(observations, i):
    return {name: values[i] for name, values in observations.items()}


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_values_of_the_vector(mode, workers):
    plain = make(autoreset_mode=mode, workers=1)
    envs = make(autoreset_mode=mode, workers=workers, block_size=1, pictures="dict")
    assert {name: (space.shape, space.dtype.name) for name, space in envs.single_observation_space.items()} == {
        "policy": ((4,), "float64"),
        "scaled/rgb": ((H, W, 6), "uint8"),
        "above/rgb": ((H, W, 6), "uint8"),
        "above/depth": ((H, W, 2), "float32"),
        "above/segmentation": ((H, W, 2), "int32"),
        "critic/above/rgb": ((H, W, 3), "uint8"),
        "critic/above/depth": ((H, W, 1), "float32"),
        "critic/above/segmentation": ((H, W, 1), "int32"),
    }
    flat, _ = plain.reset(seed=4)
    seen, _ = envs.reset(seed=4)
    random, ends, changed = np.random.default_rng(0), 0, set()
    for _ in range(12):
        assert seen in envs.observation_space
        assert_same(seen, expected(flat))
        rgb = flat[:, 2:2 + 2 * H * W * 5].reshape(-1, 5)[:, :3]
        assert (seen["above/rgb"].reshape(3, H, W, 2, 3).transpose(0, 3, 1, 2, 4).reshape(-1, 3) / 255 == rgb).all()
        changed.add(seen["critic/above/rgb"].tobytes())
        actions = random.uniform(-1, 1, plain.action_space.shape).astype(np.float32)
        flat, *rest, infos = plain.step(actions)
        seen, *rest_of_seen, infos_of_seen = envs.step(actions)
        for a, b in zip(rest, rest_of_seen):
            np.testing.assert_array_equal(a, b)
        assert ("final_obs" in infos) == ("final_obs" in infos_of_seen)
        for i in np.flatnonzero(infos.get("_final_obs", np.zeros(3))):
            ends += 1
            final = infos_of_seen["final_obs"][i]
            assert final in envs.single_observation_space
            assert_same(final, row(expected(infos["final_obs"][i][None]), 0))
    assert ends == (6 if mode == "same_step" else 0)
    assert len(changed) > 6 and len(np.unique(seen["critic/above/rgb"])) > 9
    segments = seen["critic/above/segmentation"]
    assert segments.min() >= -1 and len(np.unique(segments)) > 1


def test_a_single_world():
    env = polyrhythm.make(config=GANTRY, pictures="dict", **SEEING)
    plain = make(num_envs=1, autoreset_mode="disabled")
    check_env(env, skip_render_check=True)
    for seed in [3, 4]:
        seen, _ = env.reset(seed=seed)
        assert_same(seen, row(expected(plain.reset(seed=seed)[0]), 0))
    action = np.array([0.5, -1], np.float32)
    first = copy.deepcopy(seen)
    second, *_ = env.step(action)
    assert_same(seen, first)  # what was returned stays as it was
    assert_same(second, row(expected(plain.step(action[None])[0]), 0))
    state = env.get_state()
    third, *_ = env.step(action)
    assert_same(env.set_state(state), second)
    again, *_ = env.step(action)
    assert_same(again, third)


def test_worlds_at_their_own_pace():
    envs, plain = make(block_size=1, workers=2, pictures="dict"), make()
    envs.reset(seed=2), plain.reset(seed=2)
    actions = np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2)
    envs.send(actions)
    want, received = expected(plain.step(actions)[0]), 0
    while received < 3:
        seen, *_, infos = envs.recv()
        assert_same(seen, {name: values[infos["env_id"]] for name, values in want.items()})
        received += len(infos["env_id"])
    state = envs.get_state()
    assert_same(envs.set_state(state), want)


def test_a_drive():
    envs, plain = make(pictures="dict"), make()
    envs.reset(seed=2)
    flat, _ = plain.reset(seed=2)

    def policy(seen):
        nonlocal flat
        assert_same(seen, expected(flat))
        actions = np.full((3, 2), 0.3, np.float32)
        flat, *_ = plain.step(actions)
        return actions

    frames = polyrhythm.drive(envs, policy, mode="sim_high_performance")
    steps = 0
    while steps < 3:
        for observations, *_ in next(frames).results:
            assert set(observations) == set(envs.single_observation_space)
            steps += 1


def test_observations_belong_to_the_caller():
    """Also without copy, which shares vectors."""
    envs = make(pictures="dict", observations={"policy": [JOINTS, {"term": "sensor", "channel": "above"}]})
    before, _ = envs.reset(seed=1)
    as_it_was = copy.deepcopy(before)
    after, *_ = envs.step(np.ones((3, 2), np.float32))
    assert_same(before, as_it_was)
    for name, values in after.items():
        assert values.flags.writeable and (values != before[name]).any(), name


def test_specs_copies_and_names():
    envs = make(pictures="dict")
    again = gymnasium.make_vec(envs.spec)
    assert again.single_observation_space == envs.single_observation_space
    assert again.spec == envs.spec and envs.spec.kwargs["pictures"] == "dict"
    env = polyrhythm.make(config=GANTRY, pictures="dict", **SEEING)
    copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), gymnasium.make(env.spec)]
    first, _ = env.reset(seed=7)
    for other in copies:
        assert other.observation_space == env.observation_space == envs.single_observation_space
        assert_same(other.reset(seed=7)[0], first)
    assert "above/depth: (12, 16, 2) float32" in repr(make(pictures="dict"))
    assert "critic/above/rgb" in str(env.observation_space)


def test_processes():
    """Gymnasium's own vector environment has the observations in shared memory."""
    def one():
        return polyrhythm.make(config=GANTRY, pictures="dict", **SEEING)

    envs, plain = gymnasium.vector.AsyncVectorEnv([one, one], context="spawn"), make(num_envs=2)
    try:
        seen, _ = envs.reset(seed=5)
        assert_same(seen, expected(plain.reset(seed=5)[0]))
    finally:
        envs.close()


def test_rounding_and_floats():
    """Noise leaves no whole bytes, which are rounded; a scale that differs from value to value leaves floats."""
    noisy = {
        "sensors": [sensor("above", ["rgb", "segmentation", "depth"])],
        "observations": {"policy": [{"term": "sensor", "channel": "above", "noise": {"std": 0.3}}]},
    }
    envs, plain = make(pictures="dict", **noisy), make(**noisy)
    seen, _ = envs.reset(seed=1)
    flat = plain.reset(seed=1)[0].reshape(3, H, W, 5)
    assert set(seen) == {"above/rgb", "above/segmentation", "above/depth"}  # and no vector
    np.testing.assert_array_equal(seen["above/rgb"], (flat[..., :3] * 255).clip(0, 255).round().astype(np.uint8))
    np.testing.assert_array_equal(seen["above/segmentation"], flat[..., 3:4].clip(-1, None).round().astype(np.int32))
    np.testing.assert_array_equal(seen["above/depth"], flat[..., 4:].astype(np.float32))
    assert (flat[..., :3] < 0).any() and (flat[..., :3] > 1).any() and (flat[..., 3] < -1).any()
    assert seen in envs.observation_space

    scales = np.linspace(0, 2, H * W * 4).reshape(H, W, 4)
    scales[..., 3] = 4
    scaled = {
        "sensors": [sensor("above", ["rgb", "depth"])],
        "observations": {"policy": [{"term": "sensor", "channel": "above", "scale": scales.ravel().tolist()}]},
    }
    envs, plain = make(pictures="dict", **scaled), make(**scaled)
    seen, _ = envs.reset(seed=1)
    flat = plain.reset(seed=1)[0].reshape(3, H, W, 4)
    assert seen["above/rgb"].dtype == np.float32 and envs.single_observation_space["above/rgb"].dtype == np.float32
    np.testing.assert_array_equal(seen["above/rgb"], flat[..., :3].astype(np.float32))
    np.testing.assert_array_equal(seen["above/depth"], (flat[..., 3:] / 4).astype(np.float32))


def test_normals():
    """They are floats of three channels, of length 1 where something is seen, and never look ahead."""
    seeing = {
        "sensors": [sensor("above", ["rgb", "normals", "segmentation"])],
        "observations": {"policy": [{"term": "sensor", "channel": "above", "scale": 0.5}]},
    }
    envs, plain = make(pictures="dict", **seeing), make(**seeing)
    seen, _ = envs.reset(seed=1)
    flat = plain.reset(seed=1)[0].reshape(3, H, W, 7)
    normals = seen["above/normals"]
    assert normals.dtype == np.float32 and seen in envs.observation_space
    np.testing.assert_array_equal(normals, (2 * flat[..., 3:6]).astype(np.float32))
    np.testing.assert_array_equal(seen["above/rgb"], (510 * flat[..., :3]).round().astype(np.uint8))
    is_seen = seen["above/segmentation"][..., 0] >= 0
    np.testing.assert_allclose(np.linalg.norm(normals, axis=-1), is_seen, atol=1e-6)
    assert is_seen.any() and (normals[..., 2] < 1e-6).all()


@pytest.mark.parametrize("scale", [1, 1 / 3, 0.1, -2.7, 1e6, 1e-9])
def test_every_byte_and_depth_is_exact(scale):
    values = np.arange(256)
    depths = np.random.default_rng(0).uniform(0, 50, 256).astype(np.float32)
    pictures = [{"Name": "a", "First": 0, "Height": 256, "Width": 1, "Channels": 3, "Layers": [
        {"Kind": kind, "Channels": 1, "Factor": factor / scale} for kind, factor in [
            ("rgb", 255), ("depth", 1), ("segmentation", 1)]]}]
    seen = np.stack([values / 255, depths.astype(np.float64), values - 1.0], axis=-1) * scale
    layers = _spaces.layers(pictures)
    for kind, want in [("rgb", values), ("depth", depths), ("segmentation", values - 1)]:
        np.testing.assert_array_equal(layers[f"a/{kind}"].of(seen.reshape(-1))[:, 0, 0], want)


def test_pictures_of_which_nothing_is_known_stay_in_the_vector():
    """As those of a task in Go that does not say what they are."""
    box = gymnasium.spaces.Box(-1, 1, (6,), np.float64)
    picture = {"Name": "", "First": 1, "Height": 2, "Width": 2, "Channels": 1, "Layers": None}
    layout = _spaces.Layout(box, {}, _spaces.layers([picture]))
    assert layout.space == gymnasium.spaces.Dict({"policy": box})


def test_names_of_entries():
    """An entry with a name gives it to its pictures; another has the channel's, unless that is taken."""
    keys = {
        "sensors": [sensor("above", ["depth"]), sensor("other", ["depth"])],
        "observations": {"policy": [
            {"term": "sensor", "channel": "above"}, {"term": "sensor", "name": "above", "channel": "other"},
            {"term": "sensor", "name": "third", "channel": "above"}]},
    }
    envs = make(pictures="dict", **keys)
    assert set(envs.single_observation_space) == {"sensor/depth", "above/depth", "third/depth"}


def test_recorded_worlds(tmp_path):
    """A dataset does not depend on how Python sees observations."""
    rows = {}
    for pictures in [None, "dict"]:
        folder = tmp_path / str(pictures)
        with make(pictures=pictures, dataset=folder, **{"recording.enabled": True}) as envs:
            envs.reset()
            for _ in range(7):
                envs.step(np.full((3, 2), 0.2, np.float32))
        rows[pictures] = {
            str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*.arrow"))}
    assert rows[None] and rows[None] == rows["dict"]


def test_tasks_without_pictures():
    envs = gymnasium.make_vec("Polyrhythm/Reacher-v5", num_envs=2, pictures="dict")
    plain = gymnasium.make_vec("Polyrhythm/Reacher-v5", num_envs=2)
    assert_same(envs.reset(seed=1)[0], {"policy": plain.reset(seed=1)[0]})
    env = gymnasium.make("Polyrhythm/LunarLander-v3", pictures="dict")
    box = polyrhythm.make("LunarLander-v3").observation_space
    assert env.observation_space == gymnasium.spaces.Dict({"policy": box})
    check_env(env.unwrapped, skip_render_check=True)


def test_errors():
    for make_one in [polyrhythm.make, polyrhythm.make_vec]:
        with pytest.raises(ValueError, match="pictures is 'box', want 'dict', or None"):
            make_one("Reacher-v5", pictures="box")
    with pytest.raises(ValueError, match="already, want one vector"):
        polyrhythm.by_group(make(pictures="dict"))
    seen, _ = make(pictures="dict").reset()
    with polyrhythm.Policy.load("builtin:quadruped") as policy:
        with pytest.raises(ValueError, match="the picture '.*' beside the vector"):
            policy.act(seen)
