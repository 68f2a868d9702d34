"""Reads the example of data_test.go and every export of it with the tools that people use, and compares every value.

Usage: exports.py DATASET EXPORTS, where EXPORTS holds a folder for each format.
"""

import glob
import json
import math
import sys

import datasets
import duckdb
import mcap.reader
import minari
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

source, exports = sys.argv[1], sys.argv[2]
NAMES = ["capture", "control", "episodes", "nothing"]


def check(what, got, want):
    """Compares the texts of values, which are those of other values only if these are the same, to the bit."""
    if repr(got) != repr(want):
        sys.exit(f"{what}: got\n{got}\nwant\n{want}")


def single(value):
    """A value, or each of a list, as the nearest float32."""
    if isinstance(value, list):
        return [single(v) for v in value]
    return None if value is None else float(np.float32(value))


def in_duckdb(relation, table):
    """The rows of a table in DuckDB."""
    names = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in table.column_names)
    rows = relation.project(names).fetchall()
    return [dict(zip(table.column_names, (list(v) if isinstance(v, tuple) else v for v in row))) for row in rows]


# The dataset itself. Its folder is the first table, its sub-folders are the others.
with open(f"{source}/polyrhythm.json", "rb") as f:
    document = f.read()
run = json.loads(document)["metadata"]
check("metadata", (run["seed"], run["configuration"]), (2**63 + 1, "task: example\n# <>&\n"))
truth = {}  # the rows of each table in ascending order of episodes
for table in NAMES:
    folder = source if table == "capture" else f"{source}/{table}"
    shards = sorted(glob.glob(f"{folder}/data-*.arrow"))
    rows = pyarrow.concat_tables(pyarrow.ipc.open_stream(shard).read_all() for shard in shards)
    rows.validate(full=True)
    check(f"{table} has several shards", len(shards) > 1, table != "nothing")
    check(f"{table} schema metadata", rows.schema.metadata[b"polyrhythm"], document)
    loaded = datasets.load_from_disk(folder)
    check(f"{table} in datasets", loaded.to_list(), rows.to_pylist())
    check(f"{table} fingerprint", datasets.load_from_disk(folder)._fingerprint, loaded._fingerprint)
    check(f"{table} in numpy", loaded.with_format("numpy")["episode"][:].tolist(), rows["episode"].to_pylist())
    check(f"{table} in polars", polars.concat(map(polars.read_ipc_stream, shards)).to_dicts(), rows.to_pylist())
    check(f"{table} in DuckDB", in_duckdb(duckdb.from_arrow(rows), rows), rows.to_pylist())
    truth[table] = rows.take(np.argsort(rows["episode"].to_numpy(), kind="stable"))
want = {table: truth[table].to_pylist() for table in NAMES}
episodes = {row["episode"]: row for row in want["episodes"]}
check("episodes are numbered without a gap from 0 on in each world", len(episodes) > 10, True)
kept = [number for number in sorted(episodes) if episodes[number]["recorded"]]

splits = datasets.load_from_disk(f"{exports}/hf")
check("splits", sorted(splits), NAMES)
check("hf list", splits["capture"].features["gyro"].length, 3)
check("hf unit", splits["capture"].data.schema.field("gyro").metadata[b"unit"], b"rad/s")

# MCAP: the official reader, with checksums.
messages = {table: [] for table in NAMES}
files = sorted(glob.glob(f"{exports}/mcap/*.mcap"))
check("mcap files", len(files), len(episodes))
for file, number in zip(files, sorted(episodes)):
    with open(file, "rb") as f:
        reader = mcap.reader.make_reader(f, validate_crcs=True)
        check("mcap index", len(reader.get_summary().chunk_indexes) > 0, True)
        check("mcap episode", next(reader.iter_metadata()).metadata["episode"], str(number))
        for schema, channel, message in reader.iter_messages():
            row = json.loads(message.data)
            check("mcap schema", schema.name, channel.topic[1:])
            check("mcap time", (message.log_time, message.publish_time), (row.get("t_ns", row.get("length_ns")),) * 2)
            messages[schema.name].append(row)

