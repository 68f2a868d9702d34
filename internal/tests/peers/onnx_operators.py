"""Writes models of one operator each, with what onnxruntime makes of random inputs: onnx_operators.py FOLDER. Each model
reads x, 1 × values, which the operator gets in its own shape, and gives y, 1 × values."""

import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(1)
cases = {}


def floats(*shape):
    return rng.normal(0, 1, shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def case(name, operator, dims, *constants, outputs=1, take=0, cast=None, opset=21, positive=False, first=(), **attributes):
    """A model of an operator that reads x in dims, then constants; None is an input that is left out. first are
    constants before x, and cast the type to which x is turned first."""
    size = int(np.prod(dims))
    tensors, nodes = [], [helper.make_node("Reshape", ["x", "dims"], ["shaped"])]
    tensors.append(numpy_helper.from_array(ints(*dims), "dims"))
    last = "shaped"
    if cast:
        nodes.append(helper.make_node("Cast", [last], ["typed"], to=cast))
        last = "typed"
    names = []
    for i, c in enumerate([*first, last, *constants]):
        if c is None or isinstance(c, str):
            names.append(c or "")
            continue
        names.append(f"c{i}")
        tensors.append(numpy_helper.from_array(np.asarray(c), names[-1]))
    results = [f"r{i}" for i in range(outputs)]
    nodes.append(helper.make_node(operator, names, results, **attributes))
    nodes.append(helper.make_node("Cast", [results[take]], ["number"], to=TensorProto.FLOAT))
    nodes.append(helper.make_node("Reshape", ["number", "flat"], ["y"]))
    tensors.append(numpy_helper.from_array(ints(1, -1), "flat"))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", size])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["one", "values"])
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y], tensors), opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 9
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rows = []
    for scale in (0.3, 1, 4):
        given = (rng.normal(0, scale, size)).astype(np.float32)
        if positive:
            given = np.abs(given) + np.float32(0.01)
        (got,) = session.run(["y"], {"x": given[None]})
        rows.append({"x": given.tolist(), "y": [str(v) for v in got[0].tolist()]})
    assert name not in cases, name
    cases[name] = rows
    onnx.save(model, folder / f"{name}.onnx")


for op in ["Abs", "Atan", "Ceil", "Cos", "Erf", "Exp", "Floor", "Neg", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Softplus",
           "Softsign", "Tanh", "Elu", "Celu", "Selu", "LeakyRelu", "HardSigmoid", "HardSwish", "Mish", "Gelu", "Identity", "Dropout"]:
    case(op.lower(), op, (2, 3))
for op in ["Log", "Sqrt", "Reciprocal"]:
    case(op.lower(), op, (2, 3), positive=True)
case("swish", "Swish", (5,), opset=24, alpha=1.5)
case("elu_alpha", "Elu", (5,), alpha=0.3)
case("celu_alpha", "Celu", (5,), alpha=0.3)
case("selu_both", "Selu", (5,), alpha=0.3, gamma=2.0)
case("leaky_alpha", "LeakyRelu", (5,), alpha=0.3)
case("hard_sigmoid_both", "HardSigmoid", (5,), alpha=0.3, beta=0.4)
case("gelu_tanh", "Gelu", (5,), approximate="tanh")
case("not", "Not", (4,), cast=TensorProto.BOOL)
for op in ["Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"]:
    case(f"{op.lower()}_scalar", op, (2, 3), np.float32(0.7))
    case(f"{op.lower()}_row", op, (2, 3), floats(3))
    case(f"{op.lower()}_both", op, (2, 1, 3), floats(4, 1))
    case(f"{op.lower()}_into", op, (3,), floats(2, 3))
    case(f"{op.lower()}_second", op, (2, 3), first=(floats(1, 3),))
for op in ["Max", "Min", "Sum", "Mean"]:
    case(f"{op.lower()}_one", op, (3,))
    case(f"{op.lower()}_three", op, (3,), floats(2, 1), floats(1))
for op in ["And", "Or"]:
    case(op.lower(), op, (4,), np.array([True, False, True, False]), cast=TensorProto.BOOL)
for op in ["Add", "Sub", "Mul", "Div"]:
    case(f"{op.lower()}_whole", op, (5,), ints(3), cast=TensorProto.INT64)
case("pow", "Pow", (2, 3), np.float32(1.7), positive=True)
case("pow_whole", "Pow", (2, 3), ints(3))
case("prelu", "PRelu", (2, 3), floats(3))
case("where", "Where", (2, 3), floats(1), first=(np.array([[True], [False]]),))
case("where_by", "Where", (2, 3), floats(2, 3), floats(3), cast=TensorProto.BOOL)
case("clip", "Clip", (6,), np.float32(-0.5), np.float32(0.7))
case("clip_most", "Clip", (6,), None, np.float32(0.7))
case("clip_old", "Clip", (6,), opset=10, min=-0.5, max=0.25)
for to in [TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL, TensorProto.DOUBLE, TensorProto.FLOAT]:
    case(f"cast_{to}", "Cast", (6,), to=to)

case("concat", "Concat", (2, 3), floats(2, 2), "shaped", axis=1)
case("concat_first", "Concat", (2, 3), floats(1, 3), axis=-2)
case("slice", "Slice", (4, 5), ints(1, -4), ints(3, 2**63 - 1), ints(0, 1), ints(1, 2))
case("slice_back", "Slice", (4, 5), ints(-1, 3), ints(-(2**62), 0), ints(0, 1), ints(-1, -2))
case("slice_plain", "Slice", (4, 5), ints(1), ints(100))
case("slice_old", "Slice", (4, 5), opset=9, starts=[1, 0], ends=[-1, 2], axes=[1, 0])
for take in range(3):
    case(f"split_{take}", "Split", (2, 7), ints(1, 2, 4), outputs=3, take=take, axis=1)
    case(f"split_even_{take}", "Split", (2, 7), outputs=3, take=take, axis=-1, num_outputs=3)
    case(f"split_old_{take}", "Split", (2, 6), outputs=3, take=take, axis=1, opset=11)
