"""Observed pictures in datasets: columns of their own, and the same observations."""

import json

import numpy as np
import polyrhythm
import pyarrow as pa
import pyarrow.ipc
import pytest
from polyrhythm import dataset
from test_picture_observations import GANTRY, SEEING, H, W, expected, sensor

pytestmark = pytest.mark.filterwarnings("ignore:.*a plane at z = 0 is added")
WORLDS, STEPS = 3, 13


def table(folder):
    (shard,) = folder.glob("data-*-of-*.arrow")
    return pa.ipc.open_stream(shard.read_bytes()).read_all()


@pytest.fixture(scope="module", params=[1, 2])
def recorded(request, tmp_path_factory):
    """A dataset, and what was observed before each control step, and last of the episodes that ended."""
    folder = tmp_path_factory.mktemp("observed") / "dataset"
    envs = polyrhythm.make_vec(
        config=GANTRY, num_envs=WORLDS, seed=1, workers=request.param, block_size=1, dataset=folder,
        **SEEING, recording={"enabled": True, "tables": ["capture", "control"]}, autoreset_mode="same_step",
    )  # fmt: skip
    random, seen, last = np.random.default_rng(0), [], []
    flat, _ = envs.reset()
    for _ in range(STEPS):
        seen.append(flat.copy())
        flat, *_, infos = envs.step(random.uniform(-1, 1, envs.action_space.shape).astype(np.float32))
        last += [infos["final_obs"][i] for i in np.flatnonzero(infos.get("_final_obs", []))]
    envs.close()
    return folder, np.array(seen), np.array(last)


def test_observations_are_those_that_were_seen(recorded):
    folder, seen, last = recorded
    control = table(folder / "control")
    n, world = control["n"].to_numpy(), control["world"].to_numpy()
    want = seen[n, world]
    assert len(want) == WORLDS * STEPS and len(last) == 6
    for found in [dataset.observations(control), dataset.observations(folder / "control"),
                  dataset.observations(str(folder / "control"))]:  # fmt: skip
        assert found.dtype == np.float64 and found.tobytes() == want.tobytes()
    batch = pa.concat_tables([control.slice(5), control.slice(0, 5)])  # chunks that do not begin where their arrays do
    assert dataset.observations(batch).tobytes() == np.concatenate([want[5:], want[:5]]).tobytes()
    assert dataset.observations(control.to_batches()[0]).tobytes() == want[: len(control.to_batches()[0])].tobytes()
    assert dataset.observations(control.slice(0, 0)).shape == (0, want.shape[1])
    episodes = table(folder / "episodes")
    found = dataset.observations(episodes, "final_observation")[: len(last)]
    assert found.tobytes() == last.tobytes()


def test_pictures_as_bytes(recorded):
    folder, seen, _ = recorded
    control = table(folder / "control")
    parts = dataset.observations(control, pictures="dict")
    want = expected(seen[control["n"].to_numpy(), control["world"].to_numpy()])
    assert set(parts) == {"observation"} | {
        f"observation_{name}_{kind}" + number
        for name, numbers in [("above", ["_0", "_1"]), ("critic/above", [""])] for number in numbers
        for kind in ["rgb", "depth", "segmentation"]
    } | {"observation_scaled_rgb_0", "observation_scaled_rgb_1"}  # fmt: skip
    np.testing.assert_array_equal(parts["observation"], want["policy"])
    for name, kind, channels, dtype in [
        ("above", "rgb", 3, np.uint8), ("above", "depth", 1, np.float32), ("above", "segmentation", 1, np.int32),
        ("scaled", "rgb", 3, np.uint8),
    ]:  # fmt: skip
        for i in range(2):
            found = parts[f"observation_{name}_{kind}_{i}"]
            assert found.dtype == dtype and found.shape[:3] == (len(control), H, W)
            of = want[f"{name}/{kind}"][..., i * channels : (i + 1) * channels]
            np.testing.assert_array_equal(found.reshape(of.shape), of, err_msg=f"{name} {kind} {i}")
    np.testing.assert_array_equal(parts["observation_critic/above_rgb"], want["critic/above/rgb"])


def test_rows_without_an_observation(recorded):
    folder, *_ = recorded
    control = table(folder / "control")
    names = [name for name in control.schema.names if name.startswith("observation") and "stamp" not in name]
    empty = pa.table({name: pa.nulls(2, control.schema.field(name).type) for name in names}).cast(
        pa.schema([control.schema.field(name) for name in names]))  # fmt: skip
    both = pa.concat_tables([control.select(names), empty])
    assert np.isnan(dataset.observations(both)[-2:]).all() and not np.isnan(dataset.observations(both)[:-2]).any()
    parts = dataset.observations(both, pictures="dict")
    assert np.isnan(parts.pop("observation")[-2:]).all()
    assert parts and not any(pixels[-2:].any() for pixels in parts.values())


