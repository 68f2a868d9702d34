"""Train on the machines of the Ray cluster that this one is part of.

    python train_on_ray.py --config /shared/quadruped.yaml --out /shared/q --slices 8 --workers 4

The cluster needs slices × workers processors. Called again after an interruption, it goes on.
"""

import argparse
from pathlib import Path

import ray

from polyrhythm import ray as on_ray


def main() -> None:
    parse = argparse.ArgumentParser()
    parse.add_argument("--config", required=True, help="on all machines")
    parse.add_argument("--out", required=True, type=Path)
    parse.add_argument("--slices", type=int, default=2)
    parse.add_argument("--workers", type=int, default=1, help="processors of each slice")
    arguments = parse.parse_args()

    ray.init("auto")
    if (arguments.out / "resume.state").exists():
        report = on_ray.train(out=arguments.out, slices=arguments.slices, workers=arguments.workers, resume=True)
    else:
        report = on_ray.train(config=arguments.config, out=arguments.out, slices=arguments.slices,
            workers=arguments.workers)
    print(f"{report['env_steps']} steps, mean return {report['evaluation']['mean_return']:.1f}")


if __name__ == "__main__":
    main()
