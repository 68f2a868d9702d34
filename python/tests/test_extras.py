"""Packages that a user may not have are named with the extra that brings them."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((PYTHON / "pyproject.toml").read_text())["project"]
EXTRAS = {name: {re.split(r"[^\w-]", one)[0] for one in packages}
    for name, packages in PROJECT["optional-dependencies"].items()}  # fmt: skip
ALWAYS = {re.split(r"[^\w-]", one)[0] for one in PROJECT["dependencies"]}
PACKAGES = {"PIL": "pillow", "google": "protobuf", "grpc": "grpcio", "stable_baselines3": "stable-baselines3"}


def imports(tree):
    """The packages that statements import, each with the extra of the `with extra(…)` around it; None without one."""
    found = []

    def visit(node, extra):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            return
        if isinstance(node, ast.With):
            calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
            extra = next((c.args[0].value for c in calls if getattr(c.func, "id", "") == "extra"), extra)
        if isinstance(node, ast.Import):
            found.extend((alias.name.split(".")[0], extra) for alias in node.names)
        if isinstance(node, ast.ImportFrom) and not node.level:
            found.append((node.module.split(".")[0], extra))
        for child in ast.iter_child_nodes(node):
            visit(child, extra)

    visit(tree, None)
    return found


@pytest.mark.parametrize("file", sorted((PYTHON / "polyrhythm").glob("*.py")), ids=lambda file: file.name)
def test_whatever_is_imported_is_brought(file):
    for module, extra in imports(ast.parse(file.read_text())):
        if module in sys.stdlib_module_names or module == "polyrhythm":
            continue
        package = PACKAGES.get(module, module)
        assert package in (EXTRAS[extra] if extra else ALWAYS), f"{file.name}: {module} of extra {extra}"


def test_all_has_every_extra():
    (whole,) = PROJECT["optional-dependencies"]["all"]
    named = set(re.fullmatch(r"polyrhythm\[(.*)\]", whole)[1].split(","))
    assert named == set(EXTRAS) - {"all"}


WITHOUT = """
import sys

names = sys.argv[1].split(",")

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""

USES = {
    "live": ("grpc,google", "import polyrhythm.live"),
    "ray": ("ray", "import polyrhythm.ray"),
    "sb3": ("stable_baselines3", "import polyrhythm.sb3"),
    "datasets": ("pyarrow", "import polyrhythm.dataset; polyrhythm.dataset.observations('nothing')"),
    "minari": ("minari", "from polyrhythm import minari; sys.argv[1:] = ['x', '--out', 'y']; sys.exit(minari.main())"),
}


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"all"}))
def test_a_missing_package_is_named_with_its_extra(extra):
    modules, use = USES[extra]
    done = subprocess.run([sys.executable, "-c", WITHOUT + use, modules], capture_output=True, text=True, timeout=300,
        check=False)
    assert done.returncode in (1, 2)
    last = done.stderr.strip().split("\n")[-1]
    assert f"pip install 'polyrhythm[{extra}]'" in last, done.stderr
    assert modules.split(",")[0] in last
