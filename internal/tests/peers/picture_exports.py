"""Reads the pictures of exports with the tools that people use, and compares every pixel with the dataset's.

Usage: picture_exports.py DATASET EXPORTS, where DATASET has the pictures own_rgb and own_depth and those of the folder
camera-track, and EXPORTS holds a folder for each format.
"""

import base64
import csv
import glob
import io
import json
import os
import sys

import datasets
import mcap.reader
import minari
import numpy as np
import PIL.Image
import pyarrow.parquet

source, exports = sys.argv[1], sys.argv[2]


COLOURED = ("rgb", "normals")  # kinds of three values


def pixels(file):
    return np.asarray(PIL.Image.open(io.BytesIO(file)))


dataset, track = datasets.load_from_disk(source), datasets.load_from_disk(f"{source}/camera-track")
order = np.argsort(dataset["episode"], kind="stable")
want = {"own_rgb": dataset["own_rgb"], "own_depth": dataset["own_depth"], "track_rgb": track["rgb"],
        "track_depth": track["depth"], "track_segmentation": track["segmentation"], "track_normals": track["normals"]}
want = {name: [np.asarray(column[int(i)]) for i in order] for name, column in want.items()}
episodes, times = ([dataset[key][int(i)] for i in order] for key in ("episode", "t_ns"))
assert len(order) > 20 and want["own_rgb"][0].shape == (6, 8, 3) and want["track_depth"][0].max() > 1000


def same(what, got, name):
    assert len(got) == len(order), (what, name, len(got))
    for i, picture in enumerate(got):
        assert picture.dtype == want[name][i].dtype or name != "own_rgb", (what, picture.dtype)
        np.testing.assert_array_equal(picture, want[name][i], err_msg=f"{what} {name} {i}")


hf = datasets.load_from_disk(f"{exports}/hf")["capture"]
parquet = pyarrow.parquet.read_table(f"{exports}/parquet/capture.parquet")
loaded = datasets.Dataset.from_parquet(f"{exports}/parquet/capture.parquet", cache_dir=f"{exports}/cache")
for name in want:
    assert isinstance(hf.features[name], datasets.Image) and isinstance(loaded.features[name], datasets.Image)
    same("hf", [np.asarray(p) for p in hf[name]], name)
    same("parquet", [pixels(row["bytes"]) for row in parquet[name].to_pylist()], name)
    same("parquet in datasets", [np.asarray(p) for p in loaded[name]], name)

# MCAP: Foxglove's CompressedImage, with the picture's own stamp, the calibration of its camera and where it was.
columns = {c["name"]: c for folder in ("", "camera-track")
           for c in json.load(open(f"{source}/{folder}/polyrhythm.json"))["tables"][0]["columns"]}
about, shown = {name: c.get("camera") for name, c in columns.items()}, columns["segmentation"]["segments"]
about = {"own": about["own_rgb"], "track": about["rgb"]}
poses = {"own": [dataset["own_pose"][int(i)] for i in order], "track": [track["pose"][int(i)] for i in order]}
calibrated, transformed = ({camera: [] for camera in poses} for _ in range(2))
images = {name: [] for name in want}
stamps = {key: list(np.take([-1 if v is None else v for v in dataset[key]], order)) for key in ["own_rgb_stamp_ns"]}
seen, named = [], 0
for file in sorted(glob.glob(f"{exports}/mcap/*.mcap")):
    with open(file, "rb") as f:
        for schema, channel, message in mcap.reader.make_reader(f, validate_crcs=True).iter_messages():
            if schema.name == "foxglove.CompressedImage":
                segments = channel.metadata.get("segments")
                assert segments is None or channel.topic.endswith("_segmentation") and json.loads(segments) == shown
                named += segments is not None
                image, name = json.loads(message.data), channel.topic.removeprefix("/capture/")
                assert image["format"] == "png" and image["frame_id"] == name.split("_")[0]
                images[name].append(pixels(base64.b64decode(image["data"])))
                if name == "own_rgb":
                    seen.append((message.log_time, image["timestamp"]["sec"] * 10**9 + image["timestamp"]["nsec"]))
            elif schema.name == "foxglove.CameraCalibration":
                m, k = json.loads(message.data), about[channel.topic.removeprefix("/capture/").split("_")[0]]
                assert set(m) == set(json.loads(schema.data)["properties"])
                assert channel.topic == f"/capture/{m['frame_id']}_calibration"
                assert (m["width"], m["height"]) == (k["width"], k["height"]) and m["R"] == np.eye(3).ravel().tolist()
                matrix = np.array([[k["fx"], 0, k["cx"]], [0, k["fy"], k["cy"]], [0, 0, 1]])
                assert m["K"] == matrix.ravel().tolist() and (m["distortion_model"], m["D"]) == ("plumb_bob", 5 * [0])
                assert m["P"] == np.hstack([matrix, np.zeros((3, 1))]).ravel().tolist()
                calibrated[m["frame_id"]].append((message.log_time, m["timestamp"]))
            elif schema.name == "foxglove.FrameTransform":
                m = json.loads(message.data)
                assert set(m) == set(json.loads(schema.data)["properties"])
                assert m["parent_frame_id"] == "world" and channel.topic == "/tf"
                pose = [*(m["translation"][axis] for axis in "xyz"), *(m["rotation"][axis] for axis in "wxyz")]
                transformed[m["child_frame_id"]].append((message.log_time, m["timestamp"], pose))
            else:
                assert not any(name in json.loads(message.data) for name in want)
