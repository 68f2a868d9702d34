"""What a user of the wheel does, and what came of it, as JSON. Run by the Python that has the package."""

import ctypes
import hashlib
import json
import sys
from pathlib import Path

import gymnasium
import numpy as np
import polyrhythm


def digest(*arrays):
    """SHA-256 of the bytes of arrays."""
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()


def steps_of_one(name):
    """50 steps of one world of `gymnasium.make`."""
    env = gymnasium.make(f"Polyrhythm/{name}")
    env.action_space.seed(3)
    seen = [env.reset(seed=2)[0]]
    for _ in range(50):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        seen += [observation, np.float64(reward)]
        if terminated or truncated:
            seen.append(env.reset()[0])
    env.close()
    return digest(*seen)


def steps_of_many(**which):
    """100 steps of 8 worlds."""
    envs = polyrhythm.make_vec(num_envs=8, workers=2, **which)
    envs.action_space.seed(3)
    seen = [envs.reset(seed=2)[0].copy()]
    for _ in range(100):
        observations, rewards, *_ = envs.step(envs.action_space.sample())
        seen += [observations.copy(), rewards]
    envs.close()
    return digest(*seen)


def picture(name):
    """The shape of a picture, or why there is none."""
    env = gymnasium.make(f"Polyrhythm/{name}", render_mode="rgb_array")
    env.reset(seed=1)
    try:
        return list(env.render().shape)
    except polyrhythm.Error as error:
        return str(error)
    finally:
        env.close()


def mapped():
    """The libraries in this process."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return sorted({words[5] for words in map(str.split, lines) if len(words) == 6 and ".so" in words[5]})


def box2d_bytes():
    """The bytes that a world of Box2D has its objects in, by the allocator that takes the place of Box2D's."""
    count = ctypes.CDLL(str(Path(polyrhythm.__file__).parent / "_lib" / "libpolyrhythm.so")).pb_chunkBytes
    count.restype = ctypes.c_int64
    envs = polyrhythm.make_vec(task="LunarLander-v3", num_envs=8)
    envs.reset(seed=1)
    each = count() / 8
    envs.close()
    return each


def main():
    tasks = ["HalfCheetah-v5", "Humanoid-v5", "Pusher-v5", "LunarLander-v3", "BipedalWalkerHardcore-v3"]
    result = {
        "package": str(Path(polyrhythm.__file__).parent),
        "one": {name: steps_of_one(name) for name in tasks},
        "many": {name: steps_of_many(task=name) for name in tasks}
            | {"Quadruped-v0": steps_of_many(task="Quadruped-v0")},
        "pictures": {name: picture(name) for name in ["HalfCheetah-v5", "LunarLander-v3"]},
    }
    if len(sys.argv) > 1:
        policy = polyrhythm.Policy.load(sys.argv[1])
        envs = policy.make_vec(seed=7)
        observations, _ = envs.reset()
        result["act"] = digest(policy.act(observations))
        envs.close()
    result["mapped"], result["box2d_bytes"] = mapped(), box2d_bytes()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
