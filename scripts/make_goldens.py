#!/usr/bin/python3
"""Writes tests/golden/*.json: small float64 results of PyTorch on the CPU.

A developer tool; the committed files are what the tests read. Needs PyTorch (Debian package
python3-torch). Each file is a list of cases {"op", "problem", "inputs", "outputs"}; tensors are
{"shape", "values"} in logical order with at most 64 values. Numbers are printed with 17 digits, so
they read back as the same doubles.

Usage: scripts/make_goldens.py [output folder]
"""
import json
import pathlib
import re
import sys

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


def tensor(generator, *shape):
    """Normal values rounded to eighths: short decimals, exact in every floating-point type."""
    return torch.round(torch.randn(*shape, generator=generator) * 8) / 8


def packed(value):
    values = [float(v) for v in value.detach().reshape(-1)]
    assert len(values) <= 64, (list(value.shape), "too large for a golden")
    return {"shape": list(value.shape), "values": values}


def case(op, problem, inputs, outputs):
    return {
        "op": op,
        "problem": problem,
        "inputs": {name: packed(value) for name, value in inputs.items()},
        "outputs": {name: packed(value) for name, value in outputs.items()},
    }


CONVS = [
    dict(n=1, c=2, size=[7], k=3, filter=[3], pad=[1], stride=[2], dilation=[1], groups=1),
    dict(n=2, c=2, size=[9], k=2, filter=[3], pad=[2], stride=[1], dilation=[2], groups=2),
    dict(n=1, c=2, size=[5, 4], k=3, filter=[3, 2], pad=[1, 0], stride=[1, 1], dilation=[1, 1], groups=1),
    dict(n=1, c=4, size=[4, 4], k=2, filter=[2, 3], pad=[1, 1], stride=[2, 1], dilation=[1, 1], groups=2),
    dict(n=2, c=1, size=[5, 6], k=2, filter=[2, 2], pad=[1, 2], stride=[3, 2], dilation=[2, 1], groups=1),
    dict(n=1, c=3, size=[4, 5], k=3, filter=[3, 3], pad=[1, 1], stride=[1, 2], dilation=[1, 1], groups=3),
    dict(n=1, c=2, size=[5, 5], k=2, filter=[1, 1], pad=[0, 0], stride=[3, 3], dilation=[1, 1], groups=1),
    dict(n=1, c=2, size=[3, 3, 3], k=2, filter=[2, 2, 2], pad=[0, 1, 0], stride=[1, 2, 1],
         dilation=[1, 1, 2], groups=1),
    dict(n=1, c=2, size=[2, 4, 3], k=2, filter=[3, 1, 2], pad=[2, 0, 1], stride=[2, 1, 2],
         dilation=[1, 1, 1], groups=2),
]


