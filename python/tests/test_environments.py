"""What the package promises beside the vector rules: ids, checks, errors, determinism, memory."""

import contextlib
import copy
import ctypes
import gc
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import polyrhythm
from polyrhythm import _library, _registration
from shared import QUADRUPED, ROOT, SLOW, slow

IDS = sorted(_registration.REGISTERED)


def in_new_process(program, *arguments, **environment):
    """What a program prints; it fails where the interpreter does."""
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True, text=True, timeout=1200, env={**os.environ, **environment},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


# Ids.


def test_every_task_is_registered():
    tasks, _ = _library.library().ask("tasks")
    assert {about.task for about in _registration.REGISTERED.values()} == set(tasks)


@pytest.mark.parametrize("name", IDS)
def test_registered_as_in_gymnasium(name):
    ours = gymnasium.spec(f"Polyrhythm/{name}")
    env = polyrhythm.make_vec(name)
    assert env._about["max_steps"] == ours.max_episode_steps
    if name in gymnasium.registry:
        theirs = gymnasium.spec(name)
        assert ours.max_episode_steps == theirs.max_episode_steps
        assert ours.reward_threshold == theirs.reward_threshold
        original = gymnasium.make(name)
        assert env.single_observation_space == original.observation_space
        assert env.single_action_space == original.action_space
        original.close()


@pytest.mark.filterwarnings("ignore::UserWarning")  # of spaces without bounds, as Gymnasium's have them
@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_checker_passes(name):
    env = gymnasium.make(f"Polyrhythm/{name}")
    check_env(env.unwrapped)
    # And the checker that goes along with every step.
    env = gymnasium.make(f"Polyrhythm/{name}", max_episode_steps=5)
    env.action_space.seed(1)
    env.reset(seed=1)
    for step in range(5):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert observation in env.observation_space and isinstance(reward, float)
        if terminated or truncated:
            break
    assert terminated or (truncated and step == 4)


def test_constructor_keywords_are_gymnasiums():
    options = {"frame_skip": 2, "exclude_current_positions_from_observation": False, "ctrl_cost_weight": 0.0}
    ours, theirs = polyrhythm.make("HalfCheetah-v5", **options), gymnasium.make("HalfCheetah-v5", **options)
    assert ours.observation_space == theirs.observation_space
    ours.reset(seed=1)
    assert ours.step(np.ones(6, np.float32))[4]["reward_ctrl"] == 0
    vector = gymnasium.make_vec("Polyrhythm/HalfCheetah-v5", 2, **options)
    assert (vector.substeps, vector.control_rate) == (2, "50")


def test_infinite_options_arrive():
    env = polyrhythm.make_vec("Hopper-v5", healthy_z_range=(0.7, float("inf")), healthy_angle_range=(-np.inf, np.inf))


@pytest.mark.filterwarnings("ignore:.*render_mode", "ignore:.*rendering", "ignore:.*render method")
@pytest.mark.parametrize("mode", ["ansi", ""])
def test_another_render_mode_is_a_type_error(mode):
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(TypeError, match="want None or 'rgb_array'"):
            make("Polyrhythm/Hopper-v5", render_mode=mode)
        env = make("Polyrhythm/Hopper-v5", render_mode=None)
        assert env.render_mode is None
        env.reset()
        assert env.render() is None
        env.close()


@pytest.mark.parametrize("name", [name for name in IDS if name in gymnasium.registry])
def test_infos_have_gymnasiums_types(name):
    """Of every task, at resets and steps of one world; test_vector_rules compares many with one."""

    def told(env):
        env.action_space.seed(1)
        infos = [env.reset(seed=1)[1], *(env.step(env.action_space.sample())[4] for _ in range(3))]
        return [{key: np.asarray(value).dtype for key, value in one.items()} for one in infos]

    assert told(gymnasium.make(f"Polyrhythm/{name}")) == told(gymnasium.make(name))


# Configurations.


def test_a_configuration_with_its_recording(tmp_path):
    env = polyrhythm.make_vec(
        config=QUADRUPED, num_envs=3, dataset=tmp_path / "data", max_steps=10, **{"runners.Capture.rate": 25}
    )
    assert (env.num_envs, env.task, env.control_rate, env.substeps) == (3, "quadruped", "50", 10)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    env.reset()
    env.action_space.seed(1)
    for _ in range(25):
        *_, infos = env.step(env.action_space.sample())
    env.close()
    import datasets

    rows = datasets.load_from_disk(str(tmp_path / "data"))
    # At 25 Hz an episode of 10 steps at 50 Hz has 5 rows; two are whole and one is cut after 5 steps.
    assert len(rows) == 3 * (5 + 5 + 3)
    assert set(np.unique(rows["episode"])) == set(range(9))


