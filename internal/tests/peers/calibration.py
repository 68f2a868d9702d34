"""Casts MuJoCo's own rays through the pixels of recorded pictures, by the calibration and the poses of the dataset.

Usage: calibration.py DATASET MODEL MCAP, the last an export of it. The dataset has the cameras of cli's task "watched", and those of the folders
camera-eye, camera-above and camera-flat.
"""

import functools
import glob
import json
import sys

import datasets
import mcap.reader
import mujoco
import numpy as np
import pyarrow as pa

source, model = sys.argv[1], mujoco.MjModel.from_xml_path(sys.argv[2])
data = mujoco.MjData(model)
OPTICAL = np.diag([1.0, -1, -1])  # MuJoCo's cameras have y up and look along −z


def fields(folder):
    """The metadata of the columns, as Arrow has it."""
    schema = pa.ipc.open_stream(sorted(glob.glob(f"{folder}/data-*.arrow"))[0]).schema
    return {f.name: {k.decode(): v.decode() for k, v in (f.metadata or {}).items()} for f in schema}


capture, about = datasets.load_from_disk(source), fields(source)
document = json.load(open(f"{source}/polyrhythm.json"))
columns = {c["name"]: c for t in document["tables"] if t["name"] == "capture" for c in t["columns"]}
joints = {(row["episode"], row["joints_stamp_ns"]): row["joints"]
          for row in datasets.load_from_disk(f"{source}/sensors") if row["joints_stamp_ns"] is not None}


def pose_of(row, ns, look):
    """Puts the model where it was at a time of a row's episode, in the world of the row."""
    data.qpos[:] = joints[row["episode"], ns]
    for source in about["look"]["source"].split(","):
        array, name = source.split("/")
        values = getattr(model, array)[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, name)]
        n = np.size(values)
        getattr(model, array)[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, name)] = \
            look[:n] if n > 1 else look[0]
        look = look[n:]
    assert len(look) == 0
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_camlight(model, data)


def rotation(q):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(q))
    return matrix.reshape(3, 3)


def distort(k, x, y):
    """OpenCV's formula."""
    k1, k2, p1, p2, k3 = k.get("distortion", [0] * 5)
    r = x**2 + y**2
    radial = 1 + k1 * r + k2 * r**2 + k3 * r**3
    return x * radial + 2 * p1 * x * y + p2 * (r + 2 * x**2), y * radial + p1 * (r + 2 * y**2) + 2 * p2 * x * y


def undistort(k, u, v):
    """What the formula makes of u and v, by repeated corrections."""
    x, y = u.copy(), v.copy()
    for _ in range(300):
        a, b = distort(k, x, y)
        x, y = x - 0.5 * (a - u), y - 0.5 * (b - v)
    a, b = distort(k, x, y)
    assert max(np.abs(a - u).max(), np.abs(b - v).max()) < 1e-9
    return x, y


@functools.cache
def directions(camera, shape):
    """The directions to the middles of the pixels in the optical frame, at depth 1."""
    k = json.loads(camera)
    v, u = np.mgrid[:shape[0], :shape[1]].reshape(2, -1)
    x, y = undistort(k, (u - k["cx"]) / k["fx"], (v - k["cy"]) / k["fy"])
    return np.stack([x, y, np.ones(u.size)], 1)


def parallel_rays(k, shape, pose):
    """The same as rays, of an orthographic camera: the rays begin beside each other."""
    turn, along = rotation(pose[3:]), rotation(pose[3:])[:, 2]
    labels, distances = np.empty(shape, np.int32), np.empty(shape)
    for v, u in np.ndindex(shape):
        origin = pose[:3] + turn @ [(u - k["cx"]) / k["fx"], (v - k["cy"]) / k["fy"], 0]
        hit = np.zeros(1, np.int32)
        distances[v, u] = mujoco.mj_ray(model, data, origin, along, None, 1, -1, hit)
        labels[v, u] = hit[0]
    return labels, np.where(distances < 0, np.inf, distances)


