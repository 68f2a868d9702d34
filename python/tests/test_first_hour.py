"""What a program meets first: files that are not there, worlds that are closed, what a notebook shows."""

import contextlib
import errno
import os
import pickle
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from shared import CONFIG, KEYS, QUADRUPED, TRAIN, same_tree, serve, train

import polyrhythm
from polyrhythm import cluster, parts


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


def worlds_of_sb3():
    sb3 = pytest.importorskip("polyrhythm.sb3", exc_type=ImportError)
    return sb3.VecEnv(polyrhythm.make_vec("Hopper-v5", 2, autoreset_mode="SameStep"))


def step(envs):
    """A step of one world or of many, from a reset."""
    envs.action_space.seed(1)
    envs.reset(seed=1)
    envs.step(envs.action_space.sample())


def act(policy):
    policy.act(np.zeros((1, 17)))


def collect(collector):
    collector.next()


def a_collector(at):
    given = {"config": QUADRUPED, "overrides": {"worlds": 1, "max_steps": 5}, "episodes": 1}
    return parts.Collector(parts.assignments(**given)[0], dataset=at / "data")


OPEN = {
    "vector": (lambda at: polyrhythm.make_vec("Hopper-v5", 2), step),
    "vector of Gymnasium": (lambda at: gymnasium.make_vec("Polyrhythm/Hopper-v5", 2), step),
    "vector by group": (lambda at: polyrhythm.by_group(polyrhythm.make_vec(config=QUADRUPED, num_envs=2)), step),
    "one": (lambda at: polyrhythm.make("Hopper-v5"), step),
    "one of a configuration": (lambda at: polyrhythm.make(config=QUADRUPED), step),
    "one by group": (lambda at: polyrhythm.by_group(polyrhythm.make(config=QUADRUPED)), step),
    "worlds of sb3": (lambda at: worlds_of_sb3(), lambda envs: envs.reset()),
    "policy": (lambda at: polyrhythm.Policy.load("builtin:halfcheetah"), act),
    "collector": (a_collector, collect),
}


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("fails", [False, True])
def test_with_closes(name, fails, tmp_path):
    """Also after an exception, which passes; closing again does nothing."""
    make, use = OPEN[name]
    with pytest.raises(KeyError) if fails else contextlib.nullcontext(), make(tmp_path) as opened:
        use(opened)
        if fails:
            raise KeyError
    opened.close()
    with pytest.raises((polyrhythm.Error, gymnasium.error.ClosedEnvironmentError), match="closed|is not open"):
        use(opened)
    with opened:  # a second time too
        pass


def test_with_ends_a_training(tmp_path):
    with pytest.raises(KeyError), parts.Learner(config=CONFIG, out=tmp_path / "run", overrides=KEYS) as learner:
        assert learner.weights()
        raise KeyError
    report = learner.close()
    assert report["status"] == "interrupted" and learner.close() == report
    with parts.Learner(out=tmp_path / "run", resume=True) as learner:
        assert learner.weights()


def test_with_leaves_a_live_run():
    live = pytest.importorskip("polyrhythm.live", exc_type=ImportError)
    server, address = serve("--config", QUADRUPED, "--policy", "zero", "--worlds", 2)
    try:
        with pytest.raises(KeyError), live.connect(address, name="me") as run:
            next(run)
            raise KeyError
        run.close()
        assert list(run) == []
    finally:
        server.kill()
        server.communicate()


def shown(thing, *words):
    """What a notebook shows is one short line that says these words."""
    text = repr(thing)
    assert len(text) <= 200 and "\n" not in text and " object at 0x" not in text, text
    for word in words:
        assert str(word) in text, text
    return text


def test_worlds_are_shown_in_a_line():
    envs = polyrhythm.make_vec("HalfCheetah-v5", 3)
    shown(envs, "HalfCheetah-v5", "num_envs=3", "(17,) float64", "(6,) float32", "open")
    policy = polyrhythm.Policy.load("builtin:halfcheetah")
    shown(policy.actor(envs), "Actor", "HalfCheetah-v5", "num_envs=3")
    envs.reset(seed=1)
    frame = next(polyrhythm.drive(envs, lambda seen: np.zeros((3, 6)), mode="sim_high_performance"))
    shown(frame, "Frame", "results=4")
    envs.close()
    assert "closed" in shown(envs) and str(envs) == repr(envs)
    with polyrhythm.make_vec("LunarLander-v3", 2) as lander:
        shown(lander, "4 choices")
    with polyrhythm.by_group(polyrhythm.make_vec(config=QUADRUPED, num_envs=2)) as groups:
        shown(groups, "quadruped", "num_envs=2", "{policy}")


def test_one_world_is_shown_in_a_line():
    env = polyrhythm.make("HalfCheetah-v5")
    shown(env, "TimeLimit", "HalfCheetah-v5", "(17,) float64", "(6,) float32")
    shown(env.unwrapped, "Env(", "not reset yet")
    env.reset()
    shown(env.unwrapped, "open")
    env.close()
    shown(env.unwrapped, "closed")
    shown(polyrhythm.by_group(polyrhythm.make(config=QUADRUPED)), "quadruped", "{policy}")


