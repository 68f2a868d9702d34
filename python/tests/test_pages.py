"""The pages keep what they promise: their links lead somewhere, and their blocks run and print what they show.

How a page says what is done with a block stands in CONTRIBUTING.md.
"""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pages
import pytest
from pages import PageError
from shared import ROOT, TRAIN, slow

DOCS = ROOT / "docs"
ALL = sorted(DOCS.rglob("*.md"))
TAUGHT = [path for path in ALL if path.relative_to(DOCS).parts[0] in ("start", "tutorials", "how-to")]
RUN = [*TAUGHT, ROOT / "README.md"]
OUTSIDE = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
           ROOT / "third_party" / "README.md"]  # fmt: skip
MOST_WORDS = 1500
DEADLINE = 300.0  # of a block in seconds, which only ends what hangs; a program in Go may be compiled first
MARK = "\x1e"  # between the outputs of commands


def name(path):
    return str(path.relative_to(ROOT))


def read(path):
    """A page, of which a mistake is one line of the report."""
    try:
        return pages.read(path, name(path))
    except PageError as error:
        wrong = str(error)
    pytest.fail(wrong, pytrace=False)


@pytest.mark.parametrize("path", RUN, ids=name)
def test_page_is_read(path):
    page = read(path)
    assert page.words <= MOST_WORDS or path not in TAUGHT, f"{name(path)} has {page.words} words, want {MOST_WORDS}"


@pytest.mark.parametrize("path", [*ALL, *OUTSIDE], ids=name)
def test_links(path):
    wrong = []
    for link in pages.links(path.read_text()):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        if link.startswith("/"):
            wrong.append(f"{link} is absolute, want it relative to the page")
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists() or not target.is_relative_to(ROOT):
            wrong.append(f"{link}: there is no {os.path.relpath(target, ROOT)}")
        elif path.name == "CHANGELOG.md":  # it tells of the past
            continue
        elif parts.fragment and target.suffix == ".md":
            if parts.fragment not in pages.anchors(target.read_text()):
                wrong.append(f"{link}: {name(target)} has no heading #{parts.fragment}")
    if wrong:
        pytest.fail(f"{name(path)} has links that lead nowhere:\n" + "\n".join(wrong), pytrace=False)


# Comments, errors and help name pages, too.
def test_pages_that_code_names():
    wrong = []
    fetched = {"build", "dist", "runs", "mujoco", "gymnasium", "robots", "_lib", "node_modules", "__pycache__", ".git"}
    written = {".go", ".py", ".c", ".cc", ".h", ".yaml", ".yml", ".cmake", ".toml", ".proto", ".js", ".html", ".in"}
    for parent, folders, files in os.walk(ROOT):
        if Path(parent) in (ROOT, ROOT / "third_party", ROOT / "python", ROOT / "python" / "polyrhythm"):
            folders[:] = [folder for folder in folders if folder not in fetched]
        for path in (Path(parent, file) for file in files):
            if path.suffix not in written or path == Path(__file__):
                continue
            for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
                for found in re.findall(r"(?<![\w/])docs/[\w/-]+\.md\b", line):
                    if not (ROOT / found).exists():
                        wrong.append(f"{name(path)}:{number} names {found}, which does not exist")
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


# Readers find each page from README within two links: README, docs/index.md, page.
def test_pages_are_reached():
    far, at = {ROOT / "README.md"}, {ROOT / "README.md"}
    for _ in range(2):
        at = {
            (path.parent / unquote(urlsplit(link).path)).resolve()
            for path in at
            for link in pages.links(path.read_text())
            if urlsplit(link).path.endswith(".md") and not urlsplit(link).scheme
        }
        at = {path for path in at if path.exists()}
        far |= at
    lost = [name(path) for path in ALL if path not in far and path.parent != DOCS]
    assert DOCS / "index.md" in far and not lost, f"README leads to these pages by more than two links: {lost}"


@slow
@pytest.mark.parametrize("path", RUN, ids=name)
def test_blocks(path, tmp_path):
    run(read(path), tmp_path)


def run(page, tmp_path):
    here = Folder(tmp_path / "page", tmp_path)
    try:
        for block in page.blocks:
            here.run(block)
        for block in page.blocks if page.twice else []:
            if block.language == "python":
                here.run(block)
    finally:
        wrong = here.close()
    assert not wrong, wrong


