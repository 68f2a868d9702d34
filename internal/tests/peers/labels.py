"""Checks the tasks and successes of an export to LeRobot before and after labels were given, see label_test.go.

Usage: labels.py BEFORE AFTER.
"""

import glob
import json
import sys

import pandas
import pyarrow.parquet


def read(folder):
    with open(f"{folder}/meta/info.json") as f:
        info = json.load(f)
    tasks = pandas.read_parquet(f"{folder}/meta/tasks.parquet")
    assert info["total_tasks"] == len(tasks) and tasks["task_index"].tolist() == list(range(len(tasks)))
    names = dict(zip(tasks["task_index"], tasks.index))
    rows = pyarrow.parquet.read_table(glob.glob(f"{folder}/data/*/*.parquet")).to_pylist()
    about = pyarrow.parquet.read_table(glob.glob(f"{folder}/meta/episodes/*/*.parquet")).to_pylist()
    return rows, [names[row["task_index"]] for row in rows], about


rows, tasks, about = read(sys.argv[1])
assert set(tasks) == {"do not fall"}, set(tasks)
last = [row for row, after in zip(rows, [*rows[1:], {}]) if after.get("episode_index") != row["episode_index"]]
assert len(last) == len(about) and {row["next.success"] for row in last} == {False, True}, last
assert sum(row["next.success"] for row in rows) == sum(row["next.success"] for row in last)

rows, tasks, about = read(sys.argv[2])
for row, task in zip(rows, tasks):
    assert task == ("stand" if row["episode_index"] == 1 and row["t_ns"] >= 100_000_000 else "stand still"), (row, task)
    assert not row["next.success"] or row["episode_index"] == 1
assert [episode["tasks"] for episode in about] == [["stand still"], ["stand still", "stand"], ["stand still"]], about
