"""Installs the wheel for arm64 beside numpy and Gymnasium, and uses it by a Python for arm64.

    python3 internal/tests/arm64/wheel.py --python SYSROOT/usr/bin/python3 --dist DIR --beside user.txt --work DIR

It is called under third_party/arm64/emulate by this machine's Python, whose pip takes the wheels of the other
processor.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

USE = """
import platform
import numpy as np
import polyrhythm
assert platform.machine() == "aarch64", platform.machine()
runs = []
for workers in 1, 2:
    envs = polyrhythm.make_vec("HalfCheetah-v5", num_envs=4, seed=1, workers=workers)
    observations, _ = envs.reset(seed=1)
    rows = [observations.copy()]
    for step in range(20):
        actions = np.full(envs.action_space.shape, 0.1, np.float32)
        observations, rewards, *_ = envs.step(actions)
        rows += [observations.copy(), rewards.copy()]
    envs.close()
    assert all(np.isfinite(row).all() for row in rows)
    runs.append(b"".join(np.ascontiguousarray(row).tobytes() for row in rows))
assert runs[0] == runs[1], "want the same bytes for any workers"
print(polyrhythm.__version__, "on", platform.machine(), "steps:", len(runs[0]), "bytes, the same for 1 and 2 workers")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=Path, required=True, help="a Python for arm64")
    parser.add_argument("--dist", type=Path, required=True, help="the folder of the wheel")
    parser.add_argument("--beside", type=Path, required=True, help="a lock file of what is installed beside it")
    parser.add_argument("--work", type=Path, required=True, help="a folder, made anew")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    (wheel,) = arguments.dist.glob("polyrhythm-*_aarch64.whl")
    version = subprocess.check_output([arguments.python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        text=True).strip()  # fmt: skip
    pip = [sys.executable, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "install", "--no-deps",
        "--no-compile", "--only-binary=:all:", "--target", arguments.work, "--python-version", version]  # fmt: skip
    for name in "manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28", "manylinux_2_34":
        pip += ["--platform", f"{name}_aarch64"]
    subprocess.run([*pip, "--require-hashes", "-r", arguments.beside], check=True)
    subprocess.run([*pip, "--no-index", wheel], check=True)
    environment = {**os.environ, "PYTHONPATH": str(arguments.work), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([arguments.python, "-c", USE], check=True, env=environment, cwd=arguments.work)
    train = arguments.work / "polyrhythm" / "_lib" / "train"
    subprocess.run([train, "--version"], check=True, env=environment)


if __name__ == "__main__":
    main()
