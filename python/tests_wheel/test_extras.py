"""Each extra of the wheel, installed alone into an empty environment, brings what its part of the package imports."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CONSTRAINTS = ROOT / "third_party" / "python" / "extras.txt"
HEAVY = {"sb3"}  # gigabytes, for torch: by the preset peers alone

EXTRAS = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"all"}))
def test_alone(extra, tmp_path):
    if extra in HEAVY and "POLYTEST_HEAVY" not in os.environ:
        pytest.skip("POLYTEST_HEAVY is not set: the preset peers installs what takes gigabytes")
    (wheel,) = Path(os.environ["POLYTEST_WHEELS"]).glob(f"polyrhythm-*_{os.uname().machine}.whl")
    venv, work = tmp_path / "venv", tmp_path / "work"
    work.mkdir()
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, timeout=1200)
    subprocess.run([venv / "bin" / "python", "-m", "pip", "--quiet", "install", "--only-binary=:all:", "--constraint",
        CONSTRAINTS, f"{wheel}[{extra}]"], check=True, timeout=2400)  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    # Ray's clusters are of this machine alone, and leave no token in the home folder.
    environment |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    environment |= {"RAY_worker_niceness": "0", "RAY_worker_register_timeout_seconds": "300"}
    environment["PATH"] = f"{venv / 'bin'}:{environment['PATH']}"
    done = subprocess.run([venv / "bin" / "python", HERE / "extras.py", extra], cwd=work, env=environment, timeout=1200,
        capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
