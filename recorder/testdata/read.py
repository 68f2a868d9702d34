"""Reads the example dataset of recorder_test.go with the tools people use, and compares every value.

Usage: read.py DATASET ROWS
"""

import json
import sys

import datasets
import duckdb
import polars
import pyarrow

dataset, steps = sys.argv[1], int(sys.argv[2])


def example(columns):
    """The rows that the Go side recorded: steps pass one segment each, and within a segment block 0 precedes block 1."""
    for n in range(steps):
        for block in range(2):
            row = {
                "t_ns": n * 33_333_333,
                "world": block,
                "sync": n % 3 == 0,
                "reward": n / 8 if n % 4 else None,
                "gain": n / 2,
                "gyro": [n, -1, block] if n % 5 else None,
                "observation": [1, 2, 3, 4, n],
                "contact": [n % 2 == 0, True, False, block == 1] if n % 7 else None,
                "stamps": [n, -n],
            }
            yield {name: row[name] for name in columns}


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: got\n{got}\nwant\n{want}")


columns = ["t_ns", "world", "sync", "reward", "gain", "gyro", "observation", "contact", "stamps"]
want = list(example(columns))

# Hugging Face datasets: the folder itself is the first table, its sub-folders are the others.
capture = datasets.load_from_disk(dataset)
check("datasets columns", capture.column_names, columns)
check("datasets rows", capture.to_list(), want)
check("datasets column", list(capture["t_ns"]), [row["t_ns"] for row in want])
check("datasets list length", capture.features["gyro"].length, 3)
field = capture.data.schema.field("gyro")
check(
    "datasets field metadata",
    field.metadata,
    {b"unit": b"rad/s", b"source": b"sensor imu_gyro", b"rate": b"500", b"frame": b"imu"},
)
numbers = capture.with_format("numpy")
check("datasets numpy shape", numbers["observation"][:].shape, (len(want), 5))
check("datasets numpy values", numbers["observation"][:].tolist(), [row["observation"] for row in want])
again = datasets.load_from_disk(dataset)
check("datasets fingerprint", again._fingerprint, capture._fingerprint)
check("datasets selection", capture.filter(lambda row: row["sync"]).to_list(), [row for row in want if row["sync"]])

episodes = datasets.load_from_disk(dataset + "/episodes")
check(
    "datasets episodes",
    episodes.to_list(),
    [
        {"episode": n // 10, "length_ns": 333_333_330, "complete": True}
        for n in range(9, steps, 10)
        for _ in range(2)
    ],
)
control = datasets.load_from_disk(dataset + "/control")
check("datasets empty table", (control.num_rows, control.column_names), (0, ["t_ns"]))

# pyarrow and polars: the shards, in order, are plain Arrow IPC streams.
with open(dataset + "/state.json", encoding="utf-8") as f:
    shards = [dataset + "/" + shard["filename"] for shard in json.load(f)["_data_files"]]
check("several shards", len(shards) > 1, True)
tables = [pyarrow.ipc.open_stream(pyarrow.memory_map(shard)).read_all() for shard in shards]
rows = pyarrow.concat_tables(tables)
rows.validate(full=True)
check("pyarrow rows", rows.to_pylist(), want)
with open(dataset + "/polyrhythm.json", "rb") as f:
    check("pyarrow schema metadata", rows.schema.metadata[b"polyrhythm"], f.read())
document = json.loads(rows.schema.metadata[b"polyrhythm"])
check("seed", document["metadata"]["seed"], 2**63 + 1)
check("configuration", document["metadata"]["configuration"], "task: example\n# <>&\n")

frame = polars.concat(polars.read_ipc_stream(shard) for shard in shards)
check("polars rows", frame.to_dicts(), want)

# DuckDB: SQL over the pyarrow table.
check(
    "duckdb rows",
    duckdb.sql("SELECT t_ns, world, sync, reward FROM rows").fetchall(),
    [(row["t_ns"], row["world"], row["sync"], row["reward"]) for row in want],
)
check(
    "duckdb sum",
    duckdb.sql("SELECT sum(reward), count(gyro), sum(observation[5]) FROM rows").fetchall(),
    [(
        sum(row["reward"] or 0 for row in want),
        sum(row["gyro"] is not None for row in want),
        sum(row["observation"][4] for row in want),
    )],
)
print(f"{len(want)} rows equal in datasets {datasets.__version__}, pyarrow {pyarrow.__version__}, "
      f"polars {polars.__version__}, duckdb {duckdb.__version__}")
