"""Loads exports with the tools that the formats are for. Each line of the input is FORMAT, PATH and the dataset, with
tabs between; the answer is ok, or what is wrong, in one line."""

import glob
import json
import os
import sys

import datasets
import mcap.reader
import minari
import onnxruntime
import pandas
import pyarrow.ipc
import pyarrow.parquet


def load(kind, path, source):
    if kind == "onnx":
        return onnxruntime.InferenceSession(path)
    want = {}  # rows of each table
    for name in [table["name"] for table in json.load(open(f"{source}/polyrhythm.json"))["tables"]]:
        folder = source if name == "capture" else f"{source}/{name}"
        want[name] = datasets.load_from_disk(folder).num_rows
        got = sum(pyarrow.ipc.open_stream(f).read_all().num_rows for f in glob.glob(f"{folder}/data-*.arrow"))
        assert got == want[name], f"datasets reads {want[name]} rows, pyarrow {got}"
    if kind == "hf":
        got = {name: split.num_rows for name, split in datasets.load_from_disk(path).items()}
    elif kind == "parquet":
        got = {name: pyarrow.parquet.read_table(f"{path}/{name}.parquet").num_rows for name in want}
    elif kind == "csv":
        got = {name: len(pandas.read_csv(f"{path}/{name}.csv")) for name in want}
    elif kind == "mcap":
        got = dict.fromkeys(want, 0)
        for file in glob.glob(f"{path}/*.mcap"):
            for schema, *_ in mcap.reader.make_reader(open(file, "rb"), validate_crcs=True).iter_messages():
                got[schema.name] += 1
    elif kind == "minari":
        os.environ["MINARI_DATASETS_PATH"] = os.path.dirname(path)
        got, want = sum(map(len, minari.load_dataset(os.path.basename(path)))), want["control"]
    else:
        got = sum(len(pandas.read_parquet(f)) for f in glob.glob(f"{path}/data/**/*.parquet", recursive=True))
        want = json.load(open(f"{path}/meta/info.json"))["total_frames"]
    assert got == want, f"{got} rows, want {want}"


for line in sys.stdin:
    try:
        load(*line.rstrip("\n").split("\t"))
        said = "ok"
    except Exception as error:
        said = f"{type(error).__name__}: {error}".replace("\n", " ")
    print(said, flush=True)
