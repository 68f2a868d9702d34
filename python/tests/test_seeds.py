"""What tests, examples and pages draw begins with a seed: who runs them again sees the same."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from shared import ROOT

FOLDERS = ["python", "internal/tests"]
OTHERS = {"node_modules", "build", "_lib"}  # what is made or fetched
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING"))]
GENERATORS = {"default_rng", "RandomState", "SeedSequence", "PCG64", "Philox", "Random"}  # begin with their argument
DRAWN = re.compile(r"\w_space\.sample\(|\brandom\.(?!seed|default_rng|Random|Generator)[a-z]\w*\(")


def scopes(tree: ast.AST) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
    """Each module and outermost function, with all that is in it."""
    functions = [node for node in ast.iter_child_nodes(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    yield tree, [node for part in ast.iter_child_nodes(tree) if part not in functions for node in ast.walk(part)]
    for function in functions:
        if isinstance(function, ast.ClassDef):
            yield from scopes(function)
        else:
            yield function, list(ast.walk(function))


def calls(nodes: list[ast.AST]) -> Iterator[tuple[str, str, ast.Call]]:
    """Calls of methods: of what, its name, the call."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield ast.unparse(node.func.value), node.func.attr, node


def unseeded(text: str) -> list[str]:
    """The lines of a program that draw without a seed: "12: env.action_space.sample()"."""
    tree, found = ast.parse(text), []
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree) if isinstance(node, ast.Import)
        for alias in node.names if alias.name in ("random", "numpy.random")
    } | {"np.random", "numpy.random"}  # fmt: skip
    seeded_modules = {of for of, name, call in calls(list(ast.walk(tree))) if name == "seed" and call.args}
    for _, nodes in scopes(tree):
        seeded = {of for of, name, call in calls(nodes) if name == "seed" and call.args}
        for of, name, call in calls(nodes):
            line = f"{call.lineno}: {ast.unparse(call)}"
            if name == "sample" and of.endswith("_space"):
                if of not in seeded:
                    found.append(line)
            elif name in GENERATORS and (of in modules or of == "random"):
                if not call.args and not call.keywords:
                    found.append(line)
            elif of in modules and name not in ("seed", "Generator", "SystemRandom") and of not in seeded_modules:
                found.append(line)
        for node in nodes:  # programs of other processes
            texts = ([node.value] if isinstance(node, ast.Constant)
                else [ast.unparse(node)] if isinstance(node, ast.JoinedStr) else [])  # fmt: skip
            found += [f"{node.lineno}: {drawn[0]}" for one in texts if isinstance(one, str) and "import" in one
                and (drawn := DRAWN.search(one)) and ".seed(" not in one and "default_rng(" not in one]  # fmt: skip
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_programs_draw_by_seeds(folder):
    files = [path for path in sorted((ROOT / folder).rglob("*.py")) 
        if not OTHERS & set(path.relative_to(ROOT).parts) and path.name != Path(__file__).name]
    assert files
    found = {str(path.relative_to(ROOT)): lines for path in files if (lines := unseeded(path.read_text()))}
    assert not found, f"want X.action_space.seed(N) before a sample of X, and an argument for a generator: {found}"


def test_pages_draw_by_seeds():
    found = {}
    for path in PAGES:
        blocks = re.findall(r"^```python[^\n]*\n(.*?)^```", path.read_text(), re.M | re.S)
        if any("_space.sample(" in block for block in blocks) and (lines := unseeded("\n".join(blocks))):
            found[path.name] = lines
    assert not found, f"want X.action_space.seed(N) before a sample of X: {found}"


@pytest.mark.parametrize(("program", "wrong"), [
    ("env.step(env.action_space.sample())", 1),
    ("env.action_space.seed()\nenv.step(env.action_space.sample())", 1),
    ("env.action_space.seed(1)\nother.step(other.action_space.sample())", 1),
    ("env.action_space.seed(1)\ndef f(env): env.step(env.action_space.sample())", 1),
    ("def f(env):\n  env.action_space.seed(1)\n  def g(): env.step(env.action_space.sample())", 0),
    ("env.action_space.seed(1)\nenv.step(env.action_space.sample())", 0),
    ("import random\nrandom.random()", 1),
    ("import random\nrandom.seed(1)\nrandom.random()", 0),
    ("import random\nr = random.Random()", 1),
    ("import random\nr = random.Random(1)\nr.random()", 0),
    ("r = np.random.default_rng()", 1),
    ("r = np.random.default_rng(1)\nr.uniform()", 0),
    ("np.random.uniform()", 1),
    ("run('import x; e.step(e.action_space.sample())')", 1),
    ("run('import x; e.action_space.seed(1); e.step(e.action_space.sample())')", 0),
])  # fmt: skip
def test_the_check_sees_what_is_unseeded(program, wrong):
    assert len(unseeded(program)) == wrong