def rays(k, shape, pose):
    """What MuJoCo's rays through the middles of pixels meet: labels, and depths along the axis of view."""
    if k.get("projection") == "orthographic":
        return parallel_rays(k, shape, np.asarray(pose))
    local = directions(json.dumps(k), shape)
    length = np.linalg.norm(local, axis=1)
    world = (local / length[:, None]) @ rotation(pose[3:]).T
    labels, distances = np.empty(len(local), np.int32), np.empty(len(local))
    mujoco.mj_multiRay(model, data, np.asarray(pose[:3]), world.ravel(), None, 1, -1, labels, distances, None, len(local),
                       mujoco.mjMAXVAL)
    return labels.reshape(shape), np.where(distances < 0, np.inf, distances / length).reshape(shape)


class Tally:
    def __init__(self):
        self.pixels = self.wrong = self.shifted = self.rows = 0
        self.labels, self.poses, self.focal = set(), set(), set()


def compare(tally, k, pose, want_pose, want_focal, labels, depths):
    position, turn = want_pose
    np.testing.assert_allclose(pose[:3], position, atol=1e-9)
    np.testing.assert_allclose(rotation(pose[3:]), turn @ OPTICAL, atol=1e-9)
    assert pose[3] >= 0 and abs(np.linalg.norm(pose[3:]) - 1) < 1e-12
    np.testing.assert_allclose([k["fx"], k["fy"]], want_focal, rtol=1e-6)  # a sensor's are of float32
    got, far = rays(k, depths.shape, pose)
    tally.wrong += (got != labels.astype(int) - 1).sum() if labels is not None else 0
    if tally.rows % 4 == 0:
        off, _ = rays({**k, "cx": k["cx"] + 0.5, "cy": k["cy"] - 0.5}, depths.shape, pose)
        tally.shifted += (off != labels.astype(int) - 1).sum()
    same = got == labels.astype(int) - 1
    near = same & (got > 0)  # the floor may be seen at an angle at which a rounding is much
    np.testing.assert_allclose(depths[near], 1000 * far[near], atol=1.5)
    tally.pixels, tally.rows = tally.pixels + depths.size, tally.rows + 1
    tally.labels |= set(got.ravel().tolist())
    tally.poses.add(tuple(pose))
    tally.focal.add(k["fx"])


def frame(camera):
    return data.cam_xpos[camera].copy(), data.cam_xmat[camera].reshape(3, 3).copy()


def back():
    head = model.body("head").id
    turn = data.xmat[head].reshape(3, 3)
    return data.xpos[head] + turn @ [-0.1, 0, 0], turn @ rotation([0.5, 0.5, 0.5, 0.5])


def by_angle(degrees, height):
    return [height / 2 / np.tan(np.radians(degrees) / 2)] * 2


eye, above, flat = (model.camera(name).id for name in ("eye", "above", "flat"))
lens = [0.002 / 0.0032, 0.0017 / 0.0024]
PLACES = {
    "eye": lambda w, h: (frame(eye), [lens[0] * w, lens[1] * h]),
    "back": lambda w, h: (back(), by_angle(70, h)),
    "above": lambda w, h: (frame(above), by_angle(model.cam_fovy[above], h)),
    "barrel": lambda w, h: (frame(eye), by_angle(75, h)),
    "cushion": lambda w, h: (frame(eye), [lens[0] * w, lens[1] * h]),
    "flat": lambda w, h: (frame(flat), [h / 0.5] * 2),
    "lossy": lambda w, h: (frame(eye), by_angle(80, h)),
}
tallies = {}
added = {name: datasets.load_from_disk(f"{source}/camera-{name}") for name in ("eye", "above", "flat")}
for name in added:
    about.update({f"added_{name}_{c}": m for c, m in fields(f"{source}/camera-{name}").items()})


