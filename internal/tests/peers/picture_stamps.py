"""Joins the tables of exports by their stamps: pictures of 30 Hz, control of 50 Hz and sensors of 500 Hz.

Usage: picture_stamps.py FOLDER, which holds the dataset, with the pictures front_rgb of a latency of 7 ms and those of
the folder camera-track, and a folder for each export.
"""

import glob
import json
import os
import sys

import datasets
import mcap.reader
import minari
import numpy as np
import pyarrow.parquet

home = sys.argv[1]
TABLES = "capture", "control", "sensors"
PICTURES = "front_rgb", "track_rgb", "track_depth"


def check(what, rows):
    """Every value of a row of 30 Hz is that of the row with its stamp in the tables of the other rates."""
    known = {table: {} for table in TABLES}
    for table, key in ("control", "action"), ("control", "observation"), ("sensors", "gyro"):
        for row in rows[table]:
            if row[f"{key}_stamp_ns"] is not None:
                known[table][key, row["episode"], row[f"{key}_stamp_ns"]] = row[key]
    for k, row in enumerate(rows["capture"]):
        for table, key in ("control", "action"), ("control", "observation"), ("sensors", "gyro"):
            stamp = row[f"{key}_stamp_ns"]
            assert stamp <= row["t_ns"], (what, key, row["t_ns"])
            assert known[table][key, row["episode"], stamp] == row[key], (what, key, row["t_ns"])
        frame = round(row["t_ns"] * 30 / 1e9)
        assert row["t_ns"] == frame * 10**9 // 30, (what, "a boundary of 30 Hz", row["t_ns"])
        # a picture of 7 ms before is that of the row before, taken in the newest physics step, of 2 ms
        seen = (frame - 1) * 10**9 // 30 // 2_000_000 * 2_000_000 if frame else None
        assert row["front_rgb_stamp_ns"] == seen, (what, row["t_ns"], row["front_rgb_stamp_ns"], seen)
    assert {row["t_ns"] % 20_000_000 for row in rows["control"]} == {0}, what
    assert {row["t_ns"] % 2_000_000 for row in rows["sensors"]} == {0}, what
    assert len(rows["sensors"]) == 10 * len(rows["control"]) and len(rows["capture"]) > 30, what


hf = datasets.load_from_disk(f"{home}/hf")
plain = {table: [c for c in hf[table].column_names if c not in (*PICTURES, "track_segmentation")] for table in TABLES}
rows = {table: hf[table].select_columns(plain[table]).to_list() for table in TABLES}
check("hf", rows)
pictures = {name: [np.asarray(p) if p is not None else None for p in hf["capture"][name]] for name in PICTURES}

messages, images = {table: [] for table in TABLES}, {name: [] for name in PICTURES}
for number, file in enumerate(sorted(glob.glob(f"{home}/mcap/*.mcap"))):
    with open(file, "rb") as f:
        for schema, channel, message in mcap.reader.make_reader(f, validate_crcs=True).iter_messages():
            name, row = channel.topic[1:], json.loads(message.data)
            if name in messages:
                messages[name].append(row)
                assert message.log_time == row["t_ns"]
            elif name.removeprefix("capture/") in images:
                ns = row["timestamp"]["sec"] * 10**9 + row["timestamp"]["nsec"]
                images[name.removeprefix("capture/")].append((number, message.log_time, ns))
check("mcap", messages)
for name, got in images.items():
    want = [(row["episode"], row["t_ns"], row["front_rgb_stamp_ns" if name == "front_rgb" else "t_ns"])
            for row, p in zip(rows["capture"], pictures[name])
            if p is not None and (name != "front_rgb" or row["front_rgb_stamp_ns"] is not None)]
    assert got == want, (name, got[:3], want[:3])

# LeRobot has one rate: the rows of 30 Hz, which it numbers; their times are its numbers over the rate.
table = pyarrow.parquet.read_table(glob.glob(f"{home}/lerobot/data/*/*.parquet")).to_pydict()
want = [float(np.float32(round(row["t_ns"] * 30 / 1e9) / 30)) for row in rows["capture"]]
assert table["timestamp"] == want, table["timestamp"][:5]
for name in "action", "observation.state":
    want = [np.float32(row[name.split(".")[0]]).tolist() for row in rows["capture"]]
    assert [np.float32(v).tolist() for v in table[name]] == want, name

# Minari's is that of control; its pictures have the stamps of 30 Hz.
os.environ["MINARI_DATASETS_PATH"] = home
for number, episode in enumerate(minari.load_dataset("minari-v0")):
    control = [row for row in rows["control"] if row["episode"] == number]
    mine = [k for k, row in enumerate(rows["capture"]) if row["episode"] == number]
    assert len(control) == len(episode.rewards) == 17
    for k, row in enumerate(control):
        assert episode.observations[k].tolist() == row["observation"] and episode.actions[k].tolist() == row["action"]
        at = max(i for i in mine if rows["capture"][i]["t_ns"] <= row["t_ns"])
        assert episode.infos["track_rgb_stamp_ns"][k] == rows["capture"][at]["t_ns"]
        stamp = rows["capture"][at]["front_rgb_stamp_ns"]
        assert stamp is None or episode.infos["front_rgb_stamp_ns"][k] == stamp
        for name in PICTURES:
            if pictures[name][at] is not None:
                np.testing.assert_array_equal(episode.infos[name][k], pictures[name][at])