def test_a_dataset_wants_a_folder_of_its_own(tmp_path):
    """One with files is refused and stays as it is."""
    (tmp_path / "mine.txt").write_text("mine")
    for arguments in (dict(task="Hopper-v5"), dict(config=QUADRUPED, num_envs=1)):
        with pytest.raises(ValueError, match=f"{tmp_path} is not empty, want a new or an empty folder"):
            polyrhythm.make_vec(**arguments, dataset=tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    env = polyrhythm.make_vec("Hopper-v5", dataset=tmp_path / "data")
    with pytest.raises(ValueError, match="is open records to it, close"):
        polyrhythm.make_vec("Hopper-v5", dataset=tmp_path / "data")
    env.action_space.seed(1)
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.close()
    with pytest.raises(ValueError, match="is not empty.*: give another name, or remove the folder first"):
        polyrhythm.make_vec("Hopper-v5", dataset=tmp_path / "data")
    import datasets

    assert len(datasets.load_from_disk(str(tmp_path / "data"))) == 1


@pytest.mark.parametrize("stepped", [False, True])
def test_worlds_without_a_step_leave_no_dataset(stepped, tmp_path):
    """The folders that they made go, those that were there stay."""
    (tmp_path / "mine").mkdir()
    for folder in ("mine", "made/data"):
        for arguments in (dict(task="Hopper-v5"), dict(config=QUADRUPED, num_envs=2)):
            env = polyrhythm.make_vec(**arguments, dataset=tmp_path / folder)
            env.action_space.seed(1)
            env.reset(seed=1)
            if stepped:
                env.step(env.action_space.sample())
            env.close()
            env.close()
            if not stepped:
                assert [path.name for path in tmp_path.rglob("*")] == ["mine"]
                continue
            import datasets

            assert len(datasets.load_from_disk(str(tmp_path / folder))) >= 1
            for path in (tmp_path / folder).iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_worlds_that_nobody_closed_leave_no_empty_dataset(tmp_path):
    program = "import sys, polyrhythm; env = polyrhythm.make_vec('Hopper-v5', dataset=sys.argv[1]); env.reset()"
    subprocess.run([sys.executable, "-c", program, tmp_path / "data"], check=True, timeout=120)
    assert not list(tmp_path.iterdir())


def test_worlds_that_cannot_be_opened_leave_no_dataset(tmp_path):
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new", tmp_path / "empty"):
        for key, value in [("recording.channels", ["nothing"]), ("bindings.controller.phase", "Export")]:
            with pytest.raises(ValueError, match="nothing|controller"):
                polyrhythm.make_vec(config=QUADRUPED, num_envs=1, dataset=folder, **{key: value})
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_a_disk_that_takes_nothing_is_no_value_error(tmp_path):
    program = (
        "import resource, sys, polyrhythm\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "try: polyrhythm.make_vec('Hopper-v5', dataset=sys.argv[1])\n"
        "except polyrhythm.Error as e: print(e)\n"
    )
    assert "file too large" in in_new_process(program, str(tmp_path / "data"))
    assert not list(tmp_path.iterdir())


def test_an_environment_nobody_closed_finishes_its_dataset(tmp_path):
    program = (
        "import sys, polyrhythm\n"
        "env = polyrhythm.make_vec(config=sys.argv[1], num_envs=2, dataset=sys.argv[2])\n"
        "env.action_space.seed(1)\n"
        "env.reset()\n"
        "for _ in range(20): env.step(env.action_space.sample())\n"
    )
    in_new_process(program, str(QUADRUPED), str(tmp_path / "data"))
    import datasets

    assert len(datasets.load_from_disk(str(tmp_path / "data"))) == 2 * 12


def test_an_environment_that_outlives_the_package_is_silent():
    """What other modules hold is freed when Python has already emptied ours."""
    program = (
        "import ctypes, os, polyrhythm\n"
        "env = polyrhythm.make_vec('Hopper-v5', 2)\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(polyrhythm._library))\n"
        "os.holds = lambda: env\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=1200, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_nested_overrides():
    env = polyrhythm.make_vec(
        config=QUADRUPED, num_envs=1, training={"segment": 7},
        runners=[{"name": "Robot", "rate": "200/3"}, {"name": "Capture", "rate": 30}, {"name": "Sensors", "rate": 500}],
    )
    assert "segment: 7" in env.configuration and env.control_rate == "200/3"
    again = polyrhythm.make_vec(text=env.configuration)
    assert again.configuration == env.configuration


def test_entries_are_added_changed_and_removed():
    env = polyrhythm.make_vec(
        config=QUADRUPED, num_envs=1,
        rewards={"circle": {"expr": "base_ang_vel[2]", "weight": 0.5, "after": "alive"}, "bounce": None},
        observations={"policy": {"height": {"expr": "base_pos[2:3]"}}}, training={"sac": {"learning_rate": 0.001}},
    )  # fmt: skip
    assert "base_ang_vel[2]" in env.configuration and "height" in env.configuration
    env.close()
    with pytest.raises(ValueError, match=r"rewards\.circl: unknown name.*a new entry wants"):
        polyrhythm.make_vec(config=QUADRUPED, num_envs=1, rewards={"circl": {"weight": 0.5}})


# Errors.


WRONG = [
    (dict(task="HalfCheeta-v5"), 'unknown task "HalfCheeta-v5": the nearest known one is "HalfCheetah-v5"'),
    (dict(task="HalfCheetah-v5", frame_skp=2), "frame_skip"),
    (dict(task="HalfCheetah-v5", frame_skip="two"), "frame_skip"),
    (dict(task="HalfCheetah-v5", num_envs=0), "num_envs is 0"),
    (dict(task="HalfCheetah-v5", num_envs=2.5), "num_envs is 2.5"),
    (dict(task="HalfCheetah-v5", num_envs=1 << 30), "worlds is 1073741824, want 1 to 1048576"),
    (dict(task="HalfCheetah-v5", num_envs=10**30), "num_envs is 10000"),
    (dict(task="HalfCheetah-v5", workers=10**6), "workers is 1000000, want 0 to 1024"),
    (dict(task="HalfCheetah-v5", dataset=""), "dataset is an empty path"),
    (dict(task="HalfCheetah-v5", max_episode_steps=-2), "max_episode_steps is -2"),
    (dict(task="HalfCheetah-v5", seed=-1), "the seed is -1"),
    (dict(task="HalfCheetah-v5", max_episode_steps=0), "max_episode_steps is 0"),
    (dict(task="HalfCheetah-v5", autoreset_mode="Sometimes"), "'Sometimes', want one of .*SAME_STEP"),
    (dict(task="HalfCheetah-v5", frame_skip=10**9), "frame_skip is 1000000000, want 1 to 65536"),
    (dict(task="HalfCheetah-v5", xml_file=""), "xml_file is empty"),
    (dict(task="BipedalWalker-v3", frame_skip=2), "BipedalWalker-v3 does not have this option"),
    (dict(task="HalfCheetah-v5", xml_file="./nowhere.xml"), "nowhere.xml"),
    (dict(task="Hopper-v5", healthy_reward=10**400),
        "healthy_reward: a number of 401 digits, want one that a float64 holds"),
    (dict(task="Hopper-v5", dataset=b"runs/\xff"), r"^'/.*/runs/\\udcff' is not text in UTF-8"),
    (dict(config=QUADRUPED, **{"max_steps=5 #": 3}), "max_steps=5 # is no key"),
    (dict(config=QUADRUPED, training=3), "training"),
    (dict(config="nowhere.yaml"), "nowhere.yaml"),
    (dict(config="no\0where.yaml"), r"no\\0where.yaml: invalid argument"),
    (dict(config=QUADRUPED, trainig={"steps": 1}), "training"),
    (dict(config=QUADRUPED, trainig={}), "trainig: unknown key; did you mean training"),
    (dict(config=QUADRUPED, training={"segmnt": {}}),
        "training.segmnt: unknown key; did you mean training.segment"),
    (dict(config=QUADRUPED, runners={"Capture": 3}), "runners.Capture is 3, want a mapping"),
    (dict(config=QUADRUPED, runners=[{"name": "Robot", "rate": float("nan")}]),
        r"\[0\].rate is NaN, want a finite number"),
    (dict(config=QUADRUPED, runners=[[{"rate": -np.inf}]]), r'runners=\[\[{"rate": -.inf}\]\]'),
    (dict(config=QUADRUPED, task={"nam": "quadruped"}), "task.nam: unknown key"),
    (dict(config=QUADRUPED, recording={"enabled": False}, dataset="x"), "recording.enabled is false"),
]
OF_A_WRONG_TYPE = [
    (dict(task=5), "the task is 5; want its name"),
    (dict(task="HalfCheetah-v5", frame_skip=object()), "frame_skip"),
    (dict(task="HalfCheetah-v5", frame_skp=None), "the option frame_skp is None; want a value, or no such option"),
    (dict(task="HalfCheetah-v5", dataset=3), "dataset is 3; want a path"),
    (dict(task="HalfCheetah-v5", render_mode="human"), "render_mode is 'human'; want None or 'rgb_array'"),
    (dict(task="HalfCheetah-v5", render_mode=3), "render_mode is 3"),
    (dict(config=QUADRUPED, render_mode="human"), "render_mode is 'human'"),
    (dict(task="HalfCheetah-v5", max_geom=9), "max_geom is about Gymnasium's renderer"),
    (dict(task="HalfCheetah-v5", camera_name=7), "camera_name is 7, want a text"),
    (dict(config=3), "config is 3; want a path"),
    (dict(config=QUADRUPED, num_envs=2, worlds=3), "num_envs is 2 and worlds is 3; they are the same"),
    (dict(config=QUADRUPED, max_episode_steps=2, max_steps=3), "max_episode_steps is 2 and max_steps is 3"),
    (dict(config=QUADRUPED, autoreset_mode="SameStep", autoreset="disabled"),
        "autoreset_mode is 'same_step' and autoreset is 'disabled'"),
    (dict(text=3), "text is 3"),
    (dict(), "one of a task and config"),
    (dict(task="HalfCheetah-v5", config=QUADRUPED), "one of a task and config"),
]


@pytest.mark.parametrize(
    ("error", "arguments", "says"),
    [(ValueError, *wrong) for wrong in WRONG] + [(TypeError, *wrong) for wrong in OF_A_WRONG_TYPE],
)
def test_wrong_arguments(error, arguments, says):
    with pytest.raises(error, match=says):
        polyrhythm.make_vec(**arguments)


def test_arguments_in_other_forms():
    """NumPy's integers, paths as bytes, and a mode by any of its names."""
    env = polyrhythm.make_vec("Hopper-v5", np.int64(3), workers=np.int32(1), max_episode_steps=np.uint8(7))
    assert (env.num_envs, env.workers, env._about["max_steps"]) == (3, 1, 7)
    env.close()
    env = polyrhythm.make_vec(config=os.fsencode(QUADRUPED), num_envs=1)
    env.close()
    for mode in (AutoresetMode.SAME_STEP, "SameStep", "same_step"):
        env = gymnasium.make_vec("Polyrhythm/Hopper-v5", num_envs=2, autoreset_mode=mode)
        assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        env.close()


def test_an_unknown_id_of_gymnasiums():
    with pytest.raises(gymnasium.error.Error, match="HalfCheetah"):
        gymnasium.make("Polyrhythm/HalfCheeta-v5")
    for make in (polyrhythm.make, polyrhythm.Env):
        with pytest.raises(TypeError, match="the task is 5; want its name"):
            make(5)


@pytest.mark.parametrize(
    ("task", "fine", "actions", "error", "says"),
    [
        *(("HalfCheetah-v5", ([[1] * 6] * 4, np.full((4, 6), 0.3)), *wrong) for wrong in [
            (np.zeros((4, 5), np.float32), ValueError, r"actions have shape \(4, 5\); want \(4, 6\)"),
            (np.zeros(6, np.float32), ValueError, "shape"),
            (np.zeros((4, 6), complex), TypeError, "complex128"),
            (np.full((4, 6), "a"), TypeError, "dtype"),
            (np.zeros((4, 6), object), TypeError, "object"),
            (np.zeros((4, 6), bool), TypeError, "bool"),
            (None, ValueError, "shape"),
            (np.array([[0.0] * 6] * 3 + [[0, 0, np.nan, 0, 0, 0]]), ValueError,
                "value 2 of the action of world 3 is NaN, want a finite number"),
            (np.full((4, 6), np.inf), ValueError, "finite"),
            (np.full((4, 6), 1e300), ValueError, "finite"),  # more than a float32 holds
        ]),
        *(("LunarLander-v3", ([0, 1, 2, 3], np.array([3, 2, 1, 0], np.uint8)), *wrong) for wrong in [
            (np.array([0, 1, 2, 4]), ValueError, "action of world 3 is 4, want a whole number from 0 to 3"),
            (np.array([0, -1, 2, 3]), ValueError, "action of world 1 is -1"),
            (np.array([0.0, 1.0, 2.0, 3.0]), TypeError, "float64; want integers"),
            (np.zeros((4, 1), int), ValueError, r"shape \(4, 1\); want \(4,\)"),
        ]),
    ],
)
def test_wrong_actions(task, fine, actions, error, says):
    env, untouched = (polyrhythm.make_vec(task, 4, seed=1) for _ in range(2))
    env.reset()
    untouched.reset()
    for use in (env.step, env.send):
        with pytest.raises(error, match=says):
            use(actions)
    for these in fine:
        np.testing.assert_array_equal(env.step(these)[0], untouched.step(these)[0])  # nothing had moved, in no world


def test_unwise_options_are_told():
    with pytest.warns(UserWarning, match="wind"):
        polyrhythm.make_vec("LunarLander-v3", enable_wind=True, wind_power=30.0).close()


def test_wrong_actions_of_one():
    env = polyrhythm.Env("HalfCheetah-v5")
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(6))
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"the action has shape \(5,\); want \(6,\)"):
        env.step(np.zeros(5))
    with pytest.raises(ValueError, match="NaN"):
        env.step(np.full(6, np.nan))
    with pytest.raises(ValueError, match="inhomogeneous"):
        env.step([[0.0] * 6, [0.0]])
    env.close()
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.step(np.zeros(6))
    with pytest.raises(ClosedEnvironmentError):
        env.reset()


