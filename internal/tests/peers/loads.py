"""Loads exports with the tools that the formats are for. Each line of the input is FORMAT, PATH and the dataset, with
tabs between; the answer is ok, or what is wrong, in one line."""

import collections
import glob
import json
import os
import sys

import datasets
import mcap.reader
import minari
import onnxruntime
import pandas
import PIL.Image
import pyarrow.ipc
import pyarrow.parquet


def count(pictures, columns):
    for name, n in pictures.items():
        table, column = name.split("/")
        assert n == columns[table][column], f"{n} pictures of {name}, want {columns[table][column]}"


def load(kind, path, source):
    if kind == "onnx":
        return onnxruntime.InferenceSession(path)
    want, columns = {}, {}  # rows of each table
    for name in [table["name"] for table in json.load(open(f"{source}/polyrhythm.json"))["tables"]]:
        folder = source if name == "capture" else f"{source}/{name}"
        want[name] = datasets.load_from_disk(folder).num_rows
        parts = [pyarrow.ipc.open_stream(f).read_all() for f in glob.glob(f"{folder}/data-*.arrow")]
        got = sum(part.num_rows for part in parts)
        columns[name] = collections.Counter()  # values that are not null
        for part in parts:
            columns[name].update({c: part.num_rows - part[c].null_count for c in part.column_names})
        assert got == want[name], f"datasets reads {want[name]} rows, pyarrow {got}"
    if kind == "hf":
        got = {name: split.num_rows for name, split in datasets.load_from_disk(path).items()}
    elif kind == "parquet":
        got = {name: pyarrow.parquet.read_table(f"{path}/{name}.parquet").num_rows for name in want}
    elif kind == "csv":
        got = {name: len(pandas.read_csv(f"{path}/{name}.csv")) for name in want}
    elif kind == "png":
        want = {name: want[name] for name in want if os.path.exists(f"{path}/{name}.csv")}
        got = {name: len(pandas.read_csv(f"{path}/{name}.csv")) for name in want}
        pictures = glob.glob("**/*.png", root_dir=path, recursive=True)
        for file in pictures:
            PIL.Image.open(f"{path}/{file}").load()
        assert pictures or not want.get("capture"), "no pictures"
        count(collections.Counter("/".join(file.split("/")[:2]) for file in pictures), columns)
    elif kind == "mcap":
        got, pictures = dict.fromkeys(want, 0), collections.Counter()
        for file in glob.glob(f"{path}/*.mcap"):
            for schema, channel, _ in mcap.reader.make_reader(open(file, "rb"), validate_crcs=True).iter_messages():
                if schema.name == "foxglove.CompressedImage":
                    pictures[channel.topic[1:]] += 1
                elif schema.name not in ("foxglove.CameraCalibration", "foxglove.FrameTransform"):
                    got[schema.name] += 1
        if pictures:
            count(pictures, columns)
    elif kind == "minari":
        os.environ["MINARI_DATASETS_PATH"] = os.path.dirname(path)
        got, want = sum(map(len, minari.load_dataset(os.path.basename(path)))), want["control"]
    elif kind == "lerobot":
        got = sum(len(pandas.read_parquet(f)) for f in glob.glob(f"{path}/data/**/*.parquet", recursive=True))
        want = json.load(open(f"{path}/meta/info.json"))["total_frames"]
    else:
        raise ValueError(f"no tool for {kind}")
    assert got == want, f"{got} rows, want {want}"


for line in sys.stdin:
    try:
        load(*line.rstrip("\n").split("\t"))
        said = "ok"
    except Exception as error:
        said = f"{type(error).__name__}: {error}".replace("\n", " ")
    print(said, flush=True)