taken = [s != -1 for s in stamps["own_rgb_stamp_ns"]]  # before, a channel has no picture
for name, got in images.items():
    left = [p for p, t in zip(want[name], taken) if t or not name.startswith("own")]
    assert len(got) == len(left) and not all(taken), (name, len(got), len(left))
    for i, picture in enumerate(got):
        np.testing.assert_array_equal(picture, left[i], err_msg=f"mcap {name} {i}")
for camera in poses:
    want_of = [(t, divmod(t if camera == "track" else s, 10**9), pose)
               for t, s, pose in zip(times, stamps["own_rgb_stamp_ns"], poses[camera]) if camera == "track" or s != -1]
    assert transformed[camera] == [(t, {"sec": sec, "nsec": ns}, pose) for t, (sec, ns), pose in want_of], camera
    assert calibrated[camera] == [(t, {"sec": sec, "nsec": ns}) for t, (sec, ns), _ in want_of], camera
    assert len({tuple(pose) for pose in poses[camera]}) > 10
assert named == len(images["track_segmentation"]) > 0
assert seen == [(t, s) for t, s in zip(times, stamps["own_rgb_stamp_ns"]) if s != -1], seen[:5]

# PNG and CSV: a file for each picture, numbered as the lines of the table.
with open(f"{exports}/png/capture.csv", newline="") as f:
    lines = list(csv.DictReader(f))
assert [(int(line["episode"]), int(line["t_ns"])) for line in lines] == list(zip(episodes, times))
for name in want:
    same("png", [np.asarray(PIL.Image.open(f"{exports}/png/capture/{name}/episode-{int(line['episode']):06d}/"
                                           f"{int(line['frame']):06d}.png")) for line in lines], name)
    with open(f"{exports}/csv/capture.csv") as f:
        assert name not in f.readline().replace("_stamp_ns", "").split(",") or name == "own_rgb" or name == "own_depth"

# Minari: at each step the pictures of the newest row of 30 Hz, with their stamps.
os.environ["MINARI_DATASETS_PATH"] = exports
own_stamps = [-1 if v is None else v for v in np.take(np.array(dataset["own_rgb_stamp_ns"], dtype=object), order)]
row_of, steps = dict(zip(zip(episodes, times), range(len(order)))), 0
for number, episode in enumerate(minari.load_dataset("minari-v0")):
    mine = sorted(t for e, t in row_of if e == number)
    assert len(episode.observations) == len(episode.infos["own_rgb"]) == len(episode.rewards) + 1
    steps += len(episode.rewards)
    control = [row["t_ns"] for row in datasets.load_from_disk(f"{source}/control") if row["episode"] == number]
    for k, t in enumerate([*control, 1 << 62]):
        row = row_of[number, max(at for at in mine if at <= t)]
        for name in want:
            picture = episode.infos[name][k]
            assert picture.dtype == (np.uint8 if name.endswith(COLOURED) else np.uint16)
            np.testing.assert_array_equal(picture, want[name][row], err_msg=f"minari {name} {number} {k}")
            stamp = episode.infos[f"{name}_stamp_ns"][k]
            assert stamp == (own_stamps[row] if name.startswith("own") else times[row]), (name, number, k, stamp)
assert steps > 20

# LeRobot's files, as it loads them: its own package is in python/tests_peers.
with open(f"{exports}/lerobot/meta/info.json") as f:
    info = json.load(f)
with open(f"{exports}/lerobot/meta/stats.json") as f:
    stats = json.load(f)
rows = pyarrow.parquet.read_table(glob.glob(f"{exports}/lerobot/data/*/*.parquet"))
for name in want:
    feature = info["features"][f"observation.images.{name}"]
    shape = want[name][0].shape if name.endswith(COLOURED) else (*want[name][0].shape, 1)
    segments = {"segments": shown} if name == "track_segmentation" else {}
    assert feature == {"dtype": "image", "shape": list(shape), "names": ["height", "width", "channels"], **segments}, feature
    same("lerobot", [pixels(row["bytes"]) for row in rows[f"observation.images.{name}"].to_pylist()], name)
    about = stats[f"observation.images.{name}"]
    all_of = np.stack(want[name]).reshape(-1, shape[2]) / (255 if shape[2] == 3 else 65535)
    for key in ("min", "max", "mean", "std"):
        ours = getattr(all_of, key)(0).reshape(-1, 1, 1)
        np.testing.assert_allclose(np.asarray(about[key]), ours, rtol=1e-9, atol=1e-12)
    assert about["count"] == [len(order)]