def test_pyarrow_alone_reads_the_pictures(recorded):
    """The PNG of what a world observed at a control step is that of the camera, which is recorded at the same time."""
    folder, *_ = recorded
    about = json.loads((folder / "polyrhythm.json").read_text())
    assert about["format_version"] == 4
    (observation,) = [c for c in about["tables"][0]["columns"] if c["name"] == "observation"]
    assert len(observation["names"]) == 4 and observation["len"] > 2000  # pixels have no names
    capture = table(folder)
    seen, camera = capture["observation_critic/above_rgb"], capture["above_rgb"]
    stamps = zip(capture["observation_stamp_ns"].to_pylist(), capture["above_rgb_stamp_ns"].to_pylist())
    same = [a.as_py()["bytes"] == b.as_py()["bytes"] for a, b, (s, t) in zip(seen, camera, stamps) if s == t]
    assert len(same) > 5 and all(same)


NOISE = {"noise": {"std": 0.05}}
CHANGED = {  # by errors of channels, and by keys of the term; and what the pixels are stored as
    "colours": (sensor("colours", ["rgb"], **NOISE, bias={"std": 0.1}), {}, np.uint8),
    "steps": (sensor("steps", ["rgb"], **NOISE, quantisation=0.1), {"scale": 3}, np.float32),
    "depths": (sensor("depths", ["depth"], **NOISE, saturation={"low": 0.1, "high": 0.41}), {"scale": 0.7}, np.float32),
    "normals": (sensor("normals", ["normals"], **NOISE), {"history": 2}, np.float32),
    "noisy": (sensor("noisy", ["rgb"]), {**NOISE, "clip": [0.1, 0.9], "scale": -0.3}, np.float32),
    "clipped": (sensor("clipped", ["depth"]), {"clip": [0, 0.36], "scale": 0.9}, np.float32),
    "within": (sensor("within", ["rgb"]), {"clip": [0, 1]}, np.uint8),
    "scaled": (sensor("scaled", ["depth"]), {"scale": np.linspace(1, 2, H * W).tolist()}, np.float32),
}


@pytest.mark.parametrize("name", CHANGED)
def test_changed_pictures(name, tmp_path):
    """Pictures with errors and normals have columns of their own, no pixel has a name, and the observations come back."""
    channel, term, dtype = CHANGED[name]
    envs = polyrhythm.make_vec(
        config=GANTRY, num_envs=2, seed=1, dataset=tmp_path / "d", sensors=[channel], max_steps=6,
        observations={"policy": [{"term": "joint_pos_rel", "joints": ["head_.*"]}, {"term": "sensor", "channel": name} | term]},
        recording={"enabled": True, "tables": ["capture", "control"]},
    )  # fmt: skip
    random, seen = np.random.default_rng(0), []
    flat, _ = envs.reset()
    for _ in range(9):
        seen.append(flat.copy())
        flat, *_ = envs.step(random.uniform(-1, 1, envs.action_space.shape).astype(np.float32))
    envs.close()
    control, seen = table(tmp_path / "d" / "control"), np.array(seen)
    want = seen[control["n"].to_numpy(), control["world"].to_numpy()]
    assert dataset.observations(control).tobytes() == want.tobytes()
    parts = dataset.observations(control, pictures="dict")
    assert parts.pop("observation").shape == (len(control), 2)
    kind, count = channel["camera"]["kinds"][0], term.get("history", 1)
    assert set(parts) == {f"observation_{name}_{kind}" + number for number in (["_0", "_1"] if count == 2 else [""])}
    for pixels in parts.values():
        channels = () if kind == "depth" else (3,)
        assert pixels.dtype == dtype and pixels.shape == (len(control), H, W, *channels)
        assert len(np.unique(pixels)) > 5
    document = (tmp_path / "d" / "polyrhythm.json").read_text()
    assert f"{name}[" not in document and len(document) < 60_000
    if kind == "rgb" and not term:  # what is recorded of the camera is what was seen
        capture = table(tmp_path / "d")
        same = [a.as_py() == b.as_py() for a, b, s, t in zip(
            capture[f"observation_{name}_rgb"], capture[f"{name}_rgb"], capture["observation_stamp_ns"].to_pylist(),
            capture[f"{name}_rgb_stamp_ns"].to_pylist()) if s == t]  # fmt: skip
        assert len(same) > 5 and all(same)


def test_mistakes(recorded, tmp_path):
    folder, *_ = recorded
    with pytest.raises(ValueError, match=r"pictures is 'uint8', want 'dict', or None"):
        dataset.observations(folder / "control", pictures="uint8")
    with pytest.raises(KeyError, match=r"no column 'seen'; there are t_ns, "):
        dataset.observations(folder / "control", "seen")
    with pytest.raises(FileNotFoundError, match=r"has no data-\*-of-\*\.arrow"):
        dataset.observations(tmp_path)


def test_other_observations(tmp_path):
    """A dataset without observed pictures is as it was, and the functions read it, too."""
    envs = polyrhythm.make_vec("HalfCheetah-v5", num_envs=2, seed=1, dataset=tmp_path / "d")
    envs.action_space.seed(1)
    first = envs.reset()[0].copy()
    envs.step(envs.action_space.sample())
    envs.close()
    assert json.loads((tmp_path / "d" / "polyrhythm.json").read_text())["format_version"] == 2
    found = dataset.observations(tmp_path / "d")
    np.testing.assert_array_equal(found[:2], first)
    assert list(dataset.observations(tmp_path / "d", pictures="dict")) == ["observation"]
