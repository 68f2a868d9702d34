"""Training in parts: the bytes of `train run`, for any slices and with lost collectors."""

import gc
import json

import polyrhythm
import pytest
from polyrhythm.parts import Collector, Learner, assignments, identify
from shared import CONFIG, KEYS, ROLLOUT, same_run, same_tree, train


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run folder of one process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    train("run", "--config", CONFIG, "--out", folder, keys=KEYS)
    return folder


def learn(out, **arguments):
    """A learner of the preset, by its task's name: `whole` has it from its file."""
    return Learner("HalfCheetah-v5", out=out, overrides=KEYS, **arguments)


def collect(learner, rollouts):
    """Collect so many rollouts of a learner with one slice."""
    with Collector(learner.assignments[0]) as collector:
        for _ in range(rollouts):
            learner.add_rollouts([collector.collect(learner.weights())])


def test_parts_have_the_bytes_of_train_run(tmp_path, whole):
    for name, slices in {"one": 1, "two": [(0, 2), (2, 6)], "three": 3}.items():
        learner = learn(tmp_path / name, slices=slices)
        collectors = [Collector(a, workers=1) for a in learner.assignments]
        rollouts = 0
        weights = learner.weights()
        while weights is not None:
            if rollouts in (0, 2):  # the last one is lost, before and after its work
                collectors[-1].collect(weights)
                collectors[-1].close()
                collectors[-1] = Collector(learner.assignments[-1], snapshot=learner.snapshot(len(collectors) - 1))
            weights, metrics = learner.add_rollouts([c.collect(weights) for c in collectors])
            rollouts += 1
        report = learner.close()
        for c in collectors:
            c.close()
        assert report["status"] == "done"
        assert rollouts == 4  # the first one only fills the normalisers
        assert metrics["iteration"] == 3
        assert same_run(tmp_path / name, whole), name


def test_part_is_identified_and_refused_by_name(tmp_path):
    learner = learn(tmp_path / "run", slices=2)
    assert learner.slices == [(0, 2), (2, 6)]
    with Collector(learner.assignments[1]) as collector:
        weights = learner.weights()
        part = collector.collect(weights)
        about = identify(part)
        assert (about.first, about.end, about.step) == (2, 6, 0)
        assert about.weights == weights[-32:].hex()
        with pytest.raises(polyrhythm.Error, match="want 16, where the worlds 2:6 stand"):
            collector.collect(weights)
    with pytest.raises(polyrhythm.Error, match="damaged: its checksum is"):
        learner.add(part[:-1] + bytes([part[-1] ^ 1]))
    with pytest.raises(ValueError, match="no part of a rollout"):
        identify(b"x")
    learner.add(part)
    learner.add(part)
    assert learner.missing == [0]
    assert learner.metrics is None
    with pytest.raises(polyrhythm.Error, match=r"the parts of the slices \[\(0, 2\)\] are missing"):
        learner.add_rollouts([part])
    assert learner.close()["status"] == "interrupted"


def test_stopped_training_goes_on_in_other_slices(tmp_path, whole):
    learner = learn(tmp_path / "run", slices=1)
    collect(learner, 3)
    assert learner.close()["status"] == "interrupted"
    learner = Learner(out=tmp_path / "run", resume=True, slices=2)
    assert learner.weights()
    collectors = [Collector(a, snapshot=learner.snapshot(i)) for i, a in enumerate(learner.assignments)]
    rollouts = 0
    while (weights := learner.weights()) is not None:
        for collector in collectors:
            learner.add(collector.collect(weights))
        rollouts += 1
    assert rollouts == 1  # the fourth: close has kept what was done before
    assert learner.close()["status"] == "done"
    assert same_run(tmp_path / "run", whole)


def test_a_learner_has_the_workers_it_is_asked_for(tmp_path):
    for workers in (1, 2, 7):  # also more than blocks
        out = tmp_path / f"{workers}"
        assert learn(out, workers=workers).close()["workers"] == workers
        assert Learner(out=out, resume=True, workers=workers + 1).close()["workers"] == workers + 1