def camera_of(name, row, part, prefix=""):
    """The calibration of a camera in a row."""
    k = json.loads(about[f"{name}_depth"]["camera"])
    assert k == json.loads(about[f"{name}_{'segmentation' if name != 'sticky' else 'depth'}"]["camera"])
    assert k["pose"] == f"{prefix}pose" and about[f"{name}_pose"]["frame"] == "world"
    assert about[f"{name}_pose"]["names"] == "x,y,z,qw,qx,qy,qz"
    if name.endswith("above"):
        assert k["fx"] == k["fy"] == 0 and k["intrinsics"] == f"{prefix}intrinsics"
        assert about[f"{name}_intrinsics"]["names"] == "fx,fy,cx,cy"
        values = dict(zip(("fx", "fy", "cx", "cy"), part[f"{prefix}intrinsics"]))
        assert (values["cx"], values["cy"]) == (k["cx"], k["cy"])
        k.update(values)
    else:
        assert "intrinsics" not in k
    assert ("distortion" in k) == (name in ("barrel", "cushion"))
    assert k.get("projection") == ("orthographic" if name.endswith("flat") else None)
    return k


early = 0
last_sticky, stuck, moved = {}, 0, 0
for row, *pictures in zip(capture, *added.values()):
    for name, place in PLACES.items():
        stamp = row[f"{name}_depth_stamp_ns"]
        assert row[f"{name}_pose_stamp_ns"] == row[f"{name}_segmentation_stamp_ns"] == stamp
        if stamp is None:
            early += 1
            stamp = 0  # the picture is that of the reset
        assert columns[f"{name}_depth"]["camera"] == json.loads(about[f"{name}_depth"]["camera"])
        pose_of(row, stamp, row["look"])
        k, depths = camera_of(name, row, row, f"{name}_"), np.asarray(row[f"{name}_depth"])
        assert (k["height"], k["width"]) == depths.shape
        pose, focal = place(k["width"], k["height"])
        compare(tallies.setdefault(name, Tally()), k, row[f"{name}_pose"], pose, focal,
                np.asarray(row[f"{name}_segmentation"]), depths)
    for name, part in zip(added, pictures):
        assert part["t_ns"] == row["t_ns"]
        pose_of(row, row["pose_stamp_ns"], row["look"])
        np.testing.assert_array_equal(data.qpos, row["pose"])
        k, depths = camera_of(f"added_{name}", row, part), np.asarray(part["depth"])
        assert (k["height"], k["width"]) == depths.shape
        pose, focal = PLACES[name](k["width"], k["height"])
        compare(tallies.setdefault(f"added_{name}", Tally()), k, part["pose"], pose, focal,
                np.asarray(part["segmentation"]), depths)
    # A sensor that sticks repeats its picture, and with it the pose.
    key, now = row["world"], (row["episode"], row["sticky_depth_stamp_ns"])
    if key in last_sticky and last_sticky[key][0][0] == now[0] and last_sticky[key][0] != now and None not in now:
        (_, before), picture, pose = last_sticky[key]
        pose_of(row, row["sticky_pose_stamp_ns"], row["look"])
        fresh = np.abs(np.asarray(row["sticky_pose"][:3]) - data.cam_xpos[eye]).max() < 1e-9
        if row["sticky_pose"] == pose:
            assert (np.asarray(row["sticky_depth"]) == picture).all()
            stuck += not fresh
        else:
            assert fresh
            moved += 1
    last_sticky[key] = now, np.asarray(row["sticky_depth"]), row["sticky_pose"]

# A segmentation says what its values are.
def name_of(kind, number):
    return mujoco.mj_id2name(model, kind, number)


want = [{"value": i + 1, "geom": name_of(mujoco.mjtObj.mjOBJ_GEOM, i),
         "body": name_of(mujoco.mjtObj.mjOBJ_BODY, model.geom_bodyid[i])} for i in range(model.ngeom)]
for name in (*PLACES, *(f"added_{name}" for name in added)):
    assert json.loads(about[f"{name}_segmentation"]["segments"]) == want, name
    assert "segments" not in about[f"{name}_depth"]