GOOD = """<!-- test: twice -->
# A page

<!-- test: run mkdir runs && echo "$POLYRHYTHM_MODULE" > runs/'the module' -->
<!-- test: POLYRHYTHM_WORLDS=3 -->
```sh
test "$POLYRHYTHM_WORLDS" = 3 && test -e "$(cat 'runs/the module')/go.mod" && pwd > runs/here
```

```text title="folder/words.txt"
one
```

- In a list:

  ```console
  $ cat folder/words.txt
  one
  $ printf 'a\\nb\\nc 12 s\\n' \\
      && echo "d
  e"
  a
  …
  c … s
  d
  e
  ```

<!-- test: exit 3 -->
<!-- test: any output -->
```console
$ cat folder/words.txt
$ exit 3
```

<!-- test: background -->
```sh
trap 'echo interrupted > ../interrupted; exit' INT
while true; do sleep 0.1; done
```

```python
import os
runs = globals().get("runs", 0) + 1
```

```python
print("run", runs), os.system("echo below")
```

```text
run …
below
```

<!-- test: skip it needs a cluster -->
```sh
sbatch job.sh
```
"""


def test_good_page(tmp_path):
    (tmp_path / "page.md").write_text(GOOD)
    page = pages.read(tmp_path / "page.md", "page.md")
    assert page.words == 7 and page.twice and len(page.blocks) == 9
    run(page, tmp_path)
    assert (tmp_path / "interrupted").exists() and not (tmp_path / "page" / "interrupted").exists()


BEHIND = """<!-- test: background -->
```sh
trap 'echo interrupted > end; exit' INT
echo > ready
while true; do sleep 0.1; done
```

```sh
until test -e ready; do sleep 0.1; done
test ! -e end
```

<!-- test: interrupt -->
```sh
test -e end
```
"""


def test_interrupt(tmp_path):
    (tmp_path / "page.md").write_text(BEHIND)
    run(pages.read(tmp_path / "page.md", "page.md"), tmp_path)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("<!-- test: slip -->\n```sh\n```", "page.md:1: the comment says 'slip'"),
        ("<!-- test: skip -->\n```sh\n```", "page.md:1: the comment says 'skip'"),
        ("<!-- test: run -->\n```sh\n```", "page.md:1: the comment says 'run'"),
        ("<!-- test: run false -->\n```sh\n```", r"page.md:2\n    false\n.*exit code 0\ngot:\n    1"),
        ("<!-- test: exit 2 -->\n\nA text.", "stands before a paragraph_open"),
        ("<!-- test: exit 2 -->\n```json\n```", "page.md:2: a comment .* before a block that is not run"),
        ("```\n```", "page.md:1: the language is ''"),
        ("```rust\n```", "page.md:1: the language is 'rust'"),
        ('```yaml title="../x"\n```', "page.md:1: the title is '../x'"),
        ("\n```console\na\n```", "page.md:3: 'a' stands above the first command"),
        ("\n```sh\nfalse\ntrue\n```", r"page.md:2\n.*exit code 0\ngot:\n    1"),
        ("```console\n$ true\n$ echo a\nb\n```", r"page.md:3: \$ echo a\n.*wanted:\n    b\n\ngot:\n    a"),
        ("```python\n1 / 0\n```", r"page.md:1\n.*line 2.*ZeroDivisionError"),
        ("```python\nprint(1)\n```\n```text\n2\n```", r"page.md:1\n.*wanted:\n    2\n\ngot:\n    1"),
        ("<!-- test: background -->\n```sh\nexit 1\n```\n```sh\nsleep 0.5\n```", "page.md:2: .* ended with 1"),
    ],
)
def test_bad_page(tmp_path, text, want):
    (tmp_path / "page.md").write_text(text)
    with pytest.raises((PageError, AssertionError, pytest.fail.Exception), match=f"(?s){want}"):
        run(pages.read(tmp_path / "page.md", "page.md"), tmp_path)


