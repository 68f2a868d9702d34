"""Reads every export of the example of data_test.go with the tools that the formats are for, and compares every value with
the dataset itself.

Usage: read.py DATASET EXPORTS, where EXPORTS holds a folder for each format.
"""

import glob
import json
import math
import struct
import sys

import datasets
import duckdb
import mcap.reader
import minari
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

source, exports = sys.argv[1], sys.argv[2]
NAMES = ["capture", "control", "episodes"]


def bits(value):
    """A value that equals another one only if it is the same, to the bit; every NaN is one."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("<d", value)
    if isinstance(value, list):
        return [bits(v) for v in value]
    if isinstance(value, dict):
        return {name: bits(v) for name, v in value.items()}
    return value


def check(what, got, want):
    if bits(got) == bits(want):
        return
    if isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        for i, (g, w) in enumerate(zip(got, want)):
            if bits(g) != bits(w):
                sys.exit(f"{what}, {i}: got\n{g}\nwant\n{w}")
    sys.exit(f"{what}: got\n{got}\nwant\n{want}")


def read_source(table):
    """A table of the dataset, its rows in ascending order of episodes, else as they stand there."""
    folder = source if table == "capture" else f"{source}/{table}"
    shards = sorted(glob.glob(f"{folder}/data-*.arrow"))
    rows = pyarrow.concat_tables(pyarrow.ipc.open_stream(shard).read_all() for shard in shards)
    order = np.argsort(rows["episode"].to_numpy(), kind="stable")
    return rows.take(order)


truth = {table: read_source(table) for table in NAMES}
episodes = {row["episode"]: row for row in truth["episodes"].to_pylist()}
check("episodes are numbered without a gap from 0 on in each world", len(episodes) > 10, True)


def by_episode(table):
    rows = {}
    for row in truth[table].to_pylist():
        rows.setdefault(row["episode"], []).append(row)
    return rows


# Hugging Face datasets.
splits = datasets.load_from_disk(f"{exports}/hf")
check("splits", sorted(splits), NAMES)
for table in NAMES:
    check(f"hf {table}", splits[table].to_list(), truth[table].to_pylist())
    check(f"hf {table} schema", splits[table].data.schema.field("episode").type, pyarrow.int64())
check("hf list", splits["capture"].features["gyro"].length, 3)
check("hf unit", splits["capture"].data.schema.field("gyro").metadata[b"unit"], b"rad/s")

# Parquet: pyarrow, polars, DuckDB, pandas.
for table in NAMES:
    path = f"{exports}/parquet/{table}.parquet"
    got = pyarrow.parquet.read_table(path)
    got.validate(full=True)
    # Parquet's standard calls the values of a list "element", Arrow "item"; types are equal all the same.
    check(f"parquet {table} schema", [(f.name, f.type, f.metadata) for f in got.schema],
          [(f.name, f.type, f.metadata) for f in truth[table].schema])
    check(f"parquet {table} metadata", got.schema.metadata, truth[table].schema.metadata)
    check(f"parquet {table}", got.to_pylist(), truth[table].to_pylist())
    check(f"parquet {table} in polars", polars.read_parquet(path).to_dicts(), truth[table].to_pylist())
    names = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in truth[table].column_names)
    rows = duckdb.sql(f"SELECT {names} FROM '{path}'").fetchall()
    check(f"parquet {table} in DuckDB", [list(map(lambda v: list(v) if isinstance(v, tuple) else v, row)) for row in rows],
          [list(row.values()) for row in truth[table].to_pylist()])

# CSV: pyarrow, polars, pandas.
for table in NAMES:
    path = f"{exports}/csv/{table}.csv"
    flat = {}
    for field in truth[table].schema:
        column = truth[table][field.name].to_pylist()
        if pyarrow.types.is_fixed_size_list(field.type):
            for k in range(field.type.list_size):
                flat[f"{field.name}[{k}]"] = [None if v is None else v[k] for v in column]
        else:
            flat[field.name] = column
    float32 = {field.name for field in truth[table].schema if "float" in str(field.type) and "double" not in str(field.type)}

    def same(what, got):
        check(f"{what} columns", list(got), list(flat))
        for name, column in got.items():
            if name.split("[")[0] in float32:
                column = [None if v is None else float(np.float32(v)) for v in column]
            want = flat[name]
            if any(isinstance(v, float) for v in want):
                column = [None if v is None else float(v) for v in column]
            check(f"{what} {name}", column, want)

    kinds = {name: pyarrow.float64() for name, column in flat.items() if any(isinstance(v, float) for v in column)}
    options = pyarrow.csv.ConvertOptions(column_types=kinds, null_values=[""])
    same(f"csv {table} in pyarrow", pyarrow.csv.read_csv(path, convert_options=options).to_pydict())
    # polars leaves doubled quotes in a header as they are.
    kinds = {name.replace('"', '""'): polars.Float64 for name in kinds}
    columns = polars.read_csv(path, schema_overrides=kinds).to_dict(as_series=False)
    same(f"csv {table} in polars", {name.replace('""', '"'): column for name, column in columns.items()})
    frame = pandas.read_csv(path)
    check(f"csv {table} in pandas", (len(frame), list(frame.columns)), (len(truth[table]), list(flat)))

# MCAP: the official reader, with checksums.
messages = {table: [] for table in NAMES}
files = sorted(glob.glob(f"{exports}/mcap/*.mcap"))
check("mcap files", len(files), len(episodes))
for number, path in enumerate(sorted(episodes)):
    with open(files[number], "rb") as f:
        reader = mcap.reader.make_reader(f, validate_crcs=True)
        summary = reader.get_summary()
        check("mcap index", len(summary.chunk_indexes) > 0, True)
        check("mcap episode", next(reader.iter_metadata()).metadata["episode"], str(path))
        for schema, channel, message in reader.iter_messages():
            row = json.loads(message.data)
            table = channel.topic[1:]
            check("mcap schema", schema.name, table)
            check("mcap time", (message.log_time, message.publish_time), (row.get("t_ns", row.get("length_ns")),) * 2)
            messages[table].append(row)
for table in NAMES:
    want = truth[table].to_pylist()
    float32 = [field.name for field in truth[table].schema if str(field.type) == "float"]
    for got, row in zip(messages[table], want):
        for name, value in got.items():
            if isinstance(value, str):
                got[name] = float(value)
        for name in float32:
            if got[name] is not None:
                got[name] = float(np.float32(got[name]))
        if "action" in got:
            got["action"] = [float(np.float32(v)) for v in got["action"]]
    check(f"mcap {table}", messages[table], want)

# Minari: T steps of an episode and the observation after them.
control = by_episode("control")
dataset = minari.load_dataset("minari-v0")
check("minari spaces", (dataset.observation_space.shape, dataset.observation_space.dtype), ((3,), np.dtype("float64")))
check("minari bounds", (dataset.action_space.low.tolist(), dataset.action_space.high.tolist()), ([-1, -math.inf], [1, math.inf]))
kept = [number for number in sorted(episodes) if episodes[number]["recorded"]]
check("minari episodes", (dataset.total_episodes, dataset.total_steps), (len(kept), sum(episodes[n]["steps"] for n in kept)))
for number, episode in zip(kept, dataset):
    about, rows = episodes[number], control[number]
    steps = about["steps"]
    meta = next(iter(dataset.storage.get_episode_metadata([episode.id])))
    check("minari metadata", (meta["episode"], meta["complete"]), (number, about["complete"]))
    check("minari steps", (len(episode), len(rows)), (steps, steps))
    check("minari observations", episode.observations.tolist(), [r["observation"] for r in rows] + [about["final_observation"]])
    check("minari actions", episode.actions.tolist(), [r["action"] for r in rows])
    check("minari dtype", (episode.actions.dtype, episode.observations.dtype), (np.dtype("float32"), np.dtype("float64")))
    rewards = [r["reward"] for r in rows[1:]] + [about["control_tail_reward"]]
    check("minari rewards", episode.rewards.tolist(), rewards)
    check("minari return", sum(rewards), about["return"])
    ends = [False] * (steps - 1)
    check("minari terminations", episode.terminations.tolist(), ends + [about["terminated"]])
    check("minari truncations", episode.truncations.tolist(), ends + [about["truncated"]])

print(f"{len(episodes)} episodes equal in datasets {datasets.__version__}, pyarrow {pyarrow.__version__}, polars {polars.__version__}, "
      f"duckdb {duckdb.__version__}, pandas {pandas.__version__}, minari {minari.__version__}, mcap {mcap.__version__}")