def test_settings_change_on_the_way(tmp_path):
    learner = learn(tmp_path / "run")
    collect(learner, 3)
    learner.close()
    hidden = r"hidden is \[9\], want \[8\] as before in .*run: in a run only these may change: \[training\.clip "
    for key, value, text in [
        ("training.hidden", [9], hidden),
        ("training.learning_rate", 2, r"training\.learning_rate is 2, want more than 0"),
        ("training.rate", 2, r"training\.rate"),
    ]:
        with pytest.raises(ValueError, match=text):
            Learner(out=tmp_path / "run", resume=True, overrides={key: value})
    with pytest.raises(TypeError, match="seed is 2; want none to resume"):
        Learner(out=tmp_path / "run", resume=True, seed=2)
    learner = Learner(out=tmp_path / "run", resume=True, overrides={"training": {"learning_rate": 1e-3, "clip": 0.1}})
    with Collector(learner.assignments[0], snapshot=learner.snapshot(0) if learner.weights() else None) as collector:
        learner.add(collector.collect(learner.weights()))
        assert learner.weights() is None
    assert learner.close()["status"] == "done"
    changes = json.loads((tmp_path / "run" / "changes.json").read_text())
    assert [(c["iteration"], c["key"], c["is"]) for c in changes] == [
        (2, "training.clip", 0.1), (2, "training.learning_rate", 0.001),
    ]  # fmt: skip
    assert "learning_rate: 0.001" in (tmp_path / "run" / "config.yaml").read_text()


def test_rollout_goes_on_from_a_segment(tmp_path):
    _, assignment = assignments(slices=[(0, 2), (2, 6)], episodes=40, **ROLLOUT)

    def record(name, snapshot=None):
        with Collector(assignment, dataset=tmp_path / name, snapshot=snapshot) as collector:
            while not (segment := collector.next()).done:
                yield segment
            yield segment

    whole = list(record("whole"))
    assert [s.number for s in whole] == [1, 2, 3]
    assert (whole[0].first, whole[0].end, whole[2].episodes, whole[2].faults) == (2, 6, 26, 0)
    lost = record("run")
    assert [next(lost).digest for _ in range(2)] == [s.digest for s in whole[:2]]
    lost.close()  # the second snapshot never arrived
    assert [s.digest for s in record("run", whole[0].snapshot)] == [s.digest for s in whole[1:]]
    assert (tmp_path / "whole" / "slice.json").exists() and same_tree(tmp_path / "whole", tmp_path / "run")
    text = "does not exist here, want the dataset that the snapshot is of, in a folder that all machines share"
    with pytest.raises(ValueError, match=text):
        next(record("elsewhere", whole[0].snapshot))
    with pytest.raises(polyrhythm.Error, match="damaged: its checksum is"):
        next(record("run", whole[0].snapshot[:-1] + b"x"))


def test_collectors_of_one_kind_and_another(tmp_path):
    (assignment,) = assignments(episodes=1, **ROLLOUT)
    with pytest.raises(ValueError, match="a collector of a rollout wants a dataset"):
        Collector(assignment)
    with pytest.raises(ValueError, match="neither a training nor a rollout"):
        Collector(b"{}")
    with Collector(assignment, dataset=tmp_path / "run") as collector:
        with pytest.raises(polyrhythm.Error, match="of a rollout, which has no weights.*: use next"):
            collector.collect(b"")
    learner = learn(tmp_path / "q")
    with Collector(learner.assignments[0]) as collector:
        with pytest.raises(polyrhythm.Error, match="of a training: use collect"):
            collector.next()
    learner.close()


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"slices": 4}, ValueError, "4 slices of 6 worlds in blocks of 2, want 1 to 3"),
        ({"slices": [(0, 3), (3, 6)]}, ValueError, "want it to begin and end with a block"),
        ({"slices": []}, ValueError, "slices is empty"),
        ({"config": CONFIG}, TypeError, "2 of task, config and text are given; want one of them"),
        ({"resume": True}, TypeError, "1 of task, config and text are given; want none of them to resume"),
    ],
)
def test_wrong_arguments(tmp_path, arguments, error, text):
    with pytest.raises(error, match=text):
        learn(tmp_path / "run", **arguments)
    assert not (tmp_path / "run").exists()


def test_unknown_task(tmp_path):
    with pytest.raises(ValueError, match="HalfCheetah-v5"):
        Learner("HalfCheeta-v5", out=tmp_path)


def test_learner_that_nobody_closes_leaves_its_folder(tmp_path):
    learner = learn(tmp_path / "run")
    collect(learner, 2)
    del learner
    gc.collect()
    again = Learner(out=tmp_path / "run", resume=True)  # the folder is no longer locked
    assert again.close()["status"] == "interrupted"


def test_nothing_to_resume(tmp_path):
    with pytest.raises(ValueError, match=r"has no resume\.state"):
        Learner(out=tmp_path, resume=True)
