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
import polars
import pyarrow.ipc
import pyarrow.parquet


def rows_of(source):
    """The number of rows of each table of a dataset."""
    rows = {}
    for table in json.load(open(f"{source}/polyrhythm.json"))["tables"]:
        folder = source if table["name"] == "capture" else f"{source}/{table['name']}"
        shards = glob.glob(f"{folder}/data-*.arrow")
        rows[table["name"]] = sum(pyarrow.ipc.open_stream(shard).read_all().num_rows for shard in shards)
        assert datasets.load_from_disk(folder).num_rows == rows[table["name"]], f"datasets reads {table['name']}"
        assert sum(polars.read_ipc_stream(shard).height for shard in shards) == rows[table["name"]], "polars"
    return rows


def load(kind, path, source):
    if kind == "onnx":
        return onnxruntime.InferenceSession(path).get_inputs()
    want = rows_of(source)
    if kind == "hf":
        got = {name: split.num_rows for name, split in datasets.load_from_disk(path).items()}
    elif kind == "parquet":
        got = {name: pyarrow.parquet.read_table(f"{path}/{name}.parquet").num_rows for name in want}
    elif kind == "csv":
        got = {name: len(pandas.read_csv(f"{path}/{name}.csv")) for name in want}
    elif kind == "mcap":
        got = dict.fromkeys(want, 0)
        for file in glob.glob(f"{path}/*.mcap"):
            with open(file, "rb") as f:
                for schema, _, _ in mcap.reader.make_reader(f, validate_crcs=True).iter_messages():
                    got[schema.name] += 1
    elif kind == "minari":
        os.environ["MINARI_DATASETS_PATH"] = os.path.dirname(path)
        dataset = minari.load_dataset(os.path.basename(path))
        got, want = sum(len(episode) for episode in dataset), want["control"]
    elif kind == "lerobot":
        frames = [pandas.read_parquet(f) for f in glob.glob(f"{path}/data/**/*.parquet", recursive=True)]
        got, want = sum(map(len, frames)), json.load(open(f"{path}/meta/info.json"))["total_frames"]
    assert got == want, f"{got} rows, want {want}"


for line in sys.stdin:
    try:
        load(*line.rstrip("\n").split("\t"))
        said = "ok"
    except Exception as error:
        said = f"{type(error).__name__}: {error}".replace("\n", " ")
    print(said, flush=True)
