"""Pictures per second of processor time of physics/cast, beside MuJoCo's own renderer from Python.

    python python/benchmarks/cameras.py                 # by EGL
    python python/benchmarks/cameras.py --gl osmesa
    python python/benchmarks/cameras.py --scenes robots/g1.xml,hand/reach.xml
    python python/benchmarks/cameras.py --gallery docs/images/cameras.png   # pictures beside MuJoCo's own instead

needs Go and `mujoco`, which draws by EGL (libegl1, libegl-mesa0 and libgl1-mesa-dri of Debian) or OSMesa
(libosmesa6); the gallery needs Pillow, too. It takes the quadruped and its camera, and steps per second of 64 quadrupeds
that observe a depth of 64 × 64 pixels at 30 Hz, and of the same without it. Or it takes scenes of MJCF files, whose
meshes a camera sees from so near that the ball around them is 1/0.7 of the height of the picture. MuJoCo's renderer draws
without shadows and reflections; ours has shadows where it says so. Processor time is that of all threads, so what else
runs on the machine changes it little. rounds.py has how rounds are compared.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from rounds import ROOT, in_turns, medians, options, run, tell


QUADRUPED = ROOT / "configs" / "quadruped.xml"


class Renderer:
    """MuJoCo's renderer of a scene, by a camera of it, of one size."""

    def __init__(self, scene: Path, camera: str, side: int, depth: bool) -> None:
        import mujoco

        self.model, self.camera = mujoco.MjModel.from_xml_path(str(scene)), camera
        self.data = mujoco.MjData(self.model)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        mujoco.mj_forward(self.model, self.data)
        self.renderer = mujoco.Renderer(self.model, side, side)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self.renderer.scene.flags[flag] = 0
        if depth:
            self.renderer.enable_depth_rendering()

    def draw(self) -> None:
        self.renderer.update_scene(self.data, self.camera)
        self.renderer.render()

    def rate(self, seconds: float) -> float:
        self.draw()
        begin, taken, n = time.process_time(), 0.0, 0
        while taken < seconds:
            self.draw()
            taken, n = time.process_time() - begin, n + 1
        return n / taken


def cast(program: Path, scene: Path, side: int, kind: str, seconds: float) -> float:
    """Pictures per second of processor time of a caster."""
    words = [str(program), "-test.run=-", f"-test.bench=Cast/{side}x{side}/{kind}$", f"-test.benchtime={seconds}s",
             "-test.cpu=1"]
    set_by = {} if scene == QUADRUPED else {"POLYTEST_SCENE": str(scene)}
    told = subprocess.run(words, cwd=ROOT / "physics" / "cast", check=True, stdout=subprocess.PIPE,
                          env=os.environ | set_by).stdout
    return float(re.search(rb"([0-9.]+) pictures/cpu-s", told).group(1))


def framed(path: Path, to: Path) -> str:
    """Write a scene with a camera before its meshes, and a lamp if it has none; return how large it is."""
    import mujoco
    import numpy as np

    spec = mujoco.MjSpec.from_file(str(path))
    spec.meshdir = str((path.parent / spec.meshdir).resolve())
    spec.texturedir = str((path.parent / spec.texturedir).resolve())
    model = spec.compile()
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    points, faces = [], 0
    for geom in range(model.ngeom):
        mesh = model.geom_dataid[geom]
        if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH and model.geom_group[geom] < 3:
            first, n = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            turn = data.geom_xmat[geom].reshape(3, 3)
            points.append(model.mesh_vert[first : first + n] @ turn.T + data.geom_xpos[geom])
            faces += int(model.mesh_facenum[mesh])
    assert points, f"{path} has no meshes that are seen"
    low, high = np.min([p.min(axis=0) for p in points], axis=0), np.max([p.max(axis=0) for p in points], axis=0)
    middle, radius = (low + high) / 2, np.linalg.norm(high - low) / 2
    ahead = np.array([-0.814, 0.470, -0.342])  # to azimuth 150°, 20° down
    right = np.cross(ahead, [0, 0, 1])
    at = middle - 0.7 * radius / np.tan(np.radians(22.5)) * ahead
    camera = spec.worldbody.add_camera(name="benchmark", pos=at, fovy=45)
    camera.alt.type = mujoco.mjtOrientation.mjORIENTATION_XYAXES
    camera.alt.xyaxes = [*right, *np.cross(right, ahead)]
    if model.nlight == 0:
        spec.worldbody.add_light(pos=middle + [0, 0, 3 * radius], dir=[0, 0, -1])
    spec.compile()
    to.write_text(spec.to_xml())
    return f"{path.parent.name}/{path.stem}: {len(points)} geoms that are meshes, of {faces} triangles"


CAMERA = (
    "{name: front, runner: Capture, camera: {body: trunk, position: [0.3, 0, 0.05], "
    "quaternion: [0.5, 0.5, -0.5, -0.5], fovy: 70, width: 64, height: 64, kinds: [depth]}}"
)


def with_camera(folder: Path) -> Path:
    """The configuration of the quadruped that observes the camera, too."""
    text = (ROOT / "configs" / "quadruped.yaml").read_text()
    observed = "    - {name: front, term: sensor, channel: front}"
    for key, line in {"sensors": f"  - {CAMERA}", "  policy": observed}.items():
        assert text.count(f"\n{key}:\n") == 1
        text = text.replace(f"\n{key}:\n", f"\n{key}:\n{line}\n")
    (folder / "front.yaml").write_text(text)
    return folder / "front.yaml"