SEEDS = [-1, 1.5, "1", b"abcd", 1 << 64, [1, 2, 3], [1, 2, 3, "x"], [1, 2, 3, -4], np.array(1.5)]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [(dict(seed=seed), ValueError, "seed") for seed in SEEDS]
    + [(dict(options={"rest_mask": np.ones(4, bool)}), ValueError, "rest_mask"),
        (dict(options=3), TypeError, "options is 3")],
)
def test_wrong_resets(arguments, error, says):
    env = polyrhythm.make_vec("HalfCheetah-v5", 4, seed=1)
    with pytest.raises(error, match=says):
        env.reset(**arguments)


@pytest.mark.parametrize("make", [polyrhythm.Env, polyrhythm.make_vec])
def test_open_worlds_are_not_copied(make):
    """A copy would be a second owner of the same worlds, and close them. One of a world to be opened opens its own."""
    env = make("Hopper-v5")
    copies = [copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))] if make is polyrhythm.Env else []
    env.action_space.seed(1)
    first, _ = env.reset(seed=1)
    for other in copies:
        np.testing.assert_array_equal(other.reset(seed=1)[0], first)
        other.close()
    for use in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="get_state"):
            use(env)
    gc.collect()
    env.step(env.action_space.sample())


def test_a_first_reset_without_seeds_keeps_the_first_episodes():
    def worlds():
        return polyrhythm.make_vec(config=ROOT / "configs/halfcheetah.yaml", num_envs=2, **{"recording.enabled": False})

    with contextlib.closing(worlds()) as env, contextlib.closing(worlds()) as other:
        first = env.get_state()
        env.reset()
        assert env.get_state() == first == other.get_state()
        env.reset()
        assert env.get_state() != first
        other.reset(seed=[None, 5])
        assert other.get_state() != first


