"""Print what Gymnasium's own Box2D tasks do, for the Go tests to compare with.

Usage: box2d_episodes.py TASK ARGUMENTS EPISODES CONTROLLER DETAIL

ARGUMENTS is a JSON object for gymnasium.make. CONTROLLER is "heuristic",
Gymnasium's own one, or "random". DETAIL is "steps" for everything that each step
did, "steps:N" for that of the first N, or "returns" for the outcome of each episode
alone.

One JSON object per episode. Numbers are in hexadecimal, so that every bit
arrives; long rows of draws are doubles in base64.
"""

import base64
import json
import sys

import Box2D
import gymnasium
import numpy as np
from gymnasium.envs.box2d.bipedal_walker import BipedalWalkerHeuristics
from gymnasium.envs.box2d.lunar_lander import heuristic as lander_heuristic

assert Box2D.__version__ == "2.3.10", Box2D.__version__
assert gymnasium.__version__ == "1.4.0", gymnasium.__version__

task, arguments, episodes, controller, detail = sys.argv[1:6]
detail, _, most = detail.partition(":")
env = gymnasium.make(task, **json.loads(arguments), disable_env_checker=True)
inner = env.unwrapped
is_lander = task.startswith("LunarLander")


def exact(values):
    return [float(v).hex() for v in np.asarray(values, dtype=np.float64).ravel()]


class Draws:
    """A generator that keeps what it has given."""

    def __init__(self, seed):
        self.generator = np.random.Generator(np.random.PCG64(seed))
        self.given = []

    def __getattr__(self, name):
        def draw(*args, **kwargs):
            value = getattr(self.generator, name)(*args, **kwargs)
            self.given.extend(np.asarray(value, dtype=np.float64).ravel())
            return value

        return draw


class Spy:
    """A body that keeps the pushes it is given."""

    pushes = ("ApplyLinearImpulse", "ApplyForceToCenter", "ApplyTorque")

    def __init__(self, body):
        self.body = body
        self.given = {name: [] for name in self.pushes}

    def __getattr__(self, name):
        value = getattr(self.body, name)
        if name not in self.pushes:
            return value

        def push(*args):
            self.given[name].append(exact(np.concatenate([np.ravel(a) for a in args[:-1]])))
            return value(*args)

        return push

    def __eq__(self, other):
        return self.body == other

    def taken(self):
        given, self.given = self.given, {name: [] for name in self.pushes}
        return given


def body(b):
    p, v = b.position, b.linearVelocity
    return exact([p.x, p.y, b.angle, v.x, v.y, b.angularVelocity])


def parts():
    """Bodies, joints, legs that tell of contacts, rays, and static shapes in the order they were made."""
    if is_lander:
        return [inner.lander, *inner.legs], [leg.joint for leg in inner.legs], inner.legs, [], inner.moon.fixtures
    static = [t.fixtures[0] for t in reversed(inner.terrain)]
    return [inner.hull, *inner.legs], inner.joints, inner.legs[1::2], inner.lidar, static


def state():
    """What observation and reward are made of."""
    bodies, joints, feet, rays, _ = parts()
    return {
        "bodies": [body(b) for b in bodies],
        "joints": [exact([j.angle, j.speed]) for j in joints],
        "contacts": [bool(foot.ground_contact) for foot in feet],
        "rays": exact([ray.fraction for ray in rays]),
        "crashed": bool(inner.game_over),
        "awake": bool(bodies[0].awake),
    }


def scene():
    """What the bodies, their shapes and joints are made of."""
    bodies, joints, _, _, static = parts()
    made = []
    for b in bodies:
        f, c = b.fixtures[0], b.localCenter
        about_center = b.inertia - b.mass * (c.x * c.x + c.y * c.y)
        filters = [f.filterData.categoryBits, f.filterData.maskBits]
        made.append(exact([b.mass, about_center, c.x, c.y, f.friction, f.restitution, f.density, *filters]))
    return {
        "bodies": made,
        "joints": [exact([j.lowerLimit, j.upperLimit, j.motorSpeed]) for j in joints],
        "friction": exact([f.friction for f in static]),
    }


for episode in range(int(episodes)):
    draws = Draws(episode)
    inner._np_random = draws
    observation, _ = env.reset()
    reset_draws = len(draws.given)
    rng = np.random.Generator(np.random.PCG64([episode, 1]))
    walker = BipedalWalkerHeuristics()
    walker.a = np.zeros(4)
    action = np.zeros(4)
    ground = [exact(f.shape.vertices) for f in parts()[-1]]
    out = {"ground": ground, "observation": exact(observation), "state": state(), "scene": scene(), "steps": []}
    if is_lander:
        inner.lander = Spy(inner.lander)
    total, steps, terminated, truncated = 0.0, 0, False, False
    while not (terminated or truncated or (most and steps == int(most))):
        if controller == "random":
            if is_lander and not inner.continuous:
                action = int(rng.integers(0, 4))
            else:  # some beyond the bounds
                action = (1.2 * rng.uniform(-1, 1, env.action_space.shape)).astype(np.float32)
        elif is_lander:
            action = lander_heuristic(env, observation)
        elif steps > 0:
            action = walker.step_heuristic(observation)
        drawn = len(draws.given)
        observation, reward, terminated, truncated, _ = env.step(action)
        total += float(reward)
        steps += 1
        if detail == "steps":
            step = {
                "action": exact(action),
                "draws": exact(draws.given[drawn:]),
                "state": state(),
                "observation": exact(observation),
                "reward": float(reward).hex(),
                "terminated": bool(terminated),
            }
            if is_lander:
                pushes = inner.lander.taken()
                step["impulses"] = pushes["ApplyLinearImpulse"]
                step["force"] = pushes["ApplyForceToCenter"]
                step["torque"] = pushes["ApplyTorque"]
            out["steps"].append(step)
    out |= {"return": total.hex(), "length": steps, "terminated": bool(terminated)}
    if is_lander:  # what the rest of the steps would have drawn
        for _ in range(2 * (1000 - steps)):
            draws.uniform(-1, 1)
    out["draws"] = base64.b64encode(np.asarray(draws.given, dtype="<f8").tobytes()).decode()
    out["reset_draws"] = reset_draws
    print(json.dumps(out))
