"""Training in parts: the bytes of `train run`, for any slices and with lost collectors."""

import filecmp
import gc

import polyrhythm
import pytest
from polyrhythm.parts import Collector, Learner, identify
from short_training import CONFIG, KEYS, train_run


def learn(out, **arguments):
    """A learner of the preset, by its task's name: `train_run` has it from its file."""
    return Learner("HalfCheetah-v5", out=out, overrides=KEYS, **arguments)


def test_parts_have_the_bytes_of_train_run(tmp_path):
    train_run(tmp_path / "whole")
    for name, slices in {"one": 1, "two": [(0, 2), (2, 6)], "three": 3}.items():
        learner = learn(tmp_path / name, slices=slices)
        collectors = [Collector(a, workers=1) for a in learner.assignments]
        rollouts = 0
        orders = learner.orders()
        while orders is not None:
            if rollouts in (0, 2):  # the last one is lost, before and after its work
                collectors[-1].collect(orders)
                collectors[-1].close()
                collectors[-1] = Collector(learner.assignments[-1], snapshot=learner.snapshot(len(collectors) - 1))
            orders, metrics = learner.absorb([c.collect(orders) for c in collectors])
            rollouts += 1
        report = learner.close()
        for c in collectors:
            c.close()
        assert report["status"] == "done"
        assert rollouts == 4  # the first one only fills the normalisers
        assert metrics["iteration"] == 3
        for file in ["latest", "metrics.csv", "config.yaml"]:
            assert filecmp.cmp(tmp_path / "whole" / file, tmp_path / name / file, shallow=False), (name, file)


def test_part_is_identified_and_refused_by_name(tmp_path):
    learner = learn(tmp_path / "run", slices=2)
    assert learner.slices == [(0, 2), (2, 6)]
    with Collector(learner.assignments[1]) as collector:
        orders = learner.orders()
        part = collector.collect(orders)
        about = identify(part)
        assert (about.first, about.end, about.step) == (2, 6, 0)
        assert about.orders == orders[-32:].hex()
        with pytest.raises(polyrhythm.Error, match="want 16, where the worlds 2:6 stand"):
            collector.collect(orders)
    with pytest.raises(polyrhythm.Error, match="damaged: its digest is"):
        learner.add(part[:-1] + bytes([part[-1] ^ 1]))
    with pytest.raises(ValueError, match="no part of a rollout"):
        identify(b"x")
    learner.add(part)
    learner.add(part)
    assert learner.missing == [0]
    assert learner.metrics is None
    with pytest.raises(polyrhythm.Error, match=r"the parts of the slices \[\(0, 2\)\] are missing"):
        learner.absorb([part])
    assert learner.close()["status"] == "interrupted"


def test_stopped_training_goes_on_in_other_slices(tmp_path):
    train_run(tmp_path / "whole")
    learner = learn(tmp_path / "run", slices=1)
    with Collector(learner.assignments[0]) as collector:
        for _ in range(3):
            learner.absorb([collector.collect(learner.orders())])
    assert learner.close()["status"] == "interrupted"
    learner = Learner(out=tmp_path / "run", resume=True, slices=2)
    collectors = [Collector(a, snapshot=learner.snapshot(i)) for i, a in enumerate(learner.assignments) if learner.orders()]
    while (orders := learner.orders()) is not None:
        for collector in collectors:
            learner.add(collector.collect(orders))
    assert learner.close()["status"] == "done"
    for file in ["latest", "metrics.csv"]:
        assert filecmp.cmp(tmp_path / "whole" / file, tmp_path / "run" / file, shallow=False), file


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
    with Collector(learner.assignments[0]) as collector:
        for _ in range(2):
            learner.absorb([collector.collect(learner.orders())])
    del learner
    gc.collect()
    again = Learner(out=tmp_path / "run", resume=True)  # the folder is no longer locked
    assert again.close()["status"] == "interrupted"


def test_nothing_to_resume(tmp_path):
    with pytest.raises(ValueError, match=r"has no resume\.point"):
        Learner(out=tmp_path, resume=True)
