"""Compares pictures with MuJoCo's own rays and renderer.

Usage: pictures.py REQUEST, a JSON object with model, camera, width, height, worlds; color, which is how far the colours
of half of the pixels may be from those of the renderer; reflections, whether it has them; and folder, which holds the
arrays poses, rgb, depth, segmentation and normals.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco
import numpy as np

request = json.loads(sys.argv[1])
width, height, worlds = request["width"], request["height"], request["worlds"]
folder = pathlib.Path(request["folder"])
shape = (worlds, height, width)
rgb = np.fromfile(folder / "rgb", np.uint8).reshape(*shape, 3)
depth = np.fromfile(folder / "depth", np.float32).reshape(shape)
labels = np.fromfile(folder / "segmentation", np.int32).reshape(shape)
normals = np.fromfile(folder / "normals", np.float32).reshape(*shape, 3)

model = mujoco.MjModel.from_xml_path(request["model"])
data = mujoco.MjData(model)
poses = np.fromfile(folder / "poses", np.float64).reshape(worlds, -1)
camera = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, request["camera"])
near = model.vis.map.znear * model.stat.extent
far = model.vis.map.zfar * model.stat.extent
groups = np.array([1, 1, 1, 0, 0, 0], np.uint8)


def edges(picture):
    """Where a picture of labels has another label within a pixel."""
    out = np.zeros(picture.shape, bool)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            out |= picture != np.roll(picture, (dy, dx), (0, 1))
    out[[0, -1]] = out[:, [0, -1]] = True
    return out


def cast(x, y):
    """Distance along the axis of view, geom and normal of the first surface that a ray meets from outside."""
    frame = data.cam_xmat[camera].reshape(3, 3)
    lens = renderer.scene.camera[0]  # MuJoCo's own frustum
    depth = 1 if lens.orthographic else lens.frustum_near  # where the frustum is as large
    bottom, top = lens.frustum_bottom / depth, lens.frustum_top / depth
    half = lens.frustum_width / depth or (top - bottom) / 2 * width / height
    middle = lens.frustum_center / depth
    right = middle - half + (x + 0.5) * 2 * half / width
    up = top - (y + 0.5) * (top - bottom) / height
    origin, along = data.cam_xpos[camera].copy(), frame @ np.array([right, up, -1])
    if lens.orthographic:
        origin, along = origin + frame @ np.array([right, up, 0]), -frame[:, 2]
    at, hit, normal = near, np.zeros(1, np.int32), np.zeros(3)
    for _ in range(20):  # MuJoCo's rays also meet surfaces from inside
        start = origin + at * along
        further = mujoco.mj_ray(model, data, start, along, groups, 1, -1, hit, normal)
        if further < 0 or at + further > far:
            break
        at += further
        if normal @ along < 0:
            return at, hit[0], (normal @ frame) * [1, -1, -1]  # the optical frame has y down and z ahead
        at += 1e-7
    return far, -1, np.zeros(3)


bad = different = inner = bent = 0
worst = 0.0
renderer = mujoco.Renderer(model, height, width)
renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = request["reflections"]
worst_color = 0.0
for w in range(worlds):
    data.qpos[:] = poses[w, : model.nq]
    data.mocap_pos[:] = poses[w, model.nq : model.nq + 3 * model.nmocap].reshape(-1, 3)
    data.mocap_quat[:] = poses[w, model.nq + 3 * model.nmocap :].reshape(-1, 4)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_camlight(model, data)
    renderer.update_scene(data, camera)
    want = [[cast(x, y) for x in range(width)] for y in range(height)]
    want_depth = np.array([[at for at, _, _ in row] for row in want])
    want_labels = np.array([[geom for _, geom, _ in row] for row in want])
    want_normals = np.array([[normal for _, _, normal in row] for row in want])
    same = labels[w] == want_labels
    inside = ~edges(want_labels)
    different += np.sum(~same)
    bad += np.sum(~same & inside)
    inner += np.sum(inside)
    error = np.abs(depth[w] - want_depth) / want_depth
    worst = max(worst, error[same & inside].max())
    bent += np.sum(np.linalg.norm(normals[w] - want_normals, axis=2)[same & inside] > 1e-3)
    drawn = renderer.render().astype(int)
    apart = np.abs(drawn - rgb[w]).mean(axis=2)
    worst_color = max(worst_color, np.median(apart[inside & ~edges(labels[w])]))
print(f"labels: {different} pixels differ, {bad} of {inner} inside; depth: {worst:.1e}; normals: {bent} differ; "
      f"colour: {worst_color:.1f}")
if bad or different > 0.01 * labels.size:
    sys.exit("the labels differ")
if worst > 1e-4:
    sys.exit("the depths differ")
if bent > 0.002 * inner:
    sys.exit("the normals differ")
if worst_color > request["color"]:
    sys.exit("the colours differ")
