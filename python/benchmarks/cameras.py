"""Pictures per second of physics/cast, beside MuJoCo's own renderer from Python.

    python python/benchmarks/cameras.py                 # by EGL
    python python/benchmarks/cameras.py --gl osmesa
    python python/benchmarks/cameras.py --gallery docs/images/cameras.png   # pictures beside MuJoCo's own instead

needs Go and `mujoco`, which draws by EGL (libegl1, libegl-mesa0 and libgl1-mesa-dri of Debian) or OSMesa (libosmesa6);
the gallery needs Pillow, too. One thread each, the quadruped and its camera; "on two" are two casters at once, beside one
renderer of MuJoCo's, which draws without shadows and reflections; ours has shadows where it says so. Then steps per
second of 64 quadrupeds that observe a depth of 64 × 64 pixels at 30 Hz, and of the same without it. rounds.py has how
rounds are compared.
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


class Renderer:
    """MuJoCo's renderer of one size."""

    def __init__(self, side: int, depth: bool) -> None:
        import mujoco

        self.model = mujoco.MjModel.from_xml_path(str(ROOT / "configs" / "quadruped.xml"))
        self.data = mujoco.MjData(self.model)
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        mujoco.mj_forward(self.model, self.data)
        self.renderer = mujoco.Renderer(self.model, side, side)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self.renderer.scene.flags[flag] = 0
        if depth:
            self.renderer.enable_depth_rendering()

    def rate(self, seconds: float) -> float:
        begin, n = time.perf_counter(), 0
        while time.perf_counter() < begin + seconds:
            self.renderer.update_scene(self.data, "track")
            self.renderer.render()
            n += 1
        return n / (time.perf_counter() - begin)


def cast(program: Path, side: int, kind: str, seconds: float, casters: int = 1) -> float:
    """Pictures per second of some casters at once, each in a process."""
    bench = f"-test.bench=Cast/{side}x{side}/{kind}$"
    words = [str(program), "-test.run=-", bench, f"-test.benchtime={seconds}s", "-test.cpu=1"]
    running = [subprocess.Popen(words, cwd=ROOT / "physics" / "cast", stdout=subprocess.PIPE) for _ in range(casters)]
    return sum(float(re.search(rb"([0-9.]+) pictures/s", one.communicate()[0]).group(1)) for one in running)


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
        gallery=("", "write a sheet of pictures beside MuJoCo's own to this file instead"),
    )  # fmt: skip
    os.environ["MUJOCO_GL"] = arguments.gl
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "cast"
        subprocess.run(["go", "test", "-c", "-o", str(program), "./physics/cast"], cwd=ROOT, check=True)
        if arguments.gallery:
            gallery(program, Path(folder), Path(arguments.gallery))
            return
        contenders: dict[Any, Any] = {}
        for side in (64, 84):
            contenders[f"{side} MuJoCo colour"] = partial(Renderer(side, False).rate, arguments.seconds)
            contenders[f"{side} MuJoCo depth"] = partial(Renderer(side, True).rate, arguments.seconds)
            contenders[f"{side} colour, shadows"] = partial(cast, program, side, "rgb", arguments.seconds)
            contenders[f"{side} colour, shadows, on two"] = partial(cast, program, side, "rgb", arguments.seconds, 2)
            contenders[f"{side} depth"] = partial(cast, program, side, "depth", arguments.seconds)
            contenders[f"{side} all three, shadows"] = partial(cast, program, side, "all", arguments.seconds)
        bench = Path(folder) / "bench"
        subprocess.run(["go", "build", "-o", str(bench), "./cmd/bench"], cwd=ROOT, check=True)
        contenders["steps"] = partial(steps, bench, ROOT / "configs" / "quadruped.yaml", arguments.seconds)
        contenders["steps with a camera"] = partial(steps, bench, with_camera(Path(folder)), arguments.seconds)
        rounds = in_turns(contenders, arguments.rounds)
    rates = medians(contenders, rounds, lambda r, name: r[name])

    def ratio(of: dict[str, float], name: str) -> float:
        if name.startswith("steps"):
            return of[name] / of["steps"]
        return of[name] / of[f"{name.split()[0]} MuJoCo {'depth' if name.endswith('depth') else 'colour'}"]

    ratios = medians(contenders, rounds, ratio)

    def show() -> None:
        print(f"pictures/s, medians of {arguments.rounds} rounds; times MuJoCo's rate by {arguments.gl}; "
              "steps/s, times those without a camera")
        for name in contenders:
            print(f"{name:28} {rates[name]:8.0f} {ratios[name]:8.2f}")

    tell(arguments, {"rates": rates, "ratios": ratios, "gl": arguments.gl}, show)


run(main)
