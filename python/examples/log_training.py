"""Train, and send the metrics of each iteration to Weights & Biases or MLflow while it goes on.

    python python/examples/log_training.py --to wandb -- --task HalfCheetah-v5 --out runs/cheetah

What follows -- are the arguments of `train run`; --out has to be among them. Only the service's own package is needed,
and with --to print none. Of Polyrhythm nothing but the program `train` is used.
"""

import argparse
import csv
import importlib
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def follow(run: Path, going: Callable[[], bool]) -> Iterator[dict[str, float]]:
    """The rows of a run's metrics.csv, as they are written, until `going` says that the run has ended."""
    columns: list[str] = []
    begun, rest, more = 0, "", True
    while more:
        more = going()
        if (run / "metrics.csv").exists():
            with open(run / "metrics.csv", newline="") as file:
                file.seek(begun)
                text = file.read()
                begun = file.tell()
            lines = (rest + text).split("\n")
            rest = lines.pop()  # of a line that is not whole yet
            for cells in csv.reader(lines):
                if columns:
                    yield {name: float(cell) for name, cell in zip(columns, cells, strict=True) if cell}
                else:
                    columns = cells
        if more:
            time.sleep(0.2)


def service(name: str, project: str) -> Callable[[int, dict[str, float]], object]:
    """What takes metrics after a number of environment steps."""
    if name == "wandb":
        wandb = importlib.import_module("wandb")
        log = wandb.init(project=project).log
        return lambda steps, metrics: log(metrics, step=steps)
    if name == "mlflow":
        mlflow = importlib.import_module("mlflow")
        mlflow.set_experiment(project)
        return lambda steps, metrics: mlflow.log_metrics(metrics, step=steps)
    return lambda steps, metrics: print(json.dumps({"step": steps, **metrics}), flush=True)


def main() -> int:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--to", choices=["wandb", "mlflow", "print"], default="print")
    parse.add_argument("--project", default="polyrhythm")
    parse.add_argument("--train", default="train", help="the program")
    parse.add_argument("arguments", nargs="+", help="those of train run")
    given = parse.parse_args()
    among = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    among.add_argument("--out", type=Path)
    run = among.parse_known_args(given.arguments)[0].out
    if run is None:
        parse.error("no --out DIR among the arguments of train run, want one")
    log = service(given.to, given.project)
    training = subprocess.Popen([given.train, "run", *given.arguments], stdout=subprocess.DEVNULL)
    steps = 0
    for row in follow(run, lambda: training.poll() is None):
        steps = int(row.pop("env_steps"))
        log(steps, row)
    if training.wait() == 0:
        about = json.loads((run / "run.json").read_text())["evaluation"]
        log(steps, {f"evaluation/{name}": about[name] for name in ("mean_return", "std_return", "mean_length")})
    return training.returncode


if __name__ == "__main__":
    raise SystemExit(main())
