"""The script that writes docs/evidence/results.md."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from argparse import Namespace

import pytest
from polyrhythm import cluster
from shared import ROOT, TRAIN

SCRIPT = [sys.executable, ROOT / "python" / "benchmarks" / "results.py"]


def write(page, out):
    subprocess.run([*SCRIPT, "--table", "--page", page, "--out", out], check=True)
    return page.read_text().splitlines()


def test_lines_without_runs_stay(tmp_path):
    page, out = tmp_path / "evidence" / "results.md", tmp_path / "runs"
    page.parent.mkdir()
    shutil.copyfile(ROOT / "docs" / "evidence" / "results.md", page)
    before = page.read_text().splitlines()
    assert write(page, out) == before

    def reports(kernel, *returns):
        for seed, value in enumerate(returns, 301):
            folder = out / "hopper-1m" / kernel / f"seed-{seed}"
            folder.mkdir(parents=True)
            report = {"status": "done", "seed": seed, "openblas_kernel": kernel, "wall_s": 60}
            report["evaluation"] = {"mean_return": value}
            report |= {"versions": {"go": "go1"}, "digests": {"checkpoint": "ab", "iterations": 9, "metrics": ["cd"]}}
            (folder / "run.json").write_text(json.dumps(report))

    reports("Haswell", 900, 1000, 1100, 1200, 4000)
    (out / "hopper-1m" / "Haswell" / "seed-305" / "run.json").write_text('{"status": "interrupted"}')
    (out / "hopper-1m" / "Haswell" / "seeds.png").write_bytes(b"curves")

    assert write(page, out) == before, "four runs are too few"
    reports("SkylakeX", 2000)
    after = write(page, out)
    assert [new[:9] for old, new in zip(before, after, strict=True) if old != new] == ["| [hopper"]
    (line,) = (line for line in after if line.startswith("| [hopper"))
    assert "**1,240** ± 392.9 | 1,100 | 900.0 / 1,000 / 1,100 / 2,000 | no | 301 to 304, unseen" in line
    assert "Haswell 1,050 (4), SkylakeX 2,000 (1) | 1.0 |" in line
    (name, result), = json.loads(page.with_suffix(".json").read_text()).items()
    assert name == "hopper-1m" and (page.parent / result["configuration"]).samefile(ROOT / "configs" / "hopper.yaml")
    assert [(run["openblas_kernel"], run["seed"]) for run in result["runs"]] == [
        *(("Haswell", seed) for seed in range(301, 305)), ("SkylakeX", 301),
    ]  # fmt: skip
    assert result["runs"][0]["digests"]["metrics"] == ["cd"] and "training.steps=1000000" in result["set"]
    write(page, tmp_path / "nothing")
    assert json.loads(page.with_suffix(".json").read_text())[name] == result, "without runs it stays"
    assert (tmp_path / "images" / "results" / "hopper-1m.png").read_bytes() == b"curves"


@pytest.mark.parametrize("text", [None, "no table"])
def test_a_page_that_cannot_be_written(tmp_path, text):
    page = tmp_path / "page.md"
    if text:
        page.write_text(text)
    done = subprocess.run([*SCRIPT, "--table", "--page", page], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"--page is {page}, want a page with the line <!-- results.py")


@pytest.mark.parametrize(("program", "code", "says"), [
    # It may outlive the script, whose error would then not end while a child holds it open.
    ("exec 1>&- 2>&-; touch begun; exec sleep 60", 130, "results.py: interrupted"),
    ("touch begun; exit 3", 1, "ended with 3"),
    (None, 1, "No such file or directory"),
])  # fmt: skip
def test_what_stops_a_run_is_one_line(tmp_path, program, code, says):
    train, page = tmp_path / "train", tmp_path / "results.md"
    shutil.copyfile(ROOT / "docs" / "evidence" / "results.md", page)
    if program:
        train.write_text(f"#!/bin/sh\ncd {tmp_path}; {program}\n")
        train.chmod(0o755)
    run = subprocess.Popen(
        [*SCRIPT, "--only", "hopper", "--train", train, "--page", page, "--out", tmp_path / "runs"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )  # fmt: skip
    while program and run.poll() is None and not (tmp_path / "begun").exists():
        time.sleep(0.01)
    if code == 130:
        run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=600)
    assert run.returncode == code and said.count("\n") == 1 and says in said, said


def test_a_line_is_verified(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(SCRIPT[1].parent)
    import results

    small = ("worlds=4", "training.segment=32", "training.hidden=[8]", "max_steps=50", "evaluation.every=1024")
    result = results.Result("invertedpendulum", 4096, 0, "-", episodes=2, sets=small, seeds=2)
    monkeypatch.setattr(results, "RESULTS", [result])
    kernel = cluster.facts()["OpenBLAS kernel"]
    out, page = tmp_path / "runs", tmp_path / "evidence" / "results.md"
    page.parent.mkdir()
    page.write_text(results.BEGIN + results.END)
    results.train(Namespace(out=out, train=TRAIN, workers=2, seeds=0), result, kernel)
    results.write_page(page, out)
    assert f"| 301 to 302, unseen | {kernel} " in page.read_text()

    def verify(seed, file=page.with_suffix(".json")):
        command = [TRAIN, "verify", file, "--result", result.name, "--seed", str(seed)]
        environment = os.environ | {"OPENBLAS_CORETYPE": kernel}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200, check=False)

    for seed in (301, 302):
        done = verify(seed)
        assert done.returncode == 0 and done.stdout.startswith("identical, 4096 environment steps"), done.stderr
    assert "has no run of invertedpendulum-0.004096m with the seed 303" in verify(303).stderr
    other = json.loads(page.with_suffix(".json").read_text())
    other[result.name]["set"].append("training.gamma=0.9")
    (page.parent / "other.json").write_text(json.dumps(other))
    done = verify(301, page.parent / "other.json")
    assert done.returncode == 1 and "metrics.csv differs first in iterations" in done.stderr, done.stderr
