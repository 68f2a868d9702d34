"""LeRobot reads an export frame by frame, with the values that were recorded."""

import glob
import json
import os
import shutil
import subprocess
from pathlib import Path

import datasets
import imageio_ffmpeg
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest
import torch
from lerobot.datasets.compute_stats import aggregate_stats, compute_episode_stats
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from lerobot.datasets.utils import dataset_to_policy_features

TRAIN = os.environ["POLYTEST_TRAIN"]
ROOT = Path(__file__).resolve().parents[2]
CHANNELS = ["joint_position", "joint_velocity", "gyro", "accelerometer", "foot_contact", "orientation"]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source") / "walk"
    subprocess.run(
        [TRAIN, "rollout", "--config", str(ROOT / "configs" / "quadruped.yaml"), "--policy", "random", "--episodes",
            "6",
         "--set", "worlds=3", "--set", "recording.tables=[capture, control]", "--out", str(folder)],
        check=True, capture_output=True, text=True,
    )
    return folder


def read(source, table):
    """The rows of a table, in ascending order of episodes."""
    folder = source if table == "capture" else source / table
    rows = pa.concat_tables(pa.ipc.open_stream(shard).read_all()
        for shard in sorted(glob.glob(f"{folder}/data-*.arrow")))
    return rows.take(np.argsort(rows["episode"].to_numpy(), kind="stable"))


def vectors(column):
    return np.array(column.to_pylist(), dtype=np.float64).astype(np.float32)


@pytest.fixture(scope="module", params=[("capture", 30, "next.reward_sum"), ("control", 50, "next.reward")],
    ids=lambda p: p[0])
def exported(request, source, tmp_path_factory):
    table, fps, reward = request.param
    out = tmp_path_factory.mktemp("lerobot") / table
    subprocess.run([TRAIN, "export", str(source), "--to", "lerobot", "--table", table, "--out", str(out)], check=True,
                   capture_output=True, text=True)
    episodes = read(source, "episodes").to_pylist()
    return LeRobotDataset("polyrhythm/walk", root=out), read(source, table), episodes, table, fps, reward


def test_frames_are_the_rows(exported):
    dataset, rows, episodes, table, fps, reward = exported
    assert dataset.fps == fps
    assert (dataset.num_episodes, dataset.num_frames) == (len(episodes), rows.num_rows)
    frames = dataset.hf_dataset.with_format("numpy")[:]
    assert frames["t_ns"].tolist() == rows["t_ns"].to_pylist()
    assert frames["sync"].tolist() == rows["sync"].to_pylist()
    np.testing.assert_array_equal(frames["action"], vectors(rows["action"]))
    np.testing.assert_array_equal(frames["observation.state"], vectors(rows["observation"]))
    for name in CHANNELS if table == "capture" else []:
        np.testing.assert_array_equal(frames[f"observation.{name}"], vectors(rows[name]), err_msg=name)
    assert frames["episode_index"].tolist() == rows["episode"].to_pylist()
    assert frames["index"].tolist() == list(range(rows.num_rows))


def test_every_frame_says_what_came_of_it(exported):
    dataset, rows, episodes, table, fps, reward = exported
    frames = dataset.hf_dataset.with_format("numpy")[:]
    prefix = "" if table == "capture" else "control_"
    for about in episodes:
        mine = frames["episode_index"] == about["episode"]
        its = [row for row in rows.select(["episode", "reward", "reward_steps"]).to_pylist()
            if row["episode"] == about["episode"]]
        assert mine.sum() == about[prefix + "rows"] == len(its)
        rewards = [*(r["reward"] for r in its[1:]), about[prefix + "tail_reward"]]
        assert frames[reward][mine].tolist() == [np.float32(r) for r in rewards]
        assert frames["next.reward_steps"][mine].sum() == about["steps"]
        assert frames[reward][mine].sum(dtype=np.float64) == pytest.approx(about["return"], rel=1e-5)
        for name in ["terminated", "truncated"]:
            assert frames[f"next.{name}"][mine].tolist() == [False] * (len(its) - 1) + [about[name]]
        assert frames["next.done"][mine].tolist() == [False] * (len(its) - 1) + [about["complete"]]


