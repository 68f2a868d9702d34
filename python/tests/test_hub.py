"""Folders for Hugging Face's Hub: its own package reads our cards, and what its client downloads, links into a folder
of blobs, is opened as the originals are."""

import filecmp
import hashlib
import json
import os
import shutil

import datasets
import polyrhythm
import pytest
from huggingface_hub import DatasetCard, ModelCard
from shared import files, learn, train


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return learn(tmp_path_factory.mktemp("hub") / "run", "HalfCheetah-v5", training={"steps": 1024, "hidden": [8]},
                 **{"recording.clip": False})  # fmt: skip


@pytest.fixture(scope="module")
def walk(run, tmp_path_factory):
    out = tmp_path_factory.mktemp("hub") / "walk"
    train("rollout", "--task", "HalfCheetah-v5", "--policy", run, "--episodes", 30, "--out", out,
          keys={"worlds": 2, "max_steps": 20, "recording.tables": ["capture", "control"]})  # fmt: skip
    return out


def snapshot(folder, cache):
    """The folder as the Hub's client keeps a repository: a file of a revision is a link to its contents."""
    home = cache / "models--you--it"
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            blob = home / "blobs" / hashlib.sha256(data).hexdigest()
            blob.parent.mkdir(parents=True, exist_ok=True)
            blob.write_bytes(data)
            blob.chmod(0o444)
            link = home / "snapshots" / "0f1e2d" / path.relative_to(folder)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(os.path.relpath(blob, link.parent))
    return home / "snapshots" / "0f1e2d"


@pytest.mark.parametrize("to", ["onnx", "policy"])
def test_the_card_of_a_policy(run, tmp_path, to):
    out = tmp_path / f"walk.{to}"
    train("export-policy", run, "--to", to, "--out", out, "--card", "--licence", "bsd-3-clause")
    card = ModelCard.load(tmp_path / "README.md")
    about = json.loads((run / "run.json").read_text())["evaluation"]
    assert (card.data.license, card.data.library_name) == ("bsd-3-clause", "polyrhythm")
    assert {"reinforcement-learning", "HalfCheetah-v5", to} <= set(card.data.tags)
    results = {r.metric_type: (r.task_type, r.dataset_name, r.metric_value) for r in card.data.eval_results}
    assert results["mean_reward"] == ("reinforcement-learning", "HalfCheetah-v5", about["mean_return"])
    assert results["std_reward"][2] == about["std_return"]
    assert out.name in card.text and "seed: 1" in card.text
    refused = train("export-policy", run, "--to", to, "--out", tmp_path / "again", "--card", code=2)
    assert "README.md is there, want a folder without one" in refused.stderr


def test_a_checkpoint_without_a_report_has_no_results(run, tmp_path):
    shutil.copy(run / "latest", tmp_path / "alone.ckpt")
    train("export-policy", tmp_path / "alone.ckpt", "--to", "onnx", "--out", tmp_path / "walk.onnx", "--card")
    card = ModelCard.load(tmp_path / "README.md")
    assert card.data.eval_results is None and card.data.license == "unknown"


@pytest.mark.parametrize("to", ["parquet", "csv", "hf", "lerobot", "mcap", "minari"])
def test_the_card_of_a_dataset(walk, tmp_path, monkeypatch, to):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    out = tmp_path / "walk-v0"
    train("export", walk, "--to", to, "--out", out, "--card", "--licence", "cc-by-4.0")
    card = DatasetCard.load(out / "README.md")
    assert card.data.license == "cc-by-4.0" and "robotics" in card.data.task_categories
    assert card.data.size_categories == ["n<1K" if to in ("lerobot", "minari") else "1K<n<10K"]
    assert ("LeRobot" in card.data.tags) == (to == "lerobot")
    assert "30 episodes of the task `HalfCheetah-v5`" in card.text
    rows = {"capture": 30 * 30, "control": 30 * 20, "episodes": 30}
    configs = {config["config_name"]: config["data_files"] for config in card.data.get("configs") or []}
    if to == "lerobot":
        rows = {"default": 30 * 20}
    elif to in ("mcap", "minari"):
        rows = {}
    assert set(configs) == set(rows)
    for name, want in rows.items():
        loaded = datasets.load_dataset(str(out), name, split="train", cache_dir=str(tmp_path / "cache"))
        assert loaded.num_rows == want


def test_policies_of_the_hub(run, tmp_path):
    there = snapshot(run, tmp_path)
    assert (there / "latest").is_symlink()
    assert train("eval", there, "--episodes", 2).stdout == train("eval", run, "--episodes", 2).stdout
    assert polyrhythm.Policy.load(there).env_steps == 1024
    for folder, name in ((run, "a.onnx"), (there, "b.onnx")):
        train("export-policy", folder, "--to", "onnx", "--out", tmp_path / name)
    assert filecmp.cmp(tmp_path / "a.onnx", tmp_path / "b.onnx", shallow=False)


def test_datasets_of_the_hub(run, walk, tmp_path):
    there = snapshot(walk, tmp_path)
    assert "FAILED" not in train("inspect", there).stdout
    for folder, name in ((walk, "a"), (there, "b")):
        train("export", folder, "--to", "lerobot", "--out", tmp_path / name)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    frames = snapshot(tmp_path / "a", tmp_path / "frames")
    few = {"training": {"steps": 512, "hidden": [8]}, "recording.clip": False, "evaluation.episodes": 1}
    for source in (walk, there, frames):
        config = [] if source != frames else ["--task", "HalfCheetah-v5"]
        train("clone", source, *config, "--out", tmp_path / f"clone{len(os.listdir(tmp_path))}", keys=few)
    assert train("regenerate", there, "--out", tmp_path / "again").stdout.startswith("identical, 30 episodes")
    assert not [path for path in (tmp_path / "models--you--it").rglob("*") if path.name.endswith(".part")]
