"""The cluster files in python/examples/cluster are what Ray takes."""

import os
import subprocess
import sys
from pathlib import Path

import ray
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "python/examples/cluster"


def test_machines():
    """Ray's own schema and defaults, as of `ray up`."""
    config = prepare_config(yaml.safe_load((EXAMPLES / "machines.yaml").read_text()))
    validate_config(config)
    assert config["max_workers"] == len(config["provider"]["worker_ips"])


def test_job():
    """A worker pod has the processors that the collectors ask for, and the shared folder."""
    job = yaml.safe_load((EXAMPLES / "rayjob.yaml").read_text())["spec"]
    words = job["entrypoint"].split()
    asked = {name: int(words[words.index(name) + 1]) for name in ("--slices", "--workers")}
    (group,) = job["rayClusterSpec"]["workerGroupSpecs"]
    (container,) = group["template"]["spec"]["containers"]
    assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    assert asked["--slices"] * asked["--workers"] <= group["replicas"] * int(container["resources"]["limits"]["cpu"])
    assert container["volumeMounts"][0]["name"] == group["template"]["spec"]["volumes"][0]["name"]
    assert job["entrypoint"].split()[1].endswith("train_on_ray.py") and (EXAMPLES / "train_on_ray.py").exists()


def test_the_script_trains(tmp_path):
    """train_on_ray.py, in the cluster that Ray finds."""
    about = ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False)
    text = (ROOT / "configs/quadruped.yaml").read_text()
    changes = [("worlds", 64, 8), ("enabled", "true", "false"), ("steps", "1_200_000", 1024), ("episodes", 20, 1)]
    for key, value, short in changes:
        text = text.replace(f"{key}: {value}", f"{key}: {short}")
    (tmp_path / "short.yaml").write_text(text)
    script = EXAMPLES / "train_on_ray.py"
    command = [sys.executable, script, "--config", tmp_path / "short.yaml", "--out", tmp_path / "q"]
    try:
        environment = {**os.environ, "RAY_ADDRESS": about.address_info["gcs_address"]}
        done = subprocess.run([*command, "--slices", "2"], env=environment, capture_output=True, text=True)
    finally:
        ray.shutdown()
    assert done.returncode == 0, done.stderr
    assert "1024 steps, mean return" in done.stdout
    assert (tmp_path / "q/run.json").exists() and not (tmp_path / "q/resume.state").exists()