assert columns["eye_segmentation"]["segments"] == want and want[2]["body"] == "slider"

# Segmentations of bodies and of classes show what the geoms of a plain one belong to.
bodies = [{"value": body + 1, "body": name_of(mujoco.mjtObj.mjOBJ_BODY, body)} for body in sorted(set(model.geom_bodyid))]
classes = [{"value": 1, "class": "thing"}, {"value": 2, "class": "still"}]
body_of = np.array([0, *(model.geom_bodyid + 1)])
class_of = np.array([0, *({"ball": 1, "post": 1, "floor": 2, "crate": 2, "skull": 0}[segment["geom"]] for segment in want)])
sorted_later = datasets.load_from_disk(f"{source}/camera-sorted")
for where, shown, kind in ((about["bodies_segmentation"], bodies, "body"), (about["sorted_segmentation"], classes, "class"),
                           (fields(f"{source}/camera-sorted")["segmentation"], classes, "class")):
    assert json.loads(where["segments"]) == shown
    assert where["description"].startswith(f"number of the {kind} and 1; 0 for nothing"), where["description"]
shown = [set(), set(), set()]
for row, plain, later in zip(capture, added["eye"], sorted_later):
    geoms = np.asarray(row["eye_segmentation"])
    for values, picture, numbers in zip(shown, (row["bodies_segmentation"], row["sorted_segmentation"], later["segmentation"]),
                                        (body_of[geoms], class_of[geoms], class_of[np.asarray(plain["segmentation"])])):
        np.testing.assert_array_equal(np.asarray(picture), numbers)
        values.update(numbers.flat)
assert all(len(values) > 2 for values in shown), shown

# An export has the focal lengths of each world.
fields_of = {(row["episode"], row["t_ns"]): row["above_intrinsics"] for row in capture
             if row["above_depth_stamp_ns"] is not None}
for file in glob.glob(f"{sys.argv[3]}/*.mcap"):
    with open(file, "rb") as f:
        for _, _, message in mcap.reader.make_reader(f).iter_messages(topics=["/capture/above_calibration"]):
            fx, fy, cx, cy = fields_of.pop((int(file[-11:-5]), message.log_time))
            assert json.loads(message.data)["K"] == [fx, 0, cx, 0, fy, cy, 0, 0, 1]
assert not fields_of

# Foxglove's calibration is one in perspective: an orthographic camera has a place, and no calibration.
topics, places = set(), set()
for file in glob.glob(f"{sys.argv[3]}/*.mcap"):
    with open(file, "rb") as f:
        for _, channel, message in mcap.reader.make_reader(f).iter_messages():
            topics.add(channel.topic)
            if channel.topic == "/tf":
                places.add(json.loads(message.data)["child_frame_id"])
assert "/capture/eye_calibration" in topics and "/capture/flat_calibration" not in topics and "flat" in places

k = json.loads(about["eye_depth"]["camera"])
np.testing.assert_allclose([k["cx"], k["cy"]], [32 * (0.5 - 0.0003 / 0.0032) - 0.5, 20 * (0.5 + 0.0002 / 0.0024) - 0.5],
                           rtol=1e-6)
for name, t in tallies.items():
    print(f"{name}: {t.rows} rows, {t.pixels} pixels, {t.wrong} labels differ, {t.shifted} half a pixel beside, "
          f"labels {sorted(t.labels)}, {len(t.poses)} poses, {len(t.focal)} focal lengths")
    assert t.rows == len(capture) > 60 and t.wrong < 2e-4 * t.pixels and t.shifted > 20 * t.wrong + 50, name
    assert len(t.labels) >= 3 and len(t.poses) > (2 if name.endswith("above") else 50)
    assert len(t.focal) == (3 if name.endswith("above") else 1)
print(f"{early} pictures of resets, {stuck} of {stuck + moved} held")
assert early > 10 and stuck > 10 and moved > 10