def test_a_fault_is_told(tmp_path):
    """A model that cannot be simulated ends its world's episode, truncated, and says why."""
    model = (_library.FOLDER / "third_party/gymnasium/assets/half_cheetah.xml").read_text()
    path = tmp_path / "wild.xml"
    path.write_text(model.replace('gear="120"', 'gear="1e12"'))
    env = polyrhythm.make_vec("HalfCheetah-v5", 2, xml_file=str(path), seed=1, autoreset_mode="SameStep")
    env.reset()
    actions = np.zeros((2, 6), np.float32)
    actions[1] = 1
    for _ in range(20):
        _, rewards, terminations, truncations, infos = env.step(actions)
        if "fault" in infos:
            break
    assert infos["fault"].tolist() == [False, True] == truncations.tolist()
    assert not terminations.any() and rewards[1] == 0
    assert infos["fault_message"][0] is None and infos["fault_message"][1]
    env.step(np.zeros((2, 6)))


def test_a_model_is_read_when_it_is_asked_for(tmp_path, monkeypatch):
    """A relative path is of the folder that the environment was made in; a file that changed is described anew."""
    assets = _library.FOLDER / "third_party/gymnasium/assets"
    shutil.copy(assets / "half_cheetah.xml", tmp_path / "own.xml")
    monkeypatch.chdir(tmp_path)
    made = [polyrhythm.Env("HalfCheetah-v5", xml_file=file) for file in ("./own.xml", Path("own.xml"))]
    monkeypatch.chdir("/")
    for env in made:
        assert env.reset(seed=1)[0].shape == (17,)
        env.close()
    shutil.copy(assets / "hopper.xml", tmp_path / "own.xml")
    env = polyrhythm.Env("HalfCheetah-v5", xml_file=tmp_path / "own.xml")
    assert env.observation_space.shape == env.reset(seed=1)[0].shape == (11,)


