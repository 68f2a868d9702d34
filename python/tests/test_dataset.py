"""A recorded dataset keeps the promises that its readers rely on.

The dataset is made by the real command and read with the real packages.
"""

import json
import re
import shutil
import subprocess
import time
from fractions import Fraction

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest
from shared import QUADRUPED, ROOT, TRAIN, files, train

CAPTURE_HZ = 30
BEAT_NS = 100_000_000
SUBSTEP_NS = 2_000_000
MOTION = ["joint_position", "joint_velocity", "gyro"]
FORCE = ["accelerometer", "foot_contact"]
LATE = {"orientation": 4_000_000}
TABLES = ["capture", "control", "sensors"]


def rollout(folder, *arguments, config=QUADRUPED, **keys):
    few = ["--config", config, "--policy", "random", "--episodes", 20, "--out", folder]
    train("rollout", *few, *arguments, keys={"worlds": 8, **keys})
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return rollout(tmp_path_factory.mktemp("rollout") / "random")


class Columns(dict):
    """A dataset as numpy arrays by column, nulls as nan, read once.

    Not through the numpy format of datasets, which rounds float64 to float32.
    """

    def __init__(self, folder):
        table = datasets.load_from_disk(str(folder)).with_format("arrow")[:]
        super().__init__({name: self.array(table.column(name)) for name in table.column_names})
        self.data = table
        self.rows = table.num_rows

    @staticmethod
    def array(column):
        if pa.types.is_integer(column.type) and not column.null_count:
            return column.to_numpy()
        return np.array([np.nan if v is None else v for v in column.to_pylist()])


@pytest.fixture(scope="module")
def capture(folder):
    return Columns(folder)


@pytest.fixture(scope="module")
def episodes(folder):
    return Columns(folder / "episodes")


def timestamp(k, hertz=CAPTURE_HZ):
    return k * 1_000_000_000 // hertz


def by_episode(capture):
    rows = {}
    for i, episode in enumerate(capture["episode"]):
        rows.setdefault(int(episode), []).append(i)
    return rows


def all_stamps(capture):
    """The stamp columns as Python integers, None where they are null."""
    names = [*MOTION, *FORCE, *LATE, "action", "observation"]
    return {name: capture.data.column(f"{name}_stamp_ns").to_pylist() for name in names}


def test_rows_stand_at_the_exact_timestamps(capture, episodes):
    t = capture["t_ns"]
    rows = by_episode(capture)
    for episode, length, count in zip(episodes["episode"], episodes["length_ns"], episodes["rows"]):
        want = []
        while timestamp(len(want)) < length:
            want.append(timestamp(len(want)))
        got = [int(t[i]) for i in rows.get(int(episode), [])]
        assert got == want
        assert count == len(want)


def test_sync_marks_the_beats(capture):
    for t, sync in zip(capture["t_ns"], capture["sync"]):
        assert bool(sync) == (t % BEAT_NS == 0)