for table in NAMES:
    fields = {field.name: str(field.type) for field in truth[table].schema}
    halves = [name for name, kind in fields.items() if "float" in kind]  # of a double
    check(f"hf {table}", splits[table].to_list(), want[table])
    check(f"hf {table} schema", splits[table].data.schema.field("episode").type, pyarrow.int64())
    for row in messages[table]:
        row.update({name: float(value) for name, value in row.items() if isinstance(value, str)})
        row.update({name: single(row[name]) for name in halves})
    check(f"mcap {table}", messages[table], want[table])

    # Parquet: pyarrow, polars, DuckDB.
    path = f"{exports}/parquet/{table}.parquet"
    got = pyarrow.parquet.read_table(path)
    got.validate(full=True)
    # Parquet's standard calls the values of a list "element", Arrow "item"; types are equal all the same.
    about = [[s.metadata, *((f.name, f.type, f.metadata) for f in s)] for s in (got.schema, truth[table].schema)]
    check(f"parquet {table} schema", about[0] == about[1], True)
    check(f"parquet {table}", got.to_pylist(), want[table])
    check(f"parquet {table} in polars", polars.read_parquet(path).to_dicts(), want[table])
    check(f"parquet {table} in DuckDB", in_duckdb(duckdb.read_parquet(path), got), want[table])

    # CSV: pyarrow, polars, pandas. A list has a column for each value.
    path = f"{exports}/csv/{table}.csv"
    flat = {}
    for field in truth[table].schema:
        column = truth[table][field.name].to_pylist()
        if pyarrow.types.is_fixed_size_list(field.type):
            for k in range(field.type.list_size):
                flat[f"{field.name}[{k}]"] = [None if v is None else v[k] for v in column]
        else:
            flat[field.name] = column
    floats = [name for name, column in flat.items() if any(isinstance(v, float) for v in column)]

    def same(what, got):
        check(f"{what} columns", list(got), list(flat))
        for name, column in got.items():
            if name in floats:
                column = [None if v is None else float(v) for v in column]
            check(f"{what} {name}", single(column) if name.split("[")[0] in halves else column, flat[name])

    options = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(floats, pyarrow.float64()), null_values=[""])
    same(f"csv {table} in pyarrow", pyarrow.csv.read_csv(path, convert_options=options).to_pydict())
    # polars leaves doubled quotes in a header as they are.
    columns = polars.read_csv(path, schema_overrides={name.replace('"', '""'): polars.Float64 for name in floats})
    same(f"csv {table} in polars", {c.name.replace('""', '"'): c.to_list() for c in columns})
    frame = pandas.read_csv(path)
    check(f"csv {table} in pandas", (len(frame), list(frame.columns)), (len(truth[table]), list(flat)))

# Minari: T steps of an episode and the observation after them.
dataset = minari.load_dataset("minari-v0")
observations, actions = dataset.observation_space, dataset.action_space
check("minari spaces", (observations.shape, observations.dtype), ((3,), np.dtype("float64")))
check("minari bounds", (actions.low.tolist(), actions.high.tolist()), ([-1.0, -math.inf], [1.0, math.inf]))
steps = sum(episodes[number]["steps"] for number in kept)
check("minari episodes", (dataset.total_episodes, dataset.total_steps), (len(kept), steps))
for number, episode in zip(kept, dataset):
    about, rows = episodes[number], [row for row in want["control"] if row["episode"] == number]
    meta = next(iter(dataset.storage.get_episode_metadata([episode.id])))
    ends = [False] * (about["steps"] - 1)
    rewards = [row["reward"] for row in rows[1:]] + [about["control_tail_reward"]]
    for what, got, wanted in [
        ("metadata", (meta["episode"], meta["complete"]), (number, about["complete"])),
        ("steps", (len(episode), len(rows)), (about["steps"],) * 2),
        ("observations", episode.observations, [row["observation"] for row in rows] + [about["final_observation"]]),
        ("actions", episode.actions, [row["action"] for row in rows]),
        ("types", (episode.actions.dtype, episode.observations.dtype), (np.dtype("float32"), np.dtype("float64"))),
        ("rewards", episode.rewards, rewards),
        ("return", sum(rewards), about["return"]),
        ("terminations", episode.terminations, ends + [about["terminated"]]),
        ("truncations", episode.truncations, ends + [about["truncated"]]),
    ]:
        check(f"minari {what}", got.tolist() if isinstance(got, np.ndarray) else got, wanted)

tools = [datasets, pyarrow, polars, duckdb, pandas, minari, mcap]
print(f"{len(episodes)} episodes equal in", ", ".join(f"{tool.__name__} {tool.__version__}" for tool in tools))