def steps(program: Path, config: Path, seconds: float) -> float:
    """Steps per second of all worlds, with random actions and without recording."""
    words = [str(program), "--config", str(config), "--worlds=64", "--workers=1", f"--seconds={max(1.0, seconds)}",
             "--set=recording.enabled=false", "--format=json"]
    result = json.loads(subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout)
    return result["lines"][0]["env_steps_per_s"]


def drawn(path: Path, width: int, height: int) -> Any:
    """MuJoCo's own picture of a scene, in the model's initial state."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, height, width) as renderer:
        renderer.update_scene(data, "view")
        return renderer.render()


def gallery(program: Path, folder: Path, sheet: Path) -> None:
    """Write a sheet of pairs of pictures, ours and MuJoCo's, three pairs a row; print how far they are apart."""
    import numpy as np
    from PIL import Image

    scenes = sorted((ROOT / "physics" / "cast" / "testdata" / "gallery").glob("*.xml"))
    subprocess.run([str(program), "-test.run=^TestGallery$"], cwd=ROOT / "physics" / "cast", check=True,
                   stdout=subprocess.DEVNULL, env=os.environ | {"POLYTEST_GALLERY": str(folder)})
    print(f"{'scene':12} {'median':>6} {'mean':>6} {'beyond 16':>9}   differences of colours from MuJoCo's, of 255")
    rows: list[Any] = []
    for scene in scenes:
        ours = np.asarray(Image.open(folder / f"{scene.stem}.png").convert("RGB"))
        theirs = drawn(scene, ours.shape[1], ours.shape[0])
        apart = np.abs(ours.astype(int) - theirs).mean(axis=2)
        print(f"{scene.stem:12} {np.median(apart):6.1f} {apart.mean():6.1f} {100 * np.mean(apart > 16):8.1f}%")
        rows.append(np.concatenate([ours, theirs], axis=1))
    lines = [np.concatenate(rows[i : i + 3], axis=1) for i in range(0, len(rows), 3)]
    Image.fromarray(np.concatenate(lines)).save(sheet, optimize=True)


def main() -> None:
    arguments = options(
        __doc__, rounds=(5, "rounds"), seconds=(1.0, "seconds of each contender in a round"),
        gl=("egl", "where MuJoCo's renderer has OpenGL from: egl or osmesa"),
        scenes=("", "MJCF files of scenes with meshes, by commas, in place of the quadruped"),
        gallery=("", "write a sheet of pictures beside MuJoCo's own to this file instead"),
    )  # fmt: skip
    os.environ["MUJOCO_GL"] = arguments.gl
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "cast"
        subprocess.run(["go", "test", "-c", "-o", str(program), "./physics/cast"], cwd=ROOT, check=True)
        if arguments.gallery:
            gallery(program, Path(folder), Path(arguments.gallery))
            return
        scenes, about = {"quadruped": (QUADRUPED, "track", (64, 84))}, []
        if arguments.scenes:
            scenes = {}
            for i, path in enumerate(map(Path, arguments.scenes.split(","))):
                scene = Path(folder) / f"{i}.xml"
                about.append(framed(path.resolve(), scene))
                scenes[f"{path.resolve().parent.name}/{path.stem}"] = scene, "benchmark", (64, 224)
        contenders: dict[Any, Any] = {}
        for name, (scene, camera, sides) in scenes.items():
            for side in sides:
                for kind, ours in ("colour", "rgb"), ("depth", "depth"):
                    renderer = Renderer(scene, camera, side, kind == "depth")
                    contenders[name, side, kind, "MuJoCo"] = partial(renderer.rate, arguments.seconds)
                    contenders[name, side, kind, "cast"] = partial(cast, program, scene, side, ours, arguments.seconds)
                if not arguments.scenes:
                    contenders[name, side, "all three", "cast"] = partial(
                        cast, program, scene, side, "all", arguments.seconds)
        if not arguments.scenes:
            bench = Path(folder) / "bench"
            subprocess.run(["go", "build", "-o", str(bench), "./cmd/bench"], cwd=ROOT, check=True)
            contenders["steps",] = partial(steps, bench, ROOT / "configs" / "quadruped.yaml", arguments.seconds)
            contenders["steps", "with a camera"] = partial(steps, bench, with_camera(Path(folder)), arguments.seconds)
        rounds = in_turns(contenders, arguments.rounds)
    rates = medians(contenders, rounds, lambda r, name: r[name])

    def ratio(of: dict[Any, float], name: Any) -> float:
        if name[0] == "steps":
            return of[name] / of["steps",]
        return of[name] / of[*name[:2], "colour" if name[2] == "all three" else name[2], "MuJoCo"]

    ratios = medians(contenders, rounds, ratio)

    def show() -> None:
        for line in about:
            print(line)
        print(f"pictures per second of processor time, medians of {arguments.rounds} rounds, and times MuJoCo's by "
              f"{arguments.gl}, from the least to the largest of the rounds; steps/s, times those without a camera")
        for name in contenders:
            each = [ratio(r, name) for r in rounds]
            print(f"{' '.join(map(str, name)):40} {rates[name]:8.0f} {ratios[name]:8.2f} "
                  f"({min(each):.2f} to {max(each):.2f})")

    def joined(of: dict[Any, float]) -> dict[str, float]:
        return {" ".join(map(str, name)): value for name, value in of.items()}

    tell(arguments, {"rates": joined(rates), "ratios": joined(ratios), "gl": arguments.gl}, show)


run(main)