# The library.


def renamed(file):
    file.write_text(file.read_text().replace("polyrhythm_ask", "polyrhythm_beg").replace('"open"', '"begin"'))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda package: shutil.rmtree(package / "_lib"), "C library is missing.*cmake --build"),
        (lambda package: (package / "_lib/libpolyrhythm.so").write_bytes(b"no library"), "does not load"),
        # One that lacks a function which we call, or its header has, such as that of an older checkout.
        (lambda package: renamed(package / "_library.py"), "another version; build it again"),
        (lambda package: renamed(package / "_lib/libpolyrhythm.h"), "another version; build it again"),
    ],
)
def test_a_wrong_library(tmp_path, change, says):
    package = tmp_path / "polyrhythm"
    shutil.copytree(ROOT / "python/polyrhythm", package, ignore=shutil.ignore_patterns("__pycache__"))
    change(package)
    program = "try:\n import polyrhythm\n polyrhythm.make_vec('HalfCheetah-v5')\nexcept ImportError as e: print(e)"
    assert re.search(says, in_new_process(program, PYTHONPATH=str(tmp_path)))


def test_the_package_works_elsewhere(tmp_path):
    """Copied away from the checkout, it finds libmujoco and the model files beside itself."""
    shutil.copytree(ROOT / "python/polyrhythm", tmp_path / "polyrhythm", ignore=shutil.ignore_patterns("__pycache__"))
    library = tmp_path / "polyrhythm/_lib/libpolyrhythm.so"
    linked = library.read_bytes()
    assert b"/third_party/mujoco/lib:$ORIGIN" in linked  # where the checkout has it; elsewhere there is nothing
    library.write_bytes(linked.replace(b"/third_party/mujoco/lib:$ORIGIN", b"/third_party/nowhere/xx:$ORIGIN"))
    program = (
        "import os, sys; os.chdir(sys.argv[1])\n"
        "import polyrhythm; e = polyrhythm.make_vec('Ant-v5', 2); e.reset()\n"
        "maps = [l.split(maxsplit=5) for l in open('/proc/self/maps')]\n"
        "found = {m[5] for m in maps if 'libpolyrhythm' in m[-1] or 'libmujoco' in m[-1]}\n"
        "print(*found, sep='', end='')"
    )
    loaded = in_new_process(program, str(tmp_path), PYTHONPATH=str(tmp_path)).splitlines()
    assert sorted(loaded) == sorted(str(library.with_name(name)) for name in ("libmujoco.so.4.0.1", "libpolyrhythm.so"))