def test_timestamps_are_those_of_the_frame_rate(exported):
    dataset, rows, _, _, fps, _ = exported
    frames = dataset.hf_dataset.with_format("numpy")[:]
    np.testing.assert_array_equal(frames["timestamp"], (frames["frame_index"] / fps).astype(np.float32))
    np.testing.assert_allclose(frames["timestamp"], rows["t_ns"].to_numpy() / 1e9, rtol=0, atol=dataset.tolerance_s)


def test_items_and_windows_over_time(exported):
    dataset, rows, episodes, _, fps, _ = exported
    windows = LeRobotDataset("polyrhythm/walk", root=dataset.root, delta_timestamps={"action": [0, 1 / fps, 2 / fps]})
    first = dataset.meta.episodes[1]["dataset_from_index"]
    last = dataset.meta.episodes[1]["dataset_to_index"] - 1
    actions = vectors(rows["action"])
    torch.testing.assert_close(windows[first]["action"], torch.tensor(actions[first:first + 3]), rtol=0, atol=0)
    assert windows[last]["action_is_pad"].tolist() == [False, True, True]
    item = dataset[last]
    assert item["task"] == "quadruped"
    assert item["next.done"]
    batch = next(iter(torch.utils.data.DataLoader(dataset, batch_size=8)))
    torch.testing.assert_close(batch["action"], torch.tensor(actions[:8]), rtol=0, atol=0)


def test_only_vectors_are_what_a_policy_sees(exported):
    dataset, _, _, table, _, _ = exported
    seen = dataset_to_policy_features(dataset.features)
    channels = CHANNELS if table == "capture" else []
    want = {"observation.state", "action", *(f"observation.{name}" for name in channels)}
    assert set(seen) == want


def test_some_episodes_alone(exported):
    dataset, rows, episodes, *_ = exported
    some = LeRobotDataset("polyrhythm/walk", root=dataset.root, episodes=[1, 4])
    assert some.num_frames == sum(dataset.meta.episodes[e]["length"] for e in [1, 4])


def test_statistics_are_lerobots(exported):
    dataset, *_ = exported
    frames = dataset.hf_dataset.with_format("numpy")[:]
    features = {name: f for name, f in dataset.features.items() if f["dtype"].startswith("float")}
    each = []
    for about in dataset.meta.episodes:
        mine = slice(about["dataset_from_index"], about["dataset_to_index"])
        each.append(compute_episode_stats({name: frames[name][mine].astype(np.float64) for name in features}, features))
    want = aggregate_stats(each)
    for name in features:
        got = dataset.meta.stats[name]
        assert got["count"].tolist() == want[name]["count"].tolist()
        # LeRobot's standard deviation is the root of a small difference of large numbers.
        for stat, atol in [("min", 0), ("max", 0), ("mean", 1e-9), ("std", 1e-6)]:
            np.testing.assert_allclose(got[stat], np.ravel(want[name][stat]), rtol=1e-6, atol=atol,
                err_msg=f"{name} {stat}")
        # LeRobot took the mean of the episodes' quantiles; since its change 3804 those of all frames, as we do.
        values = frames[name].astype(np.float64).reshape(len(frames[name]), -1)
        for stat, q in [("q01", 0.01), ("q10", 0.1), ("q50", 0.5), ("q90", 0.9), ("q99", 0.99)]:
            np.testing.assert_allclose(got[stat], np.quantile(values, q, axis=0), rtol=1e-6, atol=1e-9,
                err_msg=f"{name} {stat}")


