"""Play Gymnasium's own MuJoCo tasks, for the Go tests to compare with.

Standard input holds one request per line, a JSON object: "task", "arguments" of
its constructor, "seed", "steps" and "resets". Each is answered with one line: the
constructor's defaults, and what the environment said at every reset and in every
step of "steps" random actions. An episode that is over is followed by the next
one, and after the steps come as many resets more as were asked for. Arrays travel
as the base64 of their bytes, so that every bit arrives.
"""

import base64
import inspect
import json
import sys

import gymnasium
import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.1", mujoco.__version__
assert gymnasium.__version__ == "1.4.0", gymnasium.__version__


def packed(values):
    return base64.b64encode(np.asarray(values, dtype="<f8").tobytes()).decode()


def flat(info):
    """An info dictionary as names and numbers, vectors as name[i]."""
    values = {}
    for name, value in info.items():
        if np.ndim(value) == 0:
            values[name] = float(value)
        else:
            values.update({f"{name}[{i}]": float(v) for i, v in enumerate(value)})
    return values


def number(value):
    """Undoes what JSON cannot say: infinite limits come as text."""
    if isinstance(value, list):
        return tuple(number(v) for v in value)
    return float(value) if value in ("+Inf", "-Inf") else value


def defaults(env):
    """The constructor's own arguments and their defaults."""
    arguments = inspect.signature(type(env.unwrapped).__init__).parameters.values()
    return {
        a.name: ([str(float(v)) for v in a.default] if isinstance(a.default, tuple) else a.default)
        for a in arguments
        if a.name != "default_camera_config" and a.default is not inspect.Parameter.empty
    }


def play(env, seed, steps, more):
    def reset(**kwargs):
        observation, info = env.reset(**kwargs)
        data, info = env.unwrapped.data, flat(info)
        resets.append(
            {
                "qpos": packed(data.qpos),
                "qvel": packed(data.qvel),
                "observation": packed(observation),
                "names": list(info),
                "info": packed(list(info.values())),
            }
        )

    resets, actions, observations, rewards, terminations, truncations, infos = [], [], [], [], [], [], []
    reset(seed=seed)
    env.action_space.seed(seed)
    for _ in range(steps):
        action = env.action_space.sample()
        observation, reward, terminated, truncated, info = env.step(action)
        info = flat(info)
        actions.append(action)
        observations.append(observation)
        rewards.append(reward)
        terminations.append(bool(terminated))
        truncations.append(bool(truncated))
        infos.append(list(info.values()))
        if terminated or truncated:
            reset()
    for _ in range(more):
        reset()
    return {
        "defaults": defaults(env),
        "max_steps": env.spec.max_episode_steps,
        "low": packed(env.action_space.low),
        "high": packed(env.action_space.high),
        "resets": resets,
        "actions": packed(actions),
        "observations": packed(observations),
        "rewards": packed(rewards),
        "terminated": terminations,
        "truncated": truncations,
        "names": list(info) if steps else [],
        "info": packed(infos),
    }


for line in sys.stdin:
    request = json.loads(line)
    arguments = {name: number(value) for name, value in request["arguments"].items()}
    env = gymnasium.make(request["task"], **arguments)
    answer = play(env, request["seed"], request["steps"], request["resets"])
    env.close()
    print(json.dumps(answer))
