"""A whole training in the process of Python: the bytes of `train run`, and a callback for each iteration."""

import csv
import json

import polyrhythm
import pytest
from shared import CONFIG, KEYS, files, same_run, train

SAC = {
    **KEYS,
    "training": {
        "algorithm": "sac", "steps": 6 * 16 * 4, "tensorboard": False,
        "sac": {"segment": 16, "replay": 384, "random_steps": 96, "minibatch": 16, "update_ratio": 0.05, "hidden": [8]},
    },
}  # fmt: skip


@pytest.fixture(scope="module", params=[KEYS, SAC], ids=["ppo", "sac"])
def whole(request, tmp_path_factory):
    """The run folder of `train run`, and its settings."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    train("run", "--config", CONFIG, "--out", folder, keys=request.param)
    return folder, request.param


def rows(folder):
    """The lines of metrics.csv."""
    with open(folder / "metrics.csv", newline="") as file:
        return [{name: float(cell) if cell else None for name, cell in row.items()} for row in csv.DictReader(file)]


def test_a_training_has_the_bytes_of_train_run(tmp_path, whole, capsys):
    folder, keys = whole
    told = []
    report = polyrhythm.train(config=CONFIG, out=tmp_path / "run", overrides=keys, on_metrics=told.append)
    assert report["status"] == "done" and told == rows(folder)
    assert files(tmp_path / "run") == files(folder) and same_run(tmp_path / "run", folder)
    assert json.loads((folder / "run.json").read_text())["digests"] == report["digests"]
    out, _ = capsys.readouterr()
    assert out.startswith("HalfCheetah-v5: 384 environment steps in ")
    assert out.endswith(f"all files are in {tmp_path / 'run'}\n")


class Stop(Exception):
    pass


@pytest.mark.parametrize("last", [1, 2, 3, None])
def test_what_a_callback_raises_stops_the_training_which_goes_on(tmp_path, whole, last, capsys):
    folder, keys = whole
    told, iterations = [], rows(folder)
    last = last or len(iterations)

    def stop(metrics):
        told.append(metrics)
        if metrics["iteration"] == last:
            raise Stop("enough")

    out = tmp_path / "run"
    with pytest.raises(Stop, match="enough"):
        polyrhythm.train(config=CONFIG, out=out, overrides=keys, progress=False, on_metrics=stop)
    report = json.loads((out / "run.json").read_text())
    assert (report["status"], report["env_steps"]) == ("interrupted", told[-1]["env_steps"])
    assert rows(out) == told == iterations[:last]
    assert polyrhythm.Policy.load(out).env_steps == report["env_steps"]
    report = polyrhythm.train(out=out, resume=True, progress=False, on_metrics=told.append)
    assert report["status"] == "done" and told == iterations
    assert same_run(out, folder)
    assert capsys.readouterr() == ("", "")


def test_a_training_ends_early(tmp_path, capsys):
    stop, told = {"metric": "mean_length", "value": 0, "consecutive": 2}, []
    keys = {**KEYS, "training": {**KEYS["training"], "stop": stop}}
    report = polyrhythm.train(config=CONFIG, out=tmp_path / "run", overrides=keys, on_metrics=told.append)
    reached = [metrics["mean_length"] for metrics in told if metrics["mean_length"] is not None]
    assert report["status"] == "done" and len(reached) == 2
    assert report["stopped"] == {"metric": "mean_length", "value": reached[1], "consecutive": 2}
    line = "  stopped by training.stop: mean_length was 20, and had reached its value 2 times in a row\n"
    assert line in capsys.readouterr().out


def test_an_algorithm_chooses_the_preset(tmp_path):
    short = {
        **KEYS, "worlds": 4, "evaluation.episodes": 1, "training.steps": 64, "training.sac.random_steps": 32,
        "training.sac.hidden": [8],
    }  # fmt: skip
    train("run", "--task", "Hopper-v5", "--algorithm", "sac", "--out", tmp_path / "run", keys=short)
    polyrhythm.train("Hopper-v5", algorithm="sac", out=tmp_path / "again", overrides=short, progress=False)
    assert "algorithm: sac" in (tmp_path / "again" / "config.yaml").read_text()
    same_run(tmp_path / "again", tmp_path / "run")
    with pytest.raises(ValueError, match=r"no preset of Hopper-v5 for the algorithm \"sca\"; did you mean sac\?"):
        polyrhythm.train("Hopper-v5", algorithm="sca", out=tmp_path / "none")
    with pytest.raises(TypeError, match="algorithm is 'sac' without a task"):
        polyrhythm.train(config=CONFIG, algorithm="sac", out=tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_what_cannot_begin_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"training\.stepz"):
        polyrhythm.train(config=CONFIG, out=tmp_path / "run", overrides={"training.stepz": 1})
    with pytest.raises(TypeError, match="0 of task, config and text are given; want one of them"):
        polyrhythm.train(out=tmp_path / "run")
    with pytest.raises(polyrhythm.NotFound, match=r"has no resume\.state"):
        polyrhythm.train(out=tmp_path, resume=True)
    with pytest.raises(ValueError, match="there is no dataset, want train clone DATASET"):
        polyrhythm.train(config=CONFIG, out=tmp_path / "run", overrides={"training.algorithm": "clone"})
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is not empty"):
        polyrhythm.train(config=CONFIG, out=tmp_path, overrides=KEYS)
    assert files(tmp_path) == ["file"]
