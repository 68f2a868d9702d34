"""Pictures of worlds, as Gymnasium's users expect them."""

import sys
import types

import gymnasium
import numpy as np
import polyrhythm
import pytest
from gymnasium.error import ResetNeeded
from polyrhythm import _pictures

QUADRUPED = "configs/quadruped.yaml"


@pytest.mark.parametrize(("rate", "fps"), [("50", 50), ("200/3", 67), ("1/2", 1), ("1/10", 1)])
def test_frames_per_second(rate, fps):
    assert _pictures.metadata({"control_rate": rate})["render_fps"] == fps


@pytest.mark.parametrize(
    ("task", "shape", "fps"),
    [("HalfCheetah-v5", (480, 480, 3), 20), ("LunarLander-v3", (400, 600, 3), 50), ("Quadruped-v0", (480, 480, 3), 50)],
)
def test_a_picture_of_each_engine(task, shape, fps):
    env = gymnasium.make(f"Polyrhythm/{task}", render_mode="rgb_array")
    assert env.metadata["render_modes"] == ["rgb_array"]
    assert env.metadata["render_fps"] == fps
    env.action_space.seed(1)
    env.reset(seed=0)
    first = env.render()
    assert first.shape == shape and first.dtype == np.uint8 and first.flags.owndata
    assert (env.render() == first).all()
    for _ in range(8):
        env.step(env.action_space.sample())
    second = env.render()
    assert (second != first).any() and len(np.unique(first.reshape(-1, 3), axis=0)) > 4
    env.reset(seed=0)
    assert (env.render() == first).all(), "the same state gives another picture"


def test_size_and_camera():
    env = polyrhythm.make("Ant-v5", render_mode="rgb_array", width=64, height=48)
    env.reset(seed=1)
    follows = env.render()
    assert follows.shape == (48, 64, 3)
    free = polyrhythm.make("Ant-v5", render_mode="rgb_array", width=64, height=48, camera_id=-1)
    free.reset(seed=1)
    assert (free.render() != follows).any()
    for env, names in [(env, dict(camera_name="track")), (free, dict(camera_id=0))]:
        named = polyrhythm.make("Ant-v5", render_mode="rgb_array", width=64, height=48, **names)
        named.reset(seed=1)
        assert (named.render() == follows).all()
        named.close()
        env.close()


def test_a_vector_has_a_picture_of_each_world():
    envs = gymnasium.make_vec("Polyrhythm/Hopper-v5", num_envs=3, render_mode="rgb_array", width=40, height=30)
    envs.action_space.seed(1)
    envs.reset(seed=[1, 2, 1])
    frames = envs.render()
    assert isinstance(frames, tuple) and [frame.shape for frame in frames] == [(30, 40, 3)] * 3
    assert (frames[0] == frames[2]).all()
    envs.step(envs.action_space.sample())
    envs.close()
    of_configuration = polyrhythm.make_vec(config=QUADRUPED, num_envs=2, render_mode="rgb_array", width=40, height=30)
    of_configuration.reset()
    assert len(of_configuration.render()) == 2


@pytest.fixture
def clips(monkeypatch):
    """The frames of what RecordVideo writes; moviepy, which would encode them, is replaced."""
    found = []

    class Clip:
        def __init__(self, frames, fps):
            found.append((list(frames), fps))

        def write_videofile(self, path, **_):
            with open(path, "wb") as file:
                file.write(b"clip")

    for name in ["moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"]:
        module = types.ModuleType(name)
        module.ImageSequenceClip = Clip
        monkeypatch.setitem(sys.modules, name, module)
    return found


def test_record_video(tmp_path, clips):
    env = gymnasium.make("Polyrhythm/LunarLander-v3", render_mode="rgb_array", max_episode_steps=12)
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path), episode_trigger=lambda episode: episode == 0)
    env.action_space.seed(1)
    env.reset(seed=3)
    for _ in range(12):
        env.step(env.action_space.sample())
    env.close()
    (frames, fps), = clips
    assert len(frames) == 13 and fps == 50 and all(frame.shape == (400, 600, 3) for frame in frames)
    assert [path.name for path in tmp_path.iterdir()] == ["rl-video-episode-0.mp4"]


def test_record_video_of_a_vector(tmp_path, clips):
    envs = gymnasium.make_vec("Polyrhythm/LunarLander-v3", num_envs=2, render_mode="rgb_array")
    envs = gymnasium.wrappers.vector.RecordVideo(envs, str(tmp_path), step_trigger=lambda step: step == 0,
        video_length=5)
    envs.action_space.seed(1)
    envs.reset(seed=3)
    for _ in range(6):
        envs.step(envs.action_space.sample())
    envs.close()
    (frames, fps), = clips
    assert fps == 50 and len(frames) == 6 and frames[0].size >= 2 * 400 * 600 * 3