def test_metadata(exported, source):
    dataset, _, episodes, table, *_ = exported
    assert (dataset.root / "source.json").read_bytes() == (source / "polyrhythm.json").read_bytes()
    columns = {c["name"]: c for t in json.loads((source / "polyrhythm.json").read_text())["tables"]
        if t["name"] == table
               for c in t["columns"]}
    assert dataset.features["action"]["names"] == columns["action"]["names"]
    for about, want in zip(dataset.meta.episodes, episodes):
        for name in ["episode", "world", "complete", "terminated", "truncated", "fault", "return"]:
            assert about[f"polyrhythm/{name}"] == want[name]


def test_pictures_are_those_of_the_dataset(source, tmp_path):
    folder, out = tmp_path / "walk", tmp_path / "lerobot"
    shutil.copytree(source, folder)
    for args in (["render", "--into", str(folder), "--camera", "track", "--size", "24x18"],
                 ["export", str(folder), "--to", "lerobot", "--table", "capture", "--out", str(out)]):
        subprocess.run([TRAIN, *args], check=True, capture_output=True, text=True)
    dataset = LeRobotDataset("polyrhythm/walk", root=out)
    pictures = datasets.load_from_disk(str(folder / "camera-track"))
    order = np.argsort(pictures["episode"], kind="stable")
    for i in (0, 7, len(order) - 1):
        want = np.asarray(pictures[int(order[i])]["rgb"]).transpose(2, 0, 1) / 255
        np.testing.assert_allclose(dataset[i]["observation.images.track_rgb"].numpy(), want, atol=1e-7)


def test_videos_are_those_pictures(source, tmp_path):
    folder, out = tmp_path / "walk", tmp_path / "lerobot"
    shutil.copytree(source, folder)
    for args in (["render", "--into", str(folder), "--camera", "track", "--size", "64x48"],
                 ["export", str(folder), "--to", "lerobot", "--table", "capture", "--video", "--out", str(out)]):
        subprocess.run([TRAIN, *args], check=True, capture_output=True, text=True,
            env={**os.environ, "POLYRHYTHM_FFMPEG": imageio_ffmpeg.get_ffmpeg_exe()})
    dataset = LeRobotDataset("polyrhythm/walk", root=out, video_backend="pyav")
    key = "observation.images.track_rgb"
    assert dataset.meta.video_keys == [key] and dataset.meta.camera_keys == [key]
    pictures = datasets.load_from_disk(str(folder / "camera-track"))
    order = np.argsort(pictures["episode"], kind="stable")
    want = np.stack([np.asarray(pictures[int(i)]["rgb"]).transpose(2, 0, 1) / 255 for i in order])
    for i in [*range(0, len(want), 101), len(want) - 1]:
        got = dataset[i][key].numpy()
        distances = np.abs(want - got).mean(axis=(1, 2, 3))
        assert distances[i] < 0.03, f"frame {i}"  # of values from 0 to 1: lossy
        # No other frame is nearer, but for such as differ from it by less than the loss.
        nearest = int(np.argmin(distances))
        assert np.abs(want[nearest] - want[i]).mean() < 0.01, f"frame {i} is nearer to {nearest}"
    for stat, value in [("min", want.min((0, 2, 3))), ("max", want.max((0, 2, 3))), ("mean", want.mean((0, 2, 3))),
                        ("std", want.std((0, 2, 3)))]:
        np.testing.assert_allclose(np.ravel(dataset.meta.stats[key][stat]), value, atol=1e-6, err_msg=stat)


GANTRY = ["--config", str(ROOT / "configs" / "described" / "gantry.yaml"), "--set",
          "observations={policy: [{term: joint_pos_rel, joints: [head_.*]}, {term: sensor, channel: above}]}"]
CAMERA = "sensors=[{name: above, runner: Robot, camera: {name: above, width: 8, height: 6, kinds: [%s]%s}}]"


