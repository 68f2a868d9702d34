"""What a program meets first: files that are not there, worlds that are closed, what a notebook shows."""

import errno
import pickle

import pytest
from shared import QUADRUPED

import polyrhythm
from polyrhythm import parts


def assignments_of(policy, dataset):
    """The collectors of a rollout, one step of which was asked for."""
    given = {"config": QUADRUPED, "overrides": {"worlds": 1}, "episodes": 1, "policy": policy}
    return [parts.Collector(one, dataset=dataset) for one in parts.assignments(**given)]


MISSING = {
    "policy": (lambda at: polyrhythm.Policy.load(at / "none.ckpt"), "none.ckpt"),
    "folder without a checkpoint": (lambda at: polyrhythm.Policy.load(at), "latest"),
    "configuration": (lambda at: polyrhythm.make_vec(config=at / "none.yaml"), "none.yaml"),
    "configuration of one": (lambda at: polyrhythm.make(config=at / "none.yaml"), "none.yaml"),
    "model": (lambda at: polyrhythm.make_vec("Ant-v5", xml_file=at / "none.xml"), "none.xml"),
    "training": (lambda at: parts.Learner(out=at / "none", resume=True), "none/resume.state"),
    "policy of a rollout": (lambda at: assignments_of(at / "none", at / "data"), "none"),
    "configuration of a rollout": (lambda at: parts.assignments(config=at / "none.yaml", episodes=1), "none.yaml"),
}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_not_there_is_a_file_not_found(name, tmp_path):
    """It is what it was before too, a ValueError or an Error."""
    find, path = MISSING[name]
    with pytest.raises(FileNotFoundError) as caught:
        find(tmp_path)
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, polyrhythm.Error)
    assert (error.errno, error.filename) == (errno.ENOENT, str(tmp_path / path))
    assert path.partition("/")[0] in str(error) or str(tmp_path) in str(error)
    assert "Errno" not in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.filename) == (type(error), str(error), error.filename)


def test_what_is_wrong_otherwise_is_no_file_not_found(tmp_path):
    (tmp_path / "policy").write_text("no policy")
    for wrong in (lambda: polyrhythm.Policy.load(tmp_path / "policy"), lambda: polyrhythm.make_vec("Antt-v5")):
        with pytest.raises(ValueError) as caught:
            wrong()
        assert type(caught.value) is ValueError