def test_errors():
    with pytest.raises(ValueError, match="width is 0, want an integer from 1 to 4096"):
        polyrhythm.make_vec("Hopper-v5", render_mode="rgb_array", width=0)
    with pytest.raises(ValueError, match="want one of them"):
        polyrhythm.make_vec("Hopper-v5", render_mode="rgb_array", camera_id=0, camera_name="track")
    envs = polyrhythm.make_vec("Hopper-v5", render_mode="rgb_array", camera_name="trak")
    with pytest.raises(ValueError, match='the nearest known one is "track"'):
        envs.render()
    envs.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        envs.render()
    envs = polyrhythm.make_vec("Hopper-v5", render_mode="rgb_array", camera_id=5)
    with pytest.raises(ValueError, match="camera_id is 5, want -1 to 0"):
        envs.render()
    envs.close()
    env = polyrhythm.Env("Hopper-v5", render_mode="rgb_array")
    with pytest.raises(ResetNeeded):
        env.render()


def test_a_picture_shows_the_looks_of_its_world():
    """Pixel by pixel what a camera of the world sees, whose colours, light and place events have changed."""
    size = dict(width=24, height=18)
    events = [
        {"term": "geom_rgba", "geoms": [".*"], "ranges": [0, 1]},
        {"term": "light_diffuse", "lights": [".*"], "ranges": [0.2, 1]},
        {"term": "sky_zenith", "ranges": [0, 1]},
        {"term": "cam_pos", "cameras": ["above"], "ranges": {"x": [-0.05, 0.05]}},
        {"term": "body_pos", "bodies": ["part"], "ranges": {"x": [-0.05, 0.05]}},
        {"term": "geom_rgba", "name": "later", "geoms": [".*"], "ranges": [0, 1], "mode": "interval",
         "interval": ["50ms", "90ms"]},
    ]  # fmt: skip
    camera = {"name": "above", "kinds": ["rgb"], "samples": 4, **size}
    envs = polyrhythm.make_vec(
        config="configs/described/gantry.yaml", num_envs=2, render_mode="rgb_array", camera_name="above", **size,
        pictures="dict", events=events, sensors=[{"name": "eye", "runner": "Robot", "camera": camera}],
        observations={"policy": [{"term": "sensor", "channel": "eye"}]},
    )  # fmt: skip
    envs.action_space.seed(1)
    seen, _ = envs.reset(seed=5)
    shown = set()
    for _ in range(6):
        pictures = envs.render()
        for world in range(2):
            assert (pictures[world] == seen["eye/rgb"][world]).all()
            shown.add(pictures[world].tobytes())
        seen, *_ = envs.step(envs.action_space.sample())
    envs.close()
    assert len(shown) == 12


def test_drawing_changes_nothing():
    """A run with pictures has the states of one without."""
    plain = polyrhythm.make_vec("BipedalWalker-v3", num_envs=2)
    drawn = polyrhythm.make_vec("BipedalWalker-v3", num_envs=2, render_mode="rgb_array", width=30, height=20)
    plain.action_space.seed(1)
    plain.reset(seed=4)
    drawn.reset(seed=4)
    for _ in range(10):
        action = plain.action_space.sample()
        a, *_ = plain.step(action)
        b, *_ = drawn.step(action)
        drawn.render()
        assert (a == b).all()


def test_one_world_of_a_described_task(tmp_path):
    env = polyrhythm.make(config="configs/quadruped.yaml", render_mode="rgb_array", width=64, height=48,
        seed=3)
    env.action_space.seed(1)
    observation, _ = env.reset(seed=5)
    assert observation in env.observation_space
    assert env.render().shape == (48, 64, 3)
    many = polyrhythm.make_vec(config="configs/quadruped.yaml", num_envs=1, seed=5, autoreset_mode="disabled")
    assert (many.reset(seed=5)[0][0] == observation).all()
    steps = 0
    while True:
        action = env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(action)
        other = many.step(action[None])
        assert (other[0][0] == observation).all() and other[1][0] == reward
        steps += 1
        if terminated or truncated:
            break
    assert steps <= 1000
    env.close()
    many.close()

    short = polyrhythm.make(config="configs/quadruped.yaml", max_episode_steps=3)
    short.reset(seed=1)
    ends = [short.step(np.zeros(12, np.float32))[3] for _ in range(3)]
    assert ends == [False, False, True]
    short.close()
    with pytest.raises(TypeError, match="want one of a task and config="):
        polyrhythm.make("HalfCheetah-v5", config="configs/quadruped.yaml")
    with pytest.raises(ValueError, match="max_stepz"):
        polyrhythm.make(config="configs/quadruped.yaml", max_stepz=3)