def test_an_import_loads_nothing():
    program = (
        "import gymnasium, polyrhythm\n"
        "env = gymnasium.make('Polyrhythm/Hopper-v5'); env.observation_space\n"
        "print('libpolyrhythm' in open('/proc/self/maps').read())"
    )
    assert in_new_process(program) == "False\n"


def test_the_library_is_asked_where_modules_are():
    """A process that found its modules by a path of its own, asks one that finds them too."""
    program = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1])\n"
        "import gymnasium, polyrhythm\n"
        "print(gymnasium.make('Polyrhythm/Hopper-v5').observation_space.shape)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, json.dumps(sys.path)],
        capture_output=True, text=True, timeout=1200, check=False, env={"PYTHONHOME": "", "PATH": os.environ["PATH"]},
    )
    assert run.stdout == "(11,)\n", run.stderr


ASYNC = """
if sys.argv[1] == "used":
    polyrhythm.make_vec("HalfCheetah-v5").close()
try:
    makers = [lambda: gymnasium.make("Polyrhythm/HalfCheetah-v5")] * 2
    env = gymnasium.vector.AsyncVectorEnv(makers, context=sys.argv[2])
    env.reset(seed=1)
    print(env.step(np.zeros((2, 6), np.float32))[0].shape)
    env.close()
except polyrhythm.ForkError as e:
    print("ForkError", e)
"""


@pytest.mark.parametrize(
    ("before", "context", "says"), [("new", "fork", "(2, 17)"), ("used", "fork", "context='spawn'"),
        pytest.param("used", "spawn", "(2, 17)", marks=slow)]
)
def test_async_vector_env(tmp_path, before, context, says):
    """AsyncVectorEnv works where the library was not used before the fork, and else says why not."""
    script = tmp_path / "script.py"
    imports = "import sys, numpy as np, gymnasium, polyrhythm\n"  # of the spawned workers too
    script.write_text(imports + "if __name__ == '__main__':\n"
        + "".join(f"    {line}\n" for line in ASYNC.splitlines()))
    run = subprocess.run([sys.executable, str(script), before, context], capture_output=True, text=True, timeout=1200,
        check=False)
    assert says in run.stdout, run.stderr


