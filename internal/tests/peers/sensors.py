"""Compares the channels of a recorded dataset with what docs/reference/configuration/sensors.md says of their models.

Usage: sensors.py DATASET

The models are read from the dataset. The truth is an exact channel of the same source in the table sensors, which has
a row for each of its samples.
"""

import glob
import json
import re
import sys
from fractions import Fraction

import numpy as np
import pyarrow
import pyarrow.ipc

folder = sys.argv[1]
about = json.load(open(f"{folder}/polyrhythm.json"))
SUBSTEP = 2_000_000  # ns


def table(name):
    files = sorted(glob.glob(f"{folder}/{'' if name == 'capture' else name}/data-*.arrow"))
    return pyarrow.concat_tables(pyarrow.ipc.open_stream(f).read_all() for f in files)


def numbers(column, rows):
    """The lists of a column in some rows, as a matrix."""
    c = column.combine_chunks()
    assert c.null_count == 0
    return c.values.to_numpy().reshape(-1, c.type.list_size)[rows]


def nanoseconds(text):
    units = {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1}
    return round(sum(float(v) * units[u] for v, u in re.findall(r"([\d.]+)(ms|µs|ns|s)", text)))


class Model:
    def __init__(self, column):
        parts = {k: v.split(", ") for k, v in re.findall(r"(\w+)\(([^)]*)\)", column["model"])}
        number = lambda part, i=0: float(parts[part][i].split("=")[-1]) if part in parts else 0.0
        self.bias, self.walk = number("bias"), number("bias", 1)
        self.noise = number("gaussian")
        self.saturation = (number("saturation"), number("saturation", 1)) if "saturation" in parts else None
        self.step = number("quantisation")
        self.hold = nanoseconds(parts["hold"][0]) if "hold" in parts else 0
        self.sticks = number("hold", 1)
        self.dropout = number("dropout")
        self.latency, self.jitter = (nanoseconds(parts[p][0]) if p in parts else 0 for p in ("latency", "jitter"))
        self.history = int(number("history")) or 1
        self.rate, self.force = Fraction(column["rate"]), column["stage"] == "force"

    def converted(self, v):
        if self.saturation:
            v = np.clip(v, *self.saturation)
        return np.round(v / self.step) * self.step if self.step else v

    def exact(self):
        return not (self.bias or self.walk or self.noise or self.hold)

    def measured(self, until):
        """Timestamps of the samples up to a time, and the stamps of what they measure: the newest physics step."""
        timestamps = np.array([int(k * 10**9 / self.rate) for k in range(int(until * self.rate / 10**9) + 2)])
        timestamps = timestamps[timestamps <= until]
        return timestamps, timestamps // SUBSTEP * SUBSTEP


sensors = table("sensors")
episodes = sensors["episode"].to_numpy()
seen = {}  # channel: what its samples had, by episode, where a row follows each
checked = 0
for name, t in (("sensors", sensors), ("capture", table("capture"))):
    columns = {c["name"]: c for c in next(x for x in about["tables"] if x["name"] == name)["columns"] if "model" in c}
    for episode in range(max(episodes) + 1):
        exact = np.flatnonzero(episodes == episode)
        truths = {}
        for channel in ("gyro", "accelerometer"):
            stamps = sensors[f"{channel}_stamp_ns"].take(exact).to_pylist()
            truths[columns[channel]["source"]] = dict(zip(stamps, numbers(sensors[channel], exact)))
        rows = np.flatnonzero(t["episode"].to_numpy() == episode)
        times = t["t_ns"].to_numpy()[rows]
        for channel, column in columns.items():
            if column["source"] not in truths:
                continue
            truth, m = truths[column["source"]], Model(column)
            where = (name, episode, channel)
            timestamps, measured = m.measured(times[-1])
            stamps = t[f"{channel}_stamp_ns"].take(rows).to_pylist()
            window = numbers(t[channel], rows).reshape(len(rows), m.history, 3)
            reset = window[0, 0]
            shown = {stamp: m.converted(v) for stamp, v in truth.items()} if m.exact() else None
            newest = -1
            for at, stamp, value in zip(times, stamps, window):
                known = (timestamps <= at) & (measured <= at - m.latency) & ((measured < at) | (not m.force))
                surely = known & (measured <= at - m.latency - m.jitter)
                if stamp is None:
                    assert newest < 0 and (m.dropout or not surely.any()), (*where, at)
                    assert (value == reset).all(), (*where, at)
                    continue
                assert stamp in measured[known] and stamp >= newest, (*where, at, stamp)
                if not m.dropout and surely.any():
                    assert stamp >= measured[surely][-1], (*where, at, stamp)
                newest = stamp
                if not m.exact():
                    continue
                # The window: each place one of the samples up to that many periods before, later places no newer ones.
                k = int(np.flatnonzero(measured == stamp)[-1])
                for place in range(m.history):
                    if k - place < 0:
                        continue  # the value of the reset
                    want, got = k - place, value[place]
                    lossy = place and (m.dropout or m.jitter)
                    while lossy and want > 0 and not (got == shown[measured[want]]).all():
                        want -= 1  # that one was lost or is on its way
                    same = (got == shown[measured[want]]).all()
                    assert same or want == 0 and (got == reset).all(), (*where, at, place)
                checked += 1
            if m.step and not m.exact():
                assert np.allclose(window / m.step, np.round(window / m.step), atol=1e-6), where
            if m.saturation:
                assert window.min() >= m.saturation[0] and window.max() <= m.saturation[1], where
            if name == "sensors":
                first = [i for i, s in enumerate(stamps) if s is not None and (i == 0 or s != stamps[i - 1])]
                stamp = np.array([stamps[i] for i in first])
                have = np.array([truth[s] for s in stamp])
                seen.setdefault(channel, []).append((stamp, window[first, 0], have, len(measured)))