def test_policies_are_shown_in_a_line(tmp_path):
    with polyrhythm.Policy.load("builtin:halfcheetah") as policy:
        assert (policy.task, policy.path) == ("HalfCheetah-v5", "builtin:halfcheetah")
        shown(policy, "HalfCheetah-v5", "observation=17", "action=6", f"env_steps={policy.env_steps}", policy.path)
    shown(policy, "closed")
    shown(polyrhythm.Policy.load("builtin:lunarlander"), "choices=4", "observation=8")
    shown(polyrhythm.Policy.__new__(polyrhythm.Policy))
    shown(polyrhythm.VectorEnv.__new__(polyrhythm.VectorEnv))
    shown(polyrhythm.Env.__new__(polyrhythm.Env))


def test_parts_are_shown_in_a_line(tmp_path):
    with a_collector(tmp_path) as collector:
        shown(collector, "Collector", "slice=(0, 1)", "data")
        segment = collector.next()
        shown(segment, "number=1", f"snapshot=<{len(segment.snapshot)} bytes>")
    with parts.Learner(config=CONFIG, out=tmp_path / "run", overrides=KEYS, slices=3) as learner:
        shown(learner, "Learner", "run", "slices=[(0, 2), (2, 4), (4, 6)]")


def test_a_live_run_is_shown_in_lines():
    live = pytest.importorskip("polyrhythm.live", exc_type=ImportError)
    server, address = serve("--config", QUADRUPED, "--policy", "zero", "--worlds", 2)
    try:
        with live.connect(address, name="me") as run:
            frame = next(run)
            shown(run, "Client(quadruped", "operate", "name='me", "worlds=2", f"n={frame.n}")
            shown(frame, f"n={frame.n}", f"number={frame.number}", "worlds=2", "poses=(2, ")
            shown(run.description, "quadruped", "worlds=2", "action=(12,)")
            for part in (*run.description.commands, *run.description.bodies, *run.description.channels):
                shown(part, part.name)
        shown(run, "closed")
    finally:
        server.kill()
        server.communicate()


def moved(env):
    """What an environment does, of one world or of many."""
    env.action_space.seed(1)
    seen = [env.reset(seed=3)[0]]
    seen += [env.step(env.action_space.sample())[0] for _ in range(4)]
    env.close()
    if isinstance(seen[0], dict):
        seen = [part for one in seen for part in one.values()]
    return [np.array(one).tobytes() for one in seen]


ONE = {
    "task": lambda: polyrhythm.make("HalfCheetah-v5", reset_noise_scale=0.3, max_episode_steps=4),
    "configuration": lambda: polyrhythm.make(config=QUADRUPED, max_episode_steps=4),
    "groups": lambda: polyrhythm.by_group(polyrhythm.make(config=QUADRUPED)),
}


@pytest.mark.parametrize("name", ONE)
def test_a_spec_makes_the_same_world(name, tmp_path, monkeypatch):
    env = ONE[name]()
    assert env.spec.id == ("Polyrhythm/HalfCheetah-v5" if name == "task" else "Polyrhythm/quadruped")
    monkeypatch.chdir(tmp_path)
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert str(again) == str(env) and again.spec == env.spec
    assert moved(again) == moved(env)


MANY = {
    "task": lambda: polyrhythm.make_vec("HalfCheetah-v5", 3, reset_noise_scale=0.3, autoreset_mode="SameStep"),
    "the library's name": lambda: polyrhythm.make_vec("quadruped", 2),
    "configuration": lambda: polyrhythm.make_vec(config=QUADRUPED, num_envs=3, max_steps=4),
    "policy": lambda: polyrhythm.Policy.load("builtin:halfcheetah").make_vec(2, autoreset_mode=AutoresetMode.NEXT_STEP),
    "gymnasium": lambda: gymnasium.make_vec("Polyrhythm/HalfCheetah-v5", num_envs=3),
}


@pytest.mark.parametrize("name", MANY)
def test_a_spec_makes_the_same_worlds(name):
    envs = MANY[name]()
    task = "Quadruped-v0" if name == "the library's name" else envs.task
    assert envs.spec.id == f"Polyrhythm/{task}" and envs.spec.kwargs["num_envs"] == envs.num_envs
    again = gymnasium.make_vec(EnvSpec.from_json(envs.spec.to_json()))
    assert (again.num_envs, again.copy, again.metadata) == (envs.num_envs, envs.copy, envs.metadata)
    assert again._about["max_steps"] == envs._about["max_steps"] and again.spec == envs.spec
    assert moved(again) == moved(envs)


def test_a_spec_has_no_dataset(tmp_path):
    with polyrhythm.make_vec("Hopper-v5", dataset=tmp_path / "data") as envs:
        step(envs)
        gymnasium.make_vec(envs.spec).close()