def test_a_fork_after_creation():
    env = polyrhythm.make_vec("HalfCheetah-v5", 2, seed=1)
    env.reset()
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        texts = []
        for use in (lambda: env.step(np.zeros((2, 6))), env.reset, env.get_state,
            lambda: polyrhythm.make_vec("HalfCheetah-v5")):
            try:
                use()
                texts.append("went on")
            except polyrhythm.ForkError as error:
                texts.append(str(error))
        env.close()
        os.write(send, json.dumps(texts).encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        texts = json.loads(pipe.read())
    assert os.waitpid(child, 0)[1] == 0
    assert all("before this process was forked" in text for text in texts)
    env.step(np.zeros((2, 6)))


# Memory.


def test_arrays_are_shared():
    env = polyrhythm.make_vec("HalfCheetah-v5", 4, seed=1)
    observations, _ = env.reset()
    same = env.step(np.ones((4, 6)))[0]
    assert same is observations and not same.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        same.flags.writeable = True


@pytest.mark.parametrize("copy", [False, True])
def test_infos_are_the_callers(copy):
    env = polyrhythm.make_vec("HalfCheetah-v5", 4, seed=1, copy=copy)
    env.reset()
    infos = [env.step(sign * np.ones((4, 6)))[4] for sign in (1, -1)]
    kept = [{name: values.copy() for name, values in info.items()} for info in infos]
    env.step(np.ones((4, 6)))
    assert (infos[0]["x_velocity"] != infos[1]["x_velocity"]).all()
    for info, before in zip(infos, kept, strict=True):
        assert list(info) == list(before) and {"x_velocity", "_x_velocity"} <= set(info)
        for name, values in before.items():
            np.testing.assert_array_equal(info[name], values)
        info["x_velocity"][:] = 0


def test_arrays_outlive_their_environment():
    env = polyrhythm.make_vec("Humanoid-v5", 64, seed=1)
    observations, _ = env.reset()
    column = observations[:, 3]
    before = observations.copy()
    env.close()
    del env
    gc.collect()
    for _ in range(20):  # so that freed memory would be used again
        other = polyrhythm.make_vec("Humanoid-v5", 64, seed=2)
        other.reset()
        other.close()
    np.testing.assert_array_equal(observations, before)
    np.testing.assert_array_equal(column, before[:, 3])


def test_an_interrupted_make_leaves_nothing_open(monkeypatch):
    env = polyrhythm.make_vec("Hopper-v5")

    def interrupted(text):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(_library.json, "loads", interrupted)  # what is called when the worlds are open
        polyrhythm.make_vec("Hopper-v5")
    gc.collect()
    with pytest.raises(polyrhythm.Error, match="is not open"):
        _library.library().ask("close", number=ctypes.c_int64(env._handle.number.value + 1))


def test_use_after_close():
    env = polyrhythm.make_vec("HalfCheetah-v5", 4, seed=1)
    env.reset()
    state = env.get_state()
    env.close()
    env.close()
    for use in (
        lambda: env.step(np.zeros((4, 6))), env.reset, env.get_state, lambda: env.set_state(state),
        lambda: env.send(np.zeros((4, 6))), env.recv,
    ):
        with pytest.raises(ClosedEnvironmentError, match="closed"):
            use()


def test_wrong_handles_are_refused():
    """The C functions themselves, called with what was never open."""
    library = _library.library()
    for name, arguments in [
        ("polyrhythm_step", [ctypes.byref(ctypes.c_int32()), ctypes.byref(ctypes.c_int32())]),
        ("polyrhythm_reset", [None, None, None]),
    ]:
        with pytest.raises(polyrhythm.Error, match="is not open"):
            library.call(name, 987654, *arguments)
    number = ctypes.c_int64(987654)
    with pytest.raises(polyrhythm.Error, match="is not open"):
        library.ask("close", number=number)
    library.ask("release", number=number)
    with pytest.raises(ImportError, match='another version than its caller.*there is no function "begin"'):
        library.ask("begin")


def test_box2d_worlds_take_little_memory():
    """The library's allocator takes the place of Box2D's, whose count would be 0 and whose worlds take 130 KiB."""
    library = _library.library()
    library.c.pb_chunkBytes.restype = ctypes.c_int64
    before = library.c.pb_chunkBytes()
    env = polyrhythm.make_vec("LunarLander-v3", 8)
    env.reset(seed=1)
    assert 1024 < (library.c.pb_chunkBytes() - before) / 8 < 16384
    env.close()


class Mallinfo2(ctypes.Structure):
    """As glibc has it."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def allocated():
    """The bytes that malloc has handed out: worlds, models and what calls of the library return. What the process has
    from the system goes up and down with the machine."""
    libc = ctypes.CDLL("libc.so.6")
    libc.mallinfo2.restype = Mallinfo2
    gc.collect()
    info = libc.mallinfo2()
    return info.uordblks + info.hblkhd  # in all arenas, and in mappings


def test_no_growth_over_many_environments():
    """Making and closing environments leaves nothing; POLYTEST_CYCLES=10000 for the full count."""
    cycles = int(os.environ.get("POLYTEST_CYCLES", "150" if SLOW else "60"))
    actions = np.zeros((2, 3))

    def cycle():
        env = polyrhythm.make_vec("Hopper-v5", 2, seed=1)
        env.reset()
        env.step(actions)
        env.close()

    for _ in range(10):  # what is made once
        cycle()
    before = allocated()
    for _ in range(cycles):
        cycle()
    grown = allocated() - before
    print(f"{cycles} cycles: {before / 2**20:.1f} MiB, then {grown / cycles:+.1f} bytes a cycle")
    kept = polyrhythm.make_vec("Hopper-v5", 2, seed=1)
    one = allocated() - before - grown
    kept.close()
    assert grown < one * cycles / 100, f"{grown} bytes after {cycles} environments of {one} bytes"


def test_many_worlds_fit():
    """16,384 HalfCheetahs, stepped, fit into 1.5 GiB."""
    program = (
        "import numpy as np, polyrhythm\n"
        "env = polyrhythm.make_vec('HalfCheetah-v5', 16384, seed=1, workers=2)\n"
        "env.reset()\n"
        "for _ in range(3): env.step(np.zeros((16384, 6), np.float32))\n"
        "print([int(l.split()[1]) for l in open('/proc/self/status') if l.startswith('VmHWM')][0])\n"
        "env.close()\n"
    )
    peak = int(in_new_process(program)) * 1024
    print(f"16,384 worlds: {peak / 2**30:.2f} GiB at most")
    assert peak < 1.5 * 2**30


LITTLE_MEMORY = """
import functools, resource, numpy as np, polyrhythm
def limit(more):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.RLIM_INFINITY))
def make(*arguments, maker=functools.partial(polyrhythm.make_vec, workers=2)):
    try:
        env = maker(*arguments)
    except MemoryError as error:
        print(error)
    else:
        env.reset(seed=1)
        env.step(np.zeros((200, 6), np.float32))
        env.close()
        print("stepped")