# What runs the cells of Python: it reads names of files, and runs each as a part of one program.
CELLS = f"""
import json, os, sys, traceback
names = {{"__name__": "__main__"}}
for line in os.fdopen(int(sys.argv[1])):
    file, page, before, variables = json.loads(line)
    kept = dict(os.environ)
    os.environ.update(variables)
    failed = 0
    try:
        with open(file) as source:
            exec(compile("\\n" * before + source.read(), page, "exec"), names)
    except BaseException:
        traceback.print_exc()
        failed = 1
    os.environ.clear()
    os.environ.update(kept)
    sys.stderr.flush()
    print(f"{MARK}{{failed}}", flush=True)
"""


class Folder:
    """An empty folder, in which the blocks of one page run one after the other."""

    def __init__(self, folder, scratch):
        folder.mkdir()
        self.folder, self.scratch = folder, scratch
        ours = ("POLYRHYTHM_", "POLYTEST_", "DISPLAY")
        self.environ = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        path = [Path(TRAIN).resolve().parent, Path(sys.executable).parent, os.environ["PATH"]]
        self.environ |= {"PATH": os.pathsep.join(map(str, path)), "PYTHONPATH": str(ROOT / "python"), "TERM": "dumb"}
        self.environ |= {"GOENV": str(scratch / "goenv"), "GOWORK": "off", "XDG_CONFIG_HOME": str(scratch / "config")}
        self.behind = []  # blocks that run in the background, with their processes and outputs
        self.cells = None

    def run(self, block):
        if block.said.interrupt:
            wrong = self.end_behind()
            expect(not wrong, block, "an end of the blocks in the background", wrong)
        for command in block.said.before:
            self.run_sh(replace(block, text=command, said=pages.Said()))
        if block.title:
            file = self.folder / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
        elif block.said.skip or block.language not in pages.RUN:
            pass
        elif block.said.background:
            self.start_behind(block)
        else:
            {"sh": self.run_sh, "console": self.run_console, "python": self.run_python}[block.language](block)

    def around(self, block):
        """The variables of a block. The programs refuse those that are no key, so only who needs the module has it."""
        environ = {**self.environ, **block.said.variables}
        if "POLYRHYTHM_MODULE" in block.text:
            environ["POLYRHYTHM_MODULE"] = str(ROOT)
        return environ

    def start(self, arguments, block, stdout=subprocess.PIPE, **more):
        more |= {"stdin": subprocess.DEVNULL, "stdout": stdout, "stderr": subprocess.STDOUT, "start_new_session": True}
        return subprocess.Popen(arguments, cwd=self.folder, env=self.around(block), **more)

    def run_sh(self, block):
        process = self.start(["bash", "-e", "-c", block.text], block)
        said, _ = self.read(process, block, 0)
        want = block.said.code
        expect(process.returncode == want, block, f"exit code {want}", process.returncode, said)

    def run_console(self, block):
        commands = split(block)
        steps = [f"{command}\nstatus=$?; printf '{MARK}%d\\n' $status; [ $status = 0 ] || exit $status\n"
                 for _, command, _ in commands]  # fmt: skip
        process = self.start(["bash", "-c", "".join(steps)], block)
        rest, _ = self.read(process, block, 0)
        for i, (line, command, wanted) in enumerate(commands):
            said, mark, rest = rest.partition(MARK)
            code, _, rest = rest.partition("\n")
            at = f"{block.page}:{line}: $ {command}"
            code = int(code) if mark else process.returncode
            want = block.said.code if i == len(commands) - 1 else 0
            expect(code == want, block, f"exit code {want}", code, said, at)
            if not block.said.any_output:
                expect(alike(wanted, said), block, wanted, said, at=at)

    def run_python(self, block):
        if self.cells is None:
            reading, writing = os.pipe()
            self.cells = self.start(["python", "-c", CELLS, str(reading)], block, pass_fds=[reading])
            os.close(reading)
            self.cells_say = os.fdopen(writing, "w")
        file = self.scratch / f"cell-{block.line}.py"
        file.write_text(block.text)
        self.cells_say.write(json.dumps([str(file), block.page, block.line, block.said.variables]) + "\n")
        self.cells_say.flush()
        said, code = self.read(self.cells, block, 1)
        expect(code == "0", block, "no error", f"exit code {self.cells.poll()}" if code is None else "an error", said)
        if block.wanted is not None and not block.said.any_output:
            expect(alike(block.wanted, said), block, block.wanted, said)

    def read(self, process, block, marks):
        """What a process says up to its end or a mark, and what follows the mark. One that hangs is ended."""
        said, end = b"", time.monotonic() + DEADLINE
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, end - time.monotonic())):
                    os.killpg(process.pid, signal.SIGQUIT)  # of which Go prints its stacks
                    time.sleep(1)
                    os.killpg(process.pid, signal.SIGKILL)
                    expect(False, block, f"an end within {DEADLINE:.0f} s", "none", said.decode(errors="replace"))
                some = os.read(process.stdout.fileno(), 1 << 16)
                said += some
                if not some:
                    process.wait(DEADLINE)
                    return said.decode(errors="replace"), None
                text, mark, code = said.decode(errors="replace").partition(MARK)
                if marks and mark and code.endswith("\n"):
                    return text, code.strip()

    def start_behind(self, block):
        expect(block.language == "sh" or block.language == "console", block, "a block of sh or console", block.language)
        text = block.text if block.language == "sh" else "\n".join(command for _, command, _ in split(block))
        out = open(self.scratch / f"behind-{block.line}", "w+")  # noqa: SIM115
        process = self.start(["bash", "-e", "-c", text], block, stdout=out)
        self.behind.append((block, process, out))

    def close(self):
        """End all that still runs, and say what of it had failed."""
        wrong = ""
        if self.cells is not None:
            self.cells_say.close()
            try:
                self.cells.communicate(timeout=DEADLINE)
            except subprocess.TimeoutExpired:
                wrong += "the interpreter of the page does not end\n"
                os.killpg(self.cells.pid, signal.SIGKILL)
                self.cells.wait()
        return wrong + self.end_behind()

    def end_behind(self):
        """End the blocks in the background, and say what of them had failed."""
        wrong = ""
        while self.behind:
            block, process, out = self.behind.pop()
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)  # what is wrong with a command shows at once
            code = process.poll()
            if code is None:
                os.killpg(process.pid, signal.SIGINT)
                try:
                    process.wait(DEADLINE)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    code = "none within the deadline after SIGINT"
            out.seek(0)
            if code not in (None, block.said.code):
                wrong += f"{block.where}: the block in the background ended with {code}:\n{out.read()}"
            out.close()
        return wrong