case("gather", "Gather", (3, 4), ints(2, 0, -1), axis=1)
case("gather_one", "Gather", (3, 4), np.array(1, np.int64))
case("gather_matrix", "Gather", (3, 4), np.array([[0, 2], [1, -1]], np.int64))
case("reshape", "Reshape", (2, 6), ints(0, 3, -1))
case("flatten", "Flatten", (2, 3, 4), axis=2)
case("flatten_last", "Flatten", (2, 3, 4), axis=-1)
case("squeeze", "Squeeze", (1, 3, 1), ints(0))
case("squeeze_all", "Squeeze", (1, 3, 1))
case("squeeze_old", "Squeeze", (1, 3, 1), axes=[-1], opset=11)
case("unsqueeze", "Unsqueeze", (3, 2), ints(-1, 0))
case("unsqueeze_old", "Unsqueeze", (3, 2), axes=[1], opset=11)
case("transpose", "Transpose", (2, 3, 4), perm=[2, 0, 1])
case("transpose_plain", "Transpose", (2, 3, 4))
case("expand", "Expand", (3, 1), ints(2, 1, 4))
case("shape", "Shape", (2, 3, 4), start=-2)
case("size", "Size", (2, 3, 4))

case("matmul", "MatMul", (3, 4), floats(4, 5))
case("matmul_row", "MatMul", (4,), floats(4, 5))
case("matmul_column", "MatMul", (3, 4), floats(4))
case("matmul_batch", "MatMul", (2, 1, 3, 4), floats(3, 4, 2))
case("matmul_left", "MatMul", (4, 5), first=(floats(2, 3, 4),))
for a in (0, 1):
    for b in (0, 1):
        weights = floats(4, 3) if b else floats(3, 4)
        dims = (3, 5) if a else (5, 3)
        case(f"gemm_{a}{b}", "Gemm", dims, weights, floats(4), transA=a, transB=b)
        case(f"gemm_scaled_{a}{b}", "Gemm", dims, weights, floats(5, 1), transA=a, transB=b, alpha=0.3, beta=1.7)
        case(f"gemm_bare_{a}{b}", "Gemm", dims, weights, transA=a, transB=b)
        case(f"gemm_turned_{a}{b}", "Gemm", (4, 3) if b else (3, 4), first=(floats(3, 5) if a else floats(5, 3),), transA=a, transB=b)
case("conv", "Conv", (1, 2, 6, 7), floats(3, 2, 3, 2), floats(3), strides=[2, 1], pads=[1, 0, 2, 1])
case("conv_dilated", "Conv", (2, 2, 8), floats(3, 2, 3), dilations=[2], strides=[2], kernel_shape=[3])
case("conv_groups", "Conv", (1, 4, 5, 5), floats(6, 2, 3, 3), group=2, auto_pad="VALID")
for name, units in (("gru", 3), ("lstm", 4)):
    n, size, time = 5, 4, 3
    w, r, b = floats(1, units * n, size), floats(1, units * n, n), floats(1, 2 * units * n)
    op = name.upper()
    for take in range(2 if name == "gru" else 3):
        outputs = 2 if name == "gru" else 3
        extra = [] if name == "gru" else [floats(1, 2, n)]
        case(f"{name}_{take}", op, (time, 2, size), w, r, b, None, floats(1, 2, n), *extra, outputs=outputs, take=take,
             hidden_size=n)
        case(f"{name}_plain_{take}", op, (time, 1, size), w, r, outputs=outputs, take=take, hidden_size=n)
    case(f"{name}_lengths", op, (time, 2, size), w, r, b, np.array([time, time], np.int32), outputs=1, hidden_size=n)
case("gru_after", "GRU", (3, 2, 4), floats(1, 15, 4), floats(1, 15, 5), floats(1, 30), outputs=1, hidden_size=5, linear_before_reset=1)
case("batch_norm", "BatchNormalization", (2, 3, 2), floats(3), floats(3), floats(3), np.abs(floats(3)) + 0.1)
case("layer_norm", "LayerNormalization", (2, 3, 4), floats(4), floats(4))
case("layer_norm_two", "LayerNormalization", (2, 3, 4), floats(3, 4), axis=1, epsilon=0.1)
case("rms_norm", "RMSNormalization", (2, 3, 4), floats(4), opset=23)
for op in ["Softmax", "LogSoftmax"]:
    case(op.lower(), op, (2, 3, 4))
    case(f"{op.lower()}_middle", op, (2, 3, 4), axis=1)
    case(f"{op.lower()}_old", op, (2, 3, 4), opset=12)
case("argmax", "ArgMax", (2, 3, 4), axis=1, keepdims=0)
case("argmax_last", "ArgMax", (2, 6), axis=-1, select_last_index=1, cast=TensorProto.INT32)
case("argmax_first", "ArgMax", (2, 6), axis=-1, cast=TensorProto.INT32)
for op in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"]:
    case(f"{op.lower()}_all", op, (2, 3, 4))
    case(f"{op.lower()}_some", op, (2, 3, 4), ints(0, -1), keepdims=0)
    case(f"{op.lower()}_old", op, (2, 3, 4), opset=12, axes=[1])
case("reduce_nothing", "ReduceSum", (2, 3), ints(), noop_with_empty_axes=1)
(folder / "cases.json").write_text(json.dumps(cases))