def test_segmentations_say_what_their_values_are(tmp_path):
    camera = CAMERA % ("rgb, segmentation", ", classes: [{name: part, bodies: [part]}, {name: rest, geoms: [.*]}]")
    folder, out = tmp_path / "data", tmp_path / "lerobot"
    for args in (["rollout", *GANTRY, "--set", camera, "--set", "worlds=2", "--set", "recording={enabled: true, tables: "
                  "[capture, control]}", "--policy", "random", "--episodes", "4", "--out", str(folder)],
                 ["export", str(folder), "--to", "lerobot", "--table", "capture", "--out", str(out)],
                 ["export", str(folder), "--to", "lerobot", "--out", str(out) + "-control"]):
        subprocess.run([TRAIN, *args], check=True, capture_output=True, text=True)
    dataset = LeRobotDataset("polyrhythm/gantry", root=out)
    assert dataset.meta.features["observation.images.above_segmentation"]["segments"] == [
        {"value": 1, "class": "part"}, {"value": 2, "class": "rest"}]
    shown = np.unique([np.asarray(dataset[i]["observation.images.above_segmentation"]) for i in range(len(dataset))])
    assert set(shown) <= {0, 1, 2} and 2 in shown
    seen = LeRobotDataset("polyrhythm/gantry", root=str(out) + "-control")
    assert sorted(seen.meta.camera_keys) == ["observation.images.above_rgb", "observation.images.above_segmentation"]
    assert seen[0]["observation.images.above_rgb"].shape == (3, 6, 8)
    assert sorted(dataset_to_policy_features(seen.meta.features)) == [
        "action", "observation.images.above_rgb", "observation.images.above_segmentation", "observation.state"]


@pytest.mark.parametrize("kind", ["image", "video"])
def test_a_clone_learns_from_lerobots_own_pictures(kind, tmp_path):
    """What is done is what the picture says: how bright its two halves are. The state says nothing of it."""
    rng, side = np.random.default_rng(3), (96, 128)
    # AV1 is its default, but the encoder makes the process one of real time, as root.
    dataset = LeRobotDataset.create("polyrhythm/bright", 20, root=tmp_path / "data", use_videos=kind == "video", vcodec="h264",
                                    features={
        "observation.state": {"dtype": "float32", "shape": (2,), "names": ["head_x_pos", "head_y_pos"]},
        "action": {"dtype": "float32", "shape": (2,), "names": ["head_x", "head_y"]},
        "observation.images.above": {"dtype": kind, "shape": (*side, 3), "names": ["height", "width", "channels"]}})
    for _ in range(20):
        for _ in range(25):
            bright = rng.uniform(0, 1, 2)
            picture = np.repeat(bright, side[1] // 2)[None, :, None] * np.full((*side, 3), 255.0)
            dataset.add_frame({"observation.state": rng.normal(size=2).astype(np.float32), "task": "be bright",
                               "action": (2 * bright - 1).astype(np.float32), "observation.images.above": picture.astype(np.uint8)})
        dataset.save_episode()
    dataset.finalize()
    sets = ["training={algorithm: clone, steps: 60000, segment: 16, minibatch: 64, hidden: [32], learning_rate: 3e-3, "
            "convolutions: [{channels: 4, kernel: 3, stride: 1}]}", "evaluation.episodes=1", "worlds=8", "block_size=4"]
    subprocess.run([TRAIN, "clone", str(tmp_path / "data"), *GANTRY, "--set", CAMERA % ("rgb", ""),
                    *(word for text in sets for word in ("--set", text)), "--out", str(tmp_path / "run")], check=True,
        capture_output=True, text=True, env={**os.environ, "POLYRHYTHM_FFMPEG": imageio_ffmpeg.get_ffmpeg_exe()})
    cloned = json.loads((tmp_path / "run" / "run.json").read_text())["cloned"]
    assert cloned["rows"] == 450 and cloned["held_out_error"] < 0.12, cloned  # of actions with a deviation of 0.58
