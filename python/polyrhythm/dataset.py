"""Observations of recorded datasets, whose pictures are columns of their own.

    from polyrhythm import dataset

    seen = dataset.observations("runs/walk/dataset/control")

A dataset stores a picture that was observed as one, in a column beside `observation`, which has the other values.
docs/reference/dataset-format.md says how. Any reader of Arrow reads these columns; the functions of this module put
them together again. It needs `pip install 'polyrhythm[datasets]'`.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyrhythm._extras import extra
from polyrhythm._files import MAX_STATE, read_file

if TYPE_CHECKING:
    import pyarrow


def observations(
    table: pyarrow.Table | pyarrow.RecordBatch | str | os.PathLike[str],
    column: str = "observation",
    pictures: str | None = None,
) -> np.ndarray | dict[str, np.ndarray]:
    """The observations of a table's rows, bit for bit what was observed: (rows, values) float64.

    Args:
        table: a table of a dataset or some of its rows, as pyarrow read them, or the folder of the table.
        column: "observation", or "final_observation" of the table episodes.
        pictures: "dict" for a dict, by name of the columns: of `column` the values that are no pixels, if there are any,
            and of each picture (rows, height, width, 3) uint8 of rgb, (rows, height, width) float32 in m of depth, and
            int32 of segmentation, the number of the geom, class or body, or -1. Normals, and pictures that the task
            has changed by noise and the like, are float32.

    A row without an observation has NaN, and in a dict pictures of zeros.
    """
    if pictures is not None and pictures != "dict":
        raise ValueError(f"pictures is {pictures!r}, want 'dict', or None for one array")
    if isinstance(table, (str, os.PathLike)):
        table = _read(Path(table))
    about = [json.loads(text) for f in table.schema if (text := (f.metadata or {}).get(b"list"))]
    about = [one for one in about if one["column"] == column]
    if column not in table.schema.names and not about:
        raise KeyError(f"no column {column!r}; there are {', '.join(table.schema.names)}")
    stored = {one["name"]: _picture(table.column(one["name"]), one) for one in about}
    rest = _list(table.column(column)) if column in table.schema.names else np.empty((table.num_rows, 0))
    if pictures == "dict":
        return ({column: rest} if rest.shape[1] or not stored else {}) | stored
    if not about:
        return rest
    size = rest.shape[1] + sum(one["width"] * one["height"] * _channels(one) for one in about)
    values, is_rest = np.empty((table.num_rows, size)), np.ones(size, bool)
    for one in about:
        channels = _channels(one)
        pixels = one["first"] + one["step"] * np.arange(one["width"] * one["height"])
        where = (pixels[:, None] + np.arange(channels)).ravel()
        values[:, where] = _observed(stored[one["name"]], one).reshape(table.num_rows, len(where))
        values[np.ix_(np.asarray(table.column(one["name"]).is_null()), where)] = np.nan
        is_rest[where] = False
    values[:, is_rest] = rest
    return values


def _read(folder: Path) -> pyarrow.Table:
    with extra("datasets", by="polyrhythm.dataset.observations"):
        import pyarrow
        import pyarrow.ipc

    shards = sorted(folder.glob("data-*-of-*.arrow"))
    if not shards:
        raise FileNotFoundError(f"{folder} has no data-*-of-*.arrow, want the folder of a table of a finished dataset")
    streams = (pyarrow.ipc.open_stream(read_file(shard, MAX_STATE)) for shard in shards)
    return pyarrow.concat_tables(stream.read_all() for stream in streams)


def _list(column: Any) -> np.ndarray:
    """The lists of a column, (rows, values) float64; NaN for a null."""
    chunks = getattr(column, "chunks", [column])  # of a table, not of a batch
    size, found = column.type.list_size, [np.empty((0, column.type.list_size))]
    for chunk in chunks:
        begin = chunk.offset * size
        flat = chunk.values.slice(begin, len(chunk) * size).to_numpy(zero_copy_only=False)
        rows = flat.reshape(len(chunk), size).astype(np.float64)
        rows[np.asarray(chunk.is_null())] = np.nan
        found.append(rows)
    return np.concatenate(found)


def _channels(one: dict[str, Any]) -> int:
    """The values of a pixel."""
    return 3 if one["kind"] in ("rgb", "normals") else 1


def _picture(column: Any, one: dict[str, Any]) -> np.ndarray:
    """What the pixels of a column store, as `observations` says; zeros for a null."""
    shape = (len(column), one["height"], one["width"])
    if _channels(one) == 3:
        shape = (*shape, 3)
    floats = one.get("floats", False)
    if one["kind"] == "depth" and not floats:
        depth = _list(column)
        depth[np.asarray(column.is_null())] = 0
        return depth.astype(np.float32).reshape(shape)
    with extra("datasets", by="polyrhythm.dataset.observations of pictures"):
        from PIL import Image

    rgb = one["kind"] == "rgb"
    found = np.zeros(shape, np.float32 if floats else np.uint8 if rgb else np.int32)
    for i, value in enumerate(column):
        if not value.is_valid:
            continue
        picture = Image.open(io.BytesIO(value.as_py()["bytes"]))
        if floats:  # the four bytes of each value
            found[i] = np.asarray(picture.convert("RGBA")).view("<f4").reshape(shape[1:])
        else:
            found[i] = np.asarray(picture) if rgb else np.asarray(picture).astype(np.int32) - 1
    return found


def _observed(pixels: np.ndarray, one: dict[str, Any]) -> np.ndarray:
    """The observed values of what pixels store, by the operations that the library took."""
    values = pixels.astype(np.float64)
    if one.get("floats"):
        pass
    elif one["kind"] == "rgb":
        values /= 255
    elif one["kind"] == "depth":
        values = np.minimum(values, one["far"])
    return values * one["scale"]
