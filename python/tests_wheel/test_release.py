"""The files of a release, which `cmake --workflow --preset release` leaves in POLYTEST_WHEELS."""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]["version"]
PYTHON = os.environ.get("POLYTEST_RELEASE")

pytestmark = pytest.mark.skipif(not PYTHON, reason="POLYTEST_RELEASE is not set: the preset release makes the files")


def dist():
    return Path(os.environ["POLYTEST_WHEELS"])


def release(folder, *arguments):
    command = [PYTHON, ROOT / "python" / "wheel" / "release.py", "--dist", folder, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_sums_are_of_all_files():
    sums = dict(line.split("  ")[::-1] for line in (dist() / "SHA256SUMS").read_text().splitlines())
    wheels = {path.name for path in dist().glob(f"polyrhythm-{VERSION}-*.whl")}
    bills = {Path(name).with_suffix(".cdx.json").name for name in wheels}
    assert set(sums) == wheels | bills | {f"polyrhythm-{VERSION}-source.tar.gz", f"polyrhythm-{VERSION}-notes.md"}
    assert wheels
    for name, digest in sums.items():
        assert hashlib.sha256((dist() / name).read_bytes()).hexdigest() == digest, name


def test_bill_has_all_that_the_wheel_contains():
    for wheel in dist().glob(f"polyrhythm-{VERSION}-*.whl"):
        bill = json.loads((dist() / wheel.with_suffix(".cdx.json").name).read_text())
        with zipfile.ZipFile(wheel) as archive:
            folders = {name.split("/")[2] for name in archive.namelist() if name.startswith("polyrhythm/LICENSES/")}
        named = {f"{c['name'].replace('/', '_')}-{c['version']}" for c in bill["components"]}
        assert named | {f"polyrhythm-{VERSION}"} == folders - {"README.md"}
        refs = [c["bom-ref"] for c in bill["components"]]
        assert len(set(refs)) == len(refs) and bill["dependencies"][0]["dependsOn"] == refs
        assert all(c["licenses"] and re.match(r"pkg:\w+/", c["purl"]) for c in bill["components"])
        own = bill["metadata"]["component"]
        assert own["hashes"][0]["content"] == hashlib.sha256(wheel.read_bytes()).hexdigest()
        modules = {c["name"]: c for c in bill["components"]}
        assert {"id": "Apache-2.0"} in [one["license"] for one in modules["mujoco"]["licenses"]]
        assert {"id": "BSD-3-Clause"} in [one["license"] for one in modules["gonum.org/v1/gonum"]["licenses"]]
        assert modules["gonum.org/v1/gonum"]["properties"][0]["value"].startswith("h1:")
        # The pin of each model that is in the wheel, and of every Go module.
        assert all(c.get("properties") for c in bill["components"] if re.match(r"pkg:golang/(?!std)|pkg:pypi/", c["purl"]))


def test_source_is_the_commit():
    text = gzip.decompress((dist() / f"polyrhythm-{VERSION}-source.tar.gz").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(text)) as tar:
        names = {member.name for member in tar if not member.isdir()}
    listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "ls-tree", "-r", "--name-only", "-z", "HEAD"],
        capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert names == {f"polyrhythm-{VERSION}/{name}" for name in listed.split("\0") if name}


def test_notes_are_of_this_version():
    text = (dist() / f"polyrhythm-{VERSION}-notes.md").read_text()
    assert "### " in text and "\n## " not in text
    assert not re.search(r"\]\((?!https://)", text), "a link leads into the repository, which a release is not"


def test_again_is_the_same(tmp_path):
    for wheel in dist().glob(f"polyrhythm-{VERSION}-*.whl"):
        shutil.copyfile(wheel, tmp_path / wheel.name)
    done = release(tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "SHA256SUMS").read_text() == (dist() / "SHA256SUMS").read_text()


def test_refused(tmp_path):
    done = release(tmp_path)
    assert done.returncode == 1 and f"has no wheel of {VERSION}" in done.stderr
    done = release(tmp_path, "--tag", "v0.0.1")
    assert done.returncode == 1 and f"the tag is v0.0.1, want v{VERSION}" in done.stderr
    (tmp_path / f"polyrhythm-{VERSION}-py3-none-any.whl").write_bytes(b"no wheel")
    assert release(tmp_path).returncode == 1
    assert not (tmp_path / "SHA256SUMS").exists()