def test_stamps_are_never_of_the_future(capture):
    """The newest sample, on the beat and off it; of a force the one before, of what is late the newest known."""
    stamps = all_stamps(capture)
    for i, t in enumerate(int(t) for t in capture["t_ns"]):
        want = dict.fromkeys(MOTION, t // SUBSTEP_NS * SUBSTEP_NS)
        want |= dict.fromkeys(FORCE, (t - 1) // SUBSTEP_NS * SUBSTEP_NS)
        want |= {name: (t - latency) // SUBSTEP_NS * SUBSTEP_NS for name, latency in LATE.items()}
        want |= dict.fromkeys(["action", "observation"], t // 20_000_000 * 20_000_000)
        assert {name: of[i] for name, of in stamps.items()} == {n: w if w >= 0 else None for n, w in want.items()}


def test_rows_and_tail_give_the_return(capture, episodes):
    reward, steps = capture["reward"], capture["reward_steps"]
    rows = by_episode(capture)
    for e in range(episodes.rows):
        row = {name: values[e] for name, values in episodes.items()}
        mine = rows.get(int(row["episode"]), [])
        total = sum(float(reward[i]) for i in mine) + float(row["tail_reward"])
        count = sum(int(steps[i]) for i in mine) + int(row["tail_reward_steps"])
        assert total == pytest.approx(float(row["return"]), rel=1e-9, abs=1e-9)
        assert count == row["steps"]
        assert row["length_ns"] == row["steps"] * 20_000_000
        assert steps[mine[0]] == 0 and reward[mine[0]] == 0


def test_asked_for_episodes_are_complete(episodes):
    assert sorted(int(e) for e in episodes["episode"]) == list(range(20))
    assert all(bool(c) for c in episodes["complete"])
    assert all(bool(a) or bool(b) for a, b in zip(episodes["terminated"], episodes["truncated"]))
    assert all(int(e) % 8 == int(w) for e, w in zip(episodes["episode"], episodes["world"]))


def test_values_are_finite_and_vary(capture):
    for name in [*MOTION, *FORCE, *LATE, "observation", "action"]:
        values = np.asarray(capture[name])
        assert np.isfinite(values).all(), name
        assert values.std() > 0, name


def test_fields_say_their_unit_source_and_rate(folder):
    schema = table_of(folder).schema
    assert schema.field("t_ns").metadata[b"unit"] == b"ns"
    gyro = schema.field("gyro").metadata
    assert gyro[b"unit"] == b"rad/s"
    assert gyro[b"rate"] == b"500"
    assert b"sensor/imu_gyro" in gyro[b"source"]
    document = json.loads((folder / "polyrhythm.json").read_text())
    assert document["metadata"]["beat"] == "10"
    assert Fraction(document["metadata"]["runners"][1]["rate"]) == CAPTURE_HZ


def test_pyarrow_and_datasets_agree(folder, capture):
    table = table_of(folder)
    assert table.num_rows == capture.rows > 0
    assert table.column("t_ns").to_pylist() == [int(t) for t in capture["t_ns"]]
    assert table.column("gyro").to_pylist() == [list(map(float, g)) for g in capture["gyro"]]


def dataset_files(folder):
    """Everything but what says where and when a run was made."""
    return {name: (folder / name).read_bytes() for name in files(folder) if name != "run.json"}


def test_a_folder_is_never_overwritten(folder):
    before = dataset_files(folder)
    again = train("rollout", "--config", QUADRUPED, "--episodes", 1, "--out", folder, code=2)
    assert again.stderr.count("\n") == 1 and str(folder) in again.stderr
    assert dataset_files(folder) == before


def killed_rollout(folder):
    """A rollout that is killed once each of its tables has acknowledged some batches."""
    process = subprocess.Popen(
        [TRAIN, "rollout", "--config", QUADRUPED, "--episodes", "100000", "--set", "worlds=8", "--set", "max_steps=100",
         "--set", "recording.tables=[capture, control, sensors]", "--set", "recording.batch_rows=256", "--out", folder],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None:
            journals = [table_folder(folder, table) / "data.journal" for table in [*TABLES, "episodes"]]
            if all(j.exists() and acknowledged(j)[1] >= 3 for j in journals):
                break
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    return folder


def table_folder(folder, table):
    return folder if table == "capture" else folder / table


def acknowledged(journal):
    """Rows and batches that a journal's whole lines speak of."""
    lines = [line.split() for line in journal.read_text().splitlines(keepends=True)[1:] if line.endswith("\n")]
    batches = [line for line in lines if line[0] == "batch"]
    return sum(int(line[4]) for line in batches), len(batches)


def test_a_killed_rollout_is_recovered(tmp_path):
    folder = killed_rollout(tmp_path / "killed")
    assert not (folder / "state.json").exists()
    want = {table: acknowledged(table_folder(folder, table) / "data.journal")[0] for table in [*TABLES, "episodes"]}
    for name in ("inspected", "exported"):
        shutil.copytree(folder, tmp_path / name)
    assert f"capture: {want['capture']} rows" in train("recover", folder).stdout

    tables = {table: Columns(table_folder(folder, table)) for table in [*TABLES, "episodes"]}
    assert {table: columns.rows for table, columns in tables.items()} == want
    assert "recovered.json" in datasets.load_from_disk(str(folder)).info.description

    # what is whole and what is not, by a plain count
    report = json.loads((folder / "recovered.json").read_text())
    lacking = {e["episode"]: e for e in report["incomplete"]}
    counts = {table: {} for table in TABLES}
    for table in TABLES:
        for episode in tables[table]["episode"]:
            counts[table][int(episode)] = counts[table].get(int(episode), 0) + 1
    closed = {}
    episodes = tables["episodes"]
    for i, number in enumerate(episodes["episode"]):
        closed[int(number)] = {t: int(episodes["rows" if t == "capture" else f"{t}_rows"][i]) for t in TABLES}
    everyone = set(closed).union(*counts.values())
    whole = {e for e in everyone if e in closed and all(counts[t].get(e, 0) == closed[e][t] for t in TABLES)}
    assert everyone - whole == set(lacking)
    assert len(whole) == report["episodes"] > 0
    for number, e in lacking.items():
        assert e["closed"] == (number in closed)
        assert e["rows"] == {t: counts[t][number] for t in TABLES if number in counts[t]}

    # again, and by way of another command: nothing changes any more
    before = dataset_files(folder)
    train("recover", folder)
    train("inspect", folder)
    assert dataset_files(folder) == before

    # other commands do it as well
    inspected = train("inspect", tmp_path / "inspected", "--format", "json")
    assert "has been recovered" in inspected.stderr
    told = json.loads(inspected.stdout)
    assert told["ok"] and told["recovery"]["recovered"] and {t["name"]: t["rows"] for t in told["tables"]} == want
    out = tmp_path / "parquet"
    exported = train("export", tmp_path / "exported", "--to", "parquet", "--out", out)
    assert "has been recovered" in exported.stderr and "marked as incomplete" in exported.stderr
    assert (out / "capture.parquet").exists()


def table_of(folder):
    """A table as pyarrow has it, from all its streams."""
    tables = []
    for shard in sorted(folder.glob("data-*.arrow")):
        with pa.OSFile(str(shard)) as f:
            tables.append(pa.ipc.open_stream(f).read_all())
    return pa.concat_tables(tables)


@pytest.fixture(scope="module", params=["none", "lz4", "zstd"])
def all_tables(tmp_path_factory, request):
    recording = {"tables": TABLES, "compression": request.param}
    return rollout(tmp_path_factory.mktemp("tables") / request.param, recording=recording, max_steps=40)


def test_tables_join_exactly(all_tables):
    import duckdb

    capture, control, sensors = (table_of(all_tables / sub) for sub in [".", "control", "sensors"])  # noqa: F841
    assert control.num_rows > capture.num_rows > 0 and sensors.num_rows > 9 * control.num_rows
    joins = [("control", "t_ns", column) for column in ["action", "observation"]]
    joins += [("sensors", "t_ns", column) for column in MOTION]
    joins += [("sensors", f"{column}_stamp_ns", column) for column in [*MOTION, *FORCE, *LATE]]
    for table, time, column in joins:
        stamp = f"{column}_stamp_ns"
        [(stamped, found, other)] = duckdb.sql(
            f"""SELECT count(*), count(t.{column}), count(*) FILTER (t.{column} IS DISTINCT FROM c.{column})
            FROM capture c LEFT JOIN (SELECT DISTINCT episode, world, {time} AS at, {column} FROM {table}) t
            ON c.episode = t.episode AND c.world = t.world AND c.{stamp} = t.at
            WHERE c.{stamp} IS NOT NULL"""
        ).fetchall()
        assert stamped > 0 and found == stamped and other == 0, (table, column, stamped, found, other)


def joins_of_the_page(folder):
    """What the examples of docs/how-to/read-datasets.md on joining print of a dataset: a list of rows for each."""
    page = (ROOT / "docs" / "how-to" / "read-datasets.md").read_text().split("## Join the tables")[1].split("\n## ")[0]
    programs = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(programs) == 2
    printed = []
    names = {"print": printed.append}
    exec("import glob, duckdb, pyarrow, pyarrow.ipc", names)  # as an example before them does
    for program in programs:
        assert "runs/read-walk" in program or "capture" in names
        exec(program.replace("runs/read-walk", str(folder)), names)
    return printed


def test_joins_of_the_page(all_tables):
    rows = table_of(all_tables).num_rows
    assert joins_of_the_page(all_tables) == [[(rows, rows)], [(rows, 0, rows)]]


def test_jitter_and_the_join(tmp_path):
    """A sample that was overtaken between two boundaries of Sensors is in capture alone; the page says how to join."""
    config = QUADRUPED.read_text()
    jittery = config.replace("noise: {std: 0.02}", "noise: {std: 0.02}\n    latency: 3ms\n    jitter: 2ms")
    assert jittery != config
    (tmp_path / "jitter.yaml").write_text(jittery)
    folder = rollout(tmp_path / "data", config=tmp_path / "jitter.yaml", max_steps=200, **{"recording.tables": TABLES})
    stamps = table_of(folder).column("gyro_stamp_ns")
    stamped = len(stamps) - stamps.null_count
    [[(same, values)], [(rows, earlier, equal)]] = joins_of_the_page(folder)
    assert same == values < 0.95 * stamped  # a join on equality leaves rows out
    assert stamped - 20 <= rows <= stamped  # 20 episodes, each with a first sample
    assert (equal, earlier) == (same, rows - same)


def test_returns_from_every_table(all_tables):
    import polars

    episodes = polars.read_ipc_stream(all_tables / "episodes" / "data-00000-of-00001.arrow")
    assert episodes["recorded"].all()
    for sub, prefix in [(".", ""), ("control", "control_"), ("sensors", "sensors_")]:
        rows = polars.from_arrow(table_of(all_tables / sub)).group_by("episode").agg(
            polars.col("reward").sum(), polars.col("reward_steps").sum(), polars.len().alias("count"))
        both = episodes.join(rows, on="episode")
        assert len(both) == len(episodes)
        total = both["reward"] + both[prefix + "tail_reward"]
        assert ((total - both["return"]).abs() < 1e-9).all()
        assert (both["reward_steps"] + both[prefix + "tail_reward_steps"] == both["steps"]).all()
        assert (both["count"] == both[prefix + "rows"]).all()


def test_tables_load_with_datasets(all_tables):
    for sub in [".", "control", "sensors", "episodes"]:
        loaded = datasets.load_from_disk(str(all_tables / sub))
        want = table_of(all_tables / sub)
        assert loaded.num_rows == want.num_rows and loaded.column_names == want.column_names
    gyro = table_of(all_tables / "sensors").schema.field("gyro").metadata
    assert gyro[b"rate"] == b"500" and gyro[b"frame"] == b"imu" and b"0.02" in gyro[b"model"]
    document = json.loads((all_tables / "polyrhythm.json").read_text())
    assert {t["name"]: t.get("rate") for t in document["tables"]} == {
        "capture": "30", "control": "50", "sensors": "500", "episodes": None}
