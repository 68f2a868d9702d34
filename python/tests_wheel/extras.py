"""What a user of one extra does, as `python extras.py EXTRA`, in an empty folder, with `train` of the wheel in PATH."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polyrhythm


def recorded(*more):
    """The dataset of two short episodes, which `train` recorded."""
    rollout = ["train", "rollout", "--task", "InvertedPendulum-v5", "--policy", "random", "--episodes", "2"]
    subprocess.run([*rollout, *more, "--out", "walk"], check=True)
    return Path("walk")


def live():
    from polyrhythm import live as worlds

    serve = ["train", "serve", "--task", "quadruped", "--policy", "zero", "--out", "live"]
    here = ["--listen", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]
    with subprocess.Popen([*serve, *here], stderr=subprocess.PIPE, text=True) as server:
        try:
            address = next(line.split("grpc://")[1].strip() for line in server.stderr if "grpc://" in line)
            with worlds.connect(address, name="extras", timeout=60) as run:
                run.pause()
                run.reset(seed=7)
                run.action(np.zeros(len(run.description.action_low)))
                assert np.isfinite(run.step().reward[0])
        finally:
            server.terminate()
            server.stderr.read()


def datasets():
    from datasets import load_from_disk
    from polyrhythm import dataset

    folder = recorded()
    rows = load_from_disk(str(folder))
    np.testing.assert_array_equal(dataset.observations(folder), np.array(rows["observation"]))


def minari():
    folder = recorded("--set", "recording.tables=[capture, control]")
    subprocess.run(["train", "export", folder, "--to", "minari", "--out", "exported-v0"], check=True)
    subprocess.run([sys.executable, "-m", "polyrhythm.minari", "exported-v0", "--out", "rows"], check=True)
    assert Path("rows/meta/info.json").is_file()


def sb3():
    from polyrhythm.sb3 import VecEnv
    from stable_baselines3 import PPO

    envs = VecEnv(polyrhythm.make_vec("InvertedPendulum-v5", 4, autoreset_mode="SameStep"))
    PPO("MlpPolicy", envs, n_steps=32, batch_size=64, n_epochs=1, device="cpu").learn(128)


def ray():
    import ray as cluster
    from polyrhythm import ray as on_ray

    cluster.init(num_cpus=2, include_dashboard=False)
    on_ray.rollout("InvertedPendulum-v5", policy="random", episodes=4, out="walk", slices=2)
    rows = on_ray.read_dataset("walk").count()
    assert rows == sum(row["steps"] for row in on_ray.read_dataset("walk", "episodes").take_all())


os.environ["HF_HUB_OFFLINE"] = "1"
{"live": live, "datasets": datasets, "minari": minari, "sb3": sb3, "ray": ray}[sys.argv[1]]()