assert checked > 100_000, checked

rows = {c["name"]: c for c in next(x for x in about["tables"] if x["name"] == "sensors")["columns"] if "model" in c}


def close(got, want, tolerance, what):
    assert abs(got - want) <= tolerance, f"{what}: {got}, want {want} within {tolerance}"


# A bias is drawn for each episode and value, and stays; a walk adds independent normal steps.
for channel in ("bias", "walk"):
    m = Model(rows[channel])
    errors = [value - have for _, value, have, _ in seen[channel]]
    drawn = np.array([e[0] for e in errors]).ravel()
    assert len(set(drawn)) == len(drawn)
    close(drawn.std(), m.bias, 4 * m.bias / np.sqrt(2 * len(drawn)), f"{channel}: std")
    steps = np.concatenate([np.diff(e, axis=0) for e in errors]).ravel()
    size = m.walk * np.sqrt(SUBSTEP / 1e9)
    close(steps.std(), size, 1e-12 + 4 * size / np.sqrt(2 * len(steps)), f"{channel}: step")
# Noise is normal, and that of one sample says nothing of the next.
m, errors = Model(rows["noise"]), np.concatenate([value - have for _, value, have, _ in seen["noise"]])
close(errors.mean(), 0, 4 * m.noise / np.sqrt(errors.size), "noise: mean")
close(errors.std(), m.noise, 4 * m.noise / np.sqrt(2 * errors.size), "noise: std")
close(np.mean(errors[1:] * errors[:-1]) / m.noise**2, 0, 4 / np.sqrt(errors.size), "noise: lag 1")
close(np.mean(np.abs(errors) < m.noise), 0.6827, 4 / np.sqrt(errors.size), "noise: within one deviation")
# What is lost is lost at random. The last samples of an episode may still be on their way.
for channel in ("dropout", "slow"):
    m = Model(rows[channel])
    arrived, all = sum(len(s) for s, *_ in seen[channel]), sum(n for *_, n in seen[channel])
    if not m.jitter:
        close(arrived / all, 1 - m.dropout, 4 * np.sqrt(m.dropout / all), f"{channel}: share")
    else:
        assert 0.5 < arrived / all < 1 - m.dropout + 4 * np.sqrt(m.dropout / all), arrived / all
# A sensor sticks for its time and no longer, and starts to at random.
for channel in ("stuck", "held"):
    m, free, began = Model(rows[channel]), 0, 0
    for stamp, value, have, _ in seen[channel]:
        i = 0
        while i < len(stamp):
            assert (value[i] == have[i]).all(), (channel, stamp[i])
            n = int(np.searchsorted(stamp, stamp[i] + m.hold)) - i  # samples while it sticks
            free += 1
            if i + 1 < len(stamp) and (value[i + 1] == value[i]).all():
                assert (value[i : i + n] == value[i]).all(), (channel, stamp[i])
                began += 1
                i += n
            else:
                i += 1
    tolerance = 4 * np.sqrt(m.sticks * (1 - m.sticks) / free) + len(seen[channel]) / free
    close(began / free, m.sticks, tolerance, f"{channel}: share")
print(f"{checked} values of {len(seen)} channels in {len(seen['gyro'])} episodes")