def split(block):
    """The commands of a block console: their lines in the page, themselves, and what is shown below each."""
    commands = []
    for i, line in enumerate(block.text.split("\n")[:-1]):
        if line.startswith("$ "):
            commands.append([block.line + 1 + i, line[2:], ""])
        elif not commands:
            raise PageError(f"{block.page}:{block.line + 1 + i}: {line!r} stands above the first command, `$ …`")
        elif not commands[-1][2] and not complete(commands[-1][1]):
            commands[-1][1] += "\n" + line.removeprefix("> ")
        else:
            commands[-1][2] += line + "\n"
    return commands


def complete(command):
    """Whether a shell would run a command, rather than read another line of it."""
    done = subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False)
    return not done.stderr and not command.endswith("\\")


def alike(wanted, got):
    """Whether an output is the one that is shown, in which … stands for anything, alone for any lines."""
    lines = [line.rstrip() for line in got.strip("\n").split("\n")]
    pattern = ""
    for line in wanted.strip("\n").split("\n"):
        line = line.rstrip()
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:  # numbers stand in columns: what … stands for may be longer than it is shown
            pattern += ".*".join(map(re.escape, re.split(" *… *", line))) + r"\n"
    return re.fullmatch(pattern, "\n".join(lines) + "\n") is not None


def expect(right, block, wanted, got, said=None, at=None):
    """Fail with the block, what was wanted and what came, unless that is right."""
    if right:
        return

    def show(text):
        text = str(text)
        return textwrap.indent(text if len(text) < 6000 else f"{text[:3000]}\n[…]\n{text[-3000:]}", "    ")

    message = f"{at or block.where}\n{show(block.text)}\nwanted:\n{show(wanted)}\ngot:\n{show(got)}"
    if said is not None:
        message += f"\nit said:\n{show(said)}"
    pytest.fail(message, pytrace=False)
