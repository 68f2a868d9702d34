"""Exports small policies of Stable-Baselines3, rsl_rl and PyTorch to ONNX, as their users do, each with observations and what
PyTorch makes of them: exports.py FOLDER. What it wrote with stable-baselines3 2.9.2, rsl-rl-lib 5.5.1 and torch 2.15.0 is
beside it, and read by TestExportsOfOthers. A file NAME.json has, by the names of the model's ports, the inputs and outputs of
control steps that follow each other, each input of a state being zero or the output before."""

import json
import pathlib
import sys

import gymnasium
import numpy as np
import onnx
import stable_baselines3
import torch
from rsl_rl.models import RNNModel
from tensordict import TensorDict

torch.manual_seed(1)
rng = np.random.default_rng(1)
folder = pathlib.Path(sys.argv[1])


def export(name, module, inputs, names, outputs, states=None, **options):
    """Exports a module, and writes what it does in some steps. states leads from inputs to outputs."""
    module.eval()
    path = folder / f"{name}.onnx"
    torch.onnx.export(module, tuple(inputs), str(path), input_names=names, output_names=outputs, **options)
    saved = onnx.load(path)  # without the stack of each node, which has paths of the machine
    for node in saved.graph.node:
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    onnx.save(saved, path)
    steps = []
    for step in range(5):
        inputs[0] = torch.tensor(rng.normal(0, 1 + step, inputs[0].shape), dtype=torch.float32)
        with torch.no_grad():
            results = module(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        given = dict(zip(outputs, results))
        steps.append({
            "inputs": {n: v.flatten().tolist() for n, v in zip(names, inputs)},
            "outputs": {n: v.flatten().tolist() for n, v in given.items()},
        })
        for i, n in enumerate(names):
            if states and n in states:
                inputs[i] = given[states[n]]
    (folder / f"{name}.json").write_text(json.dumps(steps) + "\n")


class Acting(torch.nn.Module):
    """What Stable-Baselines3's documentation exports: policy(observation, deterministic=True)."""

    def __init__(self, policy):
        super().__init__()
        self.policy = policy

    def forward(self, observation):
        return self.policy(observation, deterministic=True)


class Actor(torch.nn.Module):
    """The same of SAC, whose documentation exports the actor alone."""

    def __init__(self, actor):
        super().__init__()
        self.actor = actor

    def forward(self, observation):
        return self.actor(observation, deterministic=True)


def rsl_rl(kind, layers, normalised):
    """A model of rsl_rl as its runner exports it."""
    observed = {"policy": torch.randn(64, 10) * 2 + 1}
    model = RNNModel(TensorDict(observed, batch_size=[64]), {"actor": ["policy"]}, "actor", 3, [16, 16], "elu", normalised,
                     {"class_name": "GaussianDistribution", "init_std": 1.0}, kind, 12, layers)
    model.update_normalization(TensorDict(observed, batch_size=[64]))
    return model.as_onnx()


class Many(torch.nn.Module):
    """A network of layers that are not in the others."""

    def __init__(self, observed, actions):
        super().__init__()
        self.norm, self.batch = torch.nn.LayerNorm(observed), torch.nn.BatchNorm1d(24)
        self.batch.running_mean.normal_()
        self.batch.running_var.uniform_(0.5, 2)
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(n, 24) for n in [observed] + [24] * 8)
        self.seen = torch.nn.Conv1d(3, 4, 3, stride=2, padding=1)
        self.out = torch.nn.Linear(24 + 16, actions)

    def forward(self, obs):
        f = torch.nn.functional
        x = self.batch(self.hidden[0](self.norm(obs)))
        kinds = [f.silu, f.mish, f.gelu, f.selu, f.softplus, f.leaky_relu, f.hardtanh, f.celu]
        for layer, kind in zip(self.hidden[1:], kinds):
            x = kind(layer(x))
        seen = f.relu(self.seen(obs.reshape(obs.shape[0], 3, -1))).flatten(1)
        x = torch.cat([f.softmax(x, -1), seen / seen.norm(dim=-1, keepdim=True).clamp(min=1e-3)], -1)
        return torch.tanh(self.out(x))


def main():
    tasks = {
        "sb3_ppo": (stable_baselines3.PPO, "Reacher-v5", Acting),
        "sb3_ppo_discrete": (stable_baselines3.PPO, "CartPole-v1", Acting),
        "sb3_sac": (stable_baselines3.SAC, "Reacher-v5", Actor),
    }
    for name, (algorithm, task, acting) in tasks.items():
        env = gymnasium.make(task)
        model = algorithm("MlpPolicy", env, policy_kwargs={"net_arch": [16, 16]}, device="cpu", seed=1)
        size = env.observation_space.shape[0]
        policy = acting(model.policy if acting is Acting else model.policy.actor)
        outputs = ["actions", "values", "log_prob"] if acting is Acting else ["actions"]
        export(name, policy, [torch.zeros(1, size)], ["input"], outputs, opset_version=17, dynamo=False)
    for name, kind, layers, options in [
        ("rsl_rl_lstm", "lstm", 2, {"dynamo": False, "opset_version": 11}),
        ("rsl_rl_lstm_dynamo", "lstm", 2, {"dynamo": True, "opset_version": 18, "external_data": False}),
        ("rsl_rl_gru", "gru", 1, {"dynamo": False, "opset_version": 18}),
    ]:
        model = rsl_rl(kind, layers, kind == "lstm")
        names, outputs = model.input_names, model.output_names
        export(name, model, list(model.get_dummy_inputs()), names, outputs, dict(zip(names[1:], outputs[1:])), **options)
    axes = {"obs": {0: "batch"}, "actions": {0: "batch"}}
    export("torch", Many(24, 4), [torch.zeros(2, 24)], ["obs"], ["actions"], dynamo=False, opset_version=17, dynamic_axes=axes)
    export("torch_dynamo", Many(24, 4), [torch.zeros(1, 24)], ["obs"], ["actions"], dynamo=True, external_data=False)


main()