def conv_cases(generator):
    cases = []
    for p in CONVS:
        convolve = [F.conv1d, F.conv2d, F.conv3d][len(p["size"]) - 1]
        x = tensor(generator, p["n"], p["c"], *p["size"]).requires_grad_()
        w = tensor(generator, p["k"], p["c"] // p["groups"], *p["filter"]).requires_grad_()
        bias = tensor(generator, p["k"])
        y = convolve(x, w, bias, p["stride"], p["pad"], p["dilation"], p["groups"])
        dy = tensor(generator, *y.shape)
        dx, dw = torch.autograd.grad(y, (x, w), dy)
        cases.append(case("conv", p, {"x": x, "w": w, "bias": bias, "dy": dy},
                          {"y": y, "dx": dx, "dw": dw}))
    return cases


def matmul_cases(generator):
    cases = []
    for m, n, k, batch, transpose_a, transpose_b in [
            (3, 4, 5, 2, False, False), (4, 3, 6, 2, True, False), (5, 4, 3, 2, False, True),
            (4, 4, 4, 3, True, True), (1, 1, 60, 1, False, False), (8, 8, 1, 1, False, True)]:
        a = tensor(generator, *([batch, k, m] if transpose_a else [batch, m, k]))
        b = tensor(generator, *([batch, n, k] if transpose_b else [batch, k, n]))
        c = tensor(generator, batch, m, n)
        bias = tensor(generator, n)
        left = a.transpose(1, 2) if transpose_a else a
        right = b.transpose(1, 2) if transpose_b else b
        d = F.gelu(torch.baddbmm(c, left, right, beta=0.5, alpha=-1.5) + bias)
        problem = dict(m=m, n=n, k=k, batch=batch, transpose_a=transpose_a, transpose_b=transpose_b,
                       alpha=-1.5, beta=0.5, act="gelu")
        cases.append(case("matmul", problem, {"a": a, "b": b, "c": c, "bias": bias}, {"d": d}))
    return cases


def softmax_cases(generator):
    cases = []
    for kind in ["accurate", "log"]:
        for instance in [False, True]:
            x = (tensor(generator, 2, 5, 2, 3) * 4).requires_grad_()
            rows = x.reshape(2, -1) if instance else x
            y = (F.softmax if kind == "accurate" else F.log_softmax)(rows, dim=1).reshape(x.shape)
            dy = tensor(generator, *x.shape)
            (dx,) = torch.autograd.grad(y, x, dy)
            problem = dict(n=2, c=5, h=2, w=3, kind=kind, instance=instance)
            cases.append(case("softmax", problem, {"x": x, "dy": dy}, {"y": y, "dx": dx}))
    return cases


ACTIVATIONS = [
    ("identity", 0, 0, lambda x: x * 1),
    ("relu", 0, 0, F.relu),
    ("sigmoid", 0, 0, torch.sigmoid),
    ("tanh", 0, 0, torch.tanh),
    ("clipped_relu", 6, 0, F.relu6),
    ("clipped_relu", 1.5, 0, lambda x: F.hardtanh(x, 0, 1.5)),
    ("leaky_relu", 0.01, 0, F.leaky_relu),
    ("elu", 1, 0, F.elu),
    ("elu", 0.5, 0, lambda x: F.elu(x, 0.5)),
    ("gelu", 0, 0, F.gelu),
    ("gelu_tanh", 0, 0, lambda x: F.gelu(x, approximate="tanh")),
    ("swish", 0, 1, F.silu),
    ("swish", 0, 1.5, lambda x: x * torch.sigmoid(1.5 * x)),
    ("softplus", 0, 1, lambda x: F.softplus(x, threshold=100)),
    ("softplus", 0, 2, lambda x: F.softplus(x, 2, 100)),
    ("mish", 0, 0, F.mish),
    ("hardswish", 0, 0, F.hardswish),
]


def activation_cases(generator):
    cases = []
    for fn, alpha, beta, function in ACTIVATIONS:
        x = torch.cat([torch.tensor([-12.5, -6.25, 4.5, 9.0]), tensor(generator, 28) * 2])
        x = torch.where((x == 0) | (x.abs() == 3), x + 0.0625, x)  # no kinks
        x.requires_grad_()
        y = function(x)
        dy = tensor(generator, *x.shape)
        (dx,) = torch.autograd.grad(y, x, dy)
        problem = dict(fn=fn, alpha=alpha, beta=beta)
        cases.append(case("activation", problem, {"x": x, "dy": dy}, {"y": y, "dx": dx}))
    return cases


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parent.parent / "tests" / "golden")
    for name, make in [("conv", conv_cases), ("matmul", matmul_cases), ("softmax", softmax_cases),
                       ("activation", activation_cases)]:
        generator = torch.Generator().manual_seed(20240611)
        document = {"made_by": "scripts/make_goldens.py, PyTorch " + torch.__version__,
                    "cases": make(generator)}
        text = json.dumps(document, indent=1)
        # One line a tensor: short arrays of numbers back on one line.
        text = re.sub(r"\[\s+([-0-9.e, \n+]+?)\s+\]",
                      lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text)
        (folder / f"torch_{name}.json").write_text(text + "\n")
        print(folder / f"torch_{name}.json", len(text))


if __name__ == "__main__":
    main()