limit(1 << 30)
make("HalfCheetah-v5", 200)
make("HalfCheetah-v5", maker=polyrhythm.make)
limit((3 << 30) + (144 << 20) * polyrhythm._library.os.cpu_count())  # 1 GiB more than the library wants
make("LunarLander-v3", 200_000)
make("HalfCheetah-v5", 1_000_000)
make("HalfCheetah-v5", 200)
"""


def test_little_memory_is_a_memory_error():
    """Where an allocation fails Go and C end the process, so there is none."""
    library, single, landers, cheetahs, few = in_new_process(LITTLE_MEMORY).splitlines()
    for text in (library, single):
        needs = r"polyrhythm's library needs [\d.]+ GiB of address space \(ulimit -v\)"
        assert re.fullmatch(needs + r"; [01]\.\d GiB are left", text)
    for worlds, text in [("200000 worlds of LunarLander-v3", landers), ("1000000 worlds of HalfCheetah-v5", cheetahs)]:
        assert re.fullmatch(worlds + r" need [\d.]+ GiB of address space \(ulimit -v\); [\d.]+ [MG]iB are left", text)
    assert few == "stepped"


# States.


def test_states():
    env = polyrhythm.make_vec("Hopper-v5", 6)
    env.reset()
    env.action_space.seed(2)
    actions = [env.action_space.sample() for _ in range(60)]
    for a in actions[:25]:
        env.step(a)
    state, observations = env.get_state(), env._observation.copy()
    want = [[np.array(x) for x in env.step(a)[:4]] for a in actions]
    others = [polyrhythm.make_vec("Hopper-v5", 6, workers=n, block_size=b) for n, b in [(1, None), (2, 3), (3, 1)]]
    for target in (env, *others):
        np.testing.assert_array_equal(target.set_state(state), observations)
        for a, step in zip(actions, want, strict=True):
            for x, y in zip(step, target.step(a)[:4], strict=True):
                np.testing.assert_array_equal(x, y)
    with pytest.raises(ValueError, match="snapshot"):
        env.set_state(state[:-7])
    with pytest.raises(ValueError, match="snapshot"):
        env.set_state(b"something else")
    with pytest.raises(TypeError, match="bytes"):
        env.set_state(observations)
    fewer, seeded = polyrhythm.make_vec("Hopper-v5", 5), polyrhythm.make_vec("Hopper-v5", 6, seed=3)
    for e, says in [(fewer, "worlds: 6"), (seeded, "seed: 3")]:
        with pytest.raises(ValueError, match=says):
            e.set_state(state)


def test_presets_of_the_library():
    """A configuration of the library itself is named like one of a file, and `gymnasium.make_vec` keeps the name."""
    name = "builtin:described/quadruped_commands.yaml"
    spin = {"spin": {"expr": "base_ang_vel[2]", "weight": 0.3}}
    envs = polyrhythm.make_vec(config=name, num_envs=2, rewards=spin)
    assert envs.spec.kwargs["config"] == name
    seen = envs.reset(seed=1)[0].copy()
    envs.close()
    files = polyrhythm.make_vec(config=ROOT / "configs" / "described" / "quadruped_commands.yaml", num_envs=2, rewards=spin)
    np.testing.assert_array_equal(files.reset(seed=1)[0], seen)
    files.close()
    with pytest.raises(ValueError, match=r'no preset "described/quadruped.yaml" comes with the program'):
        polyrhythm.make_vec(config="builtin:described/quadruped.yaml", num_envs=1)