@pytest.fixture
def installed(tmp_path):
    """Runs `python -m polyrhythm` of a copy of the package, as pip leaves it: without the program."""
    ours = Path(polyrhythm.__file__).parent
    package = tmp_path / "polyrhythm"
    shutil.copytree(ours, package, ignore=shutil.ignore_patterns("_lib", "__pycache__"))
    (package / "_lib").mkdir()
    for path in (ours / "_lib").iterdir():
        if path.name not in ("train", "bench"):
            (package / "_lib" / path.name).symlink_to(path)

    def run(*arguments):
        command = [sys.executable, "-m", "polyrhythm", *arguments]
        environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    return run, package


def test_the_package_is_run_as_the_program(installed):
    run, package = installed
    (package / "_lib" / "train").symlink_to(TRAIN)
    done = run()
    assert done.returncode == 0 and done.stdout == train("--help").stdout
    assert "Usage:" in done.stdout and "demo" in done.stdout
    assert run("demo", "--list").stdout == train("demo", "--list").stdout
    assert run("nothing").returncode == 2


@pytest.mark.parametrize("arguments", [[], ["demo"]])
def test_the_package_without_the_program_says_what_is_missing(arguments, installed):
    run, package = installed
    done = run(*arguments)
    assert done.returncode == 1 and not done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("train: ") and f"there is no {package / '_lib' / 'train'}" in line
    assert "`pip install ./python` has not" in line and "build/bin/train" in line


def builtin():
    """The names of the policies that the program has."""
    return [line.split()[0] for line in train("demo", "--list").stdout.splitlines()]


def test_policies_of_the_program_are_loaded_by_name():
    assert "quadruped" in builtin()
    for name in builtin():
        with polyrhythm.Policy.load(f"builtin:{name}") as policy, policy.make_vec(2) as envs:
            actor = policy.actor(envs)
            observations, _ = envs.reset(seed=1)
            for _ in range(3):
                observations, *_ = envs.step(actor(observations))
    with pytest.raises(ValueError, match='no trained policy "walker" comes with the program, want one of quadruped, '):
        polyrhythm.Policy.load("builtin:walker")


def test_a_policy_of_the_program_drives_a_rollout(tmp_path):
    """As `train rollout` has it, with the same bytes."""
    keys = {"worlds": 2, "block_size": 1, "max_steps": 40}
    (one,) = parts.assignments(config=QUADRUPED, policy="builtin:quadruped", episodes=2, overrides=keys)
    with parts.Collector(one, dataset=tmp_path / "data") as collector:
        while not collector.next().done:
            pass
    given = ["--config", QUADRUPED, "--policy", "builtin:quadruped", "--episodes", 2, "--out", tmp_path / "run"]
    train("rollout", *given, keys=keys)
    cluster.rollout(config=QUADRUPED, policy="builtin:quadruped", episodes=2, overrides=keys, out=tmp_path / "apart")
    assert same_tree(tmp_path / "apart", tmp_path / "run", but=["run.log"])


CELL = """
import importlib, warnings
import gymnasium, polyrhythm
warnings.simplefilter("error")
importlib.reload(polyrhythm._registration)
importlib.reload(polyrhythm)
envs = polyrhythm.make_vec("Hopper-v5", 2)
envs.reset(seed=1)
gymnasium.make("Polyrhythm/Hopper-v5").reset(seed=1)
"""


def test_a_cell_that_is_run_twice_does_not_warn():
    done = subprocess.run([sys.executable, "-c", CELL + CELL], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_dataset_that_is_made_twice_says_what_to_do(tmp_path):
    make = partial(polyrhythm.make_vec, "Hopper-v5", dataset=tmp_path / "data")
    with make() as envs:
        step(envs)
        with pytest.raises(ValueError, match="data is not empty.*: an environment that is open records to it, close"):
            make()
    with pytest.raises(ValueError, match="data is not empty.*: give another name, or remove the folder first"):
        make()
    with pytest.raises(ValueError, match="data, which is not empty.*: give another name, or remove the folder first"):
        cluster.rollout(config=QUADRUPED, episodes=1, out=tmp_path / "data")
    shutil.rmtree(tmp_path / "data")
    with make() as envs:
        step(envs)


def test_one_world_has_the_names_of_many():
    for name in ("quadruped", "Quadruped-v0", "Polyrhythm/Quadruped-v0"):
        env = polyrhythm.make(name)
        assert env.spec.id == "Polyrhythm/Quadruped-v0"
        assert moved(env) == moved(polyrhythm.make("Quadruped-v0"))


def test_by_group_takes_what_gymnasium_has_wrapped():
    env = polyrhythm.by_group(polyrhythm.make("Quadruped-v0"))
    assert set(env.observation_space) == {"policy"}
    step(env)
    again = gymnasium.make(env.spec)
    assert again.spec == env.spec and moved(again) == moved(env)
    envs = RecordEpisodeStatistics(polyrhythm.make_vec("quadruped", 2))
    with polyrhythm.by_group(envs) as envs:
        step(envs)
        assert set(envs.single_observation_space) == {"policy"} and envs.spec.id == "Polyrhythm/Quadruped-v0"
