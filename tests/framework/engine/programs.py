"""Random programs on two square matrices, for tests that compile one in several ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework import ops
from tests.framework.sources import names_of

STEPS = (
    "ops.matmul({a}, {b}.transpose(1, 0))", "ops.matmul({a}.transpose(1, 0), {b})", "{a} * {b} + 0.5",
    "ops.tanh({a} - {b})", "{a}.reshape(2, 12, 6)[1, 2:8].reshape(3, 12).sum(0) * {b}",
    "ops.softmax({a}) + ops.log_softmax({b})", "{a} / (ops.sqrt(ops.square({b}).mean(1, keep_dims=True)) + 1.0)",
    "{a} - ops.amax({b}, 1, True)", "ops.relu({a}) * {b}[3:4]", "ops.concat(({a}[:6], {b}[6:]))",
    "ops.matmul({a}.reshape(3, 4, 12), {b}.reshape(3, 4, 12).transpose(0, 2, 1)).sum() * {a}",
    "ops.exp(ops.minimum({a}, {b}) * 0.1)", "ops.zeros_like({a}) + {b}.transpose(1, 0)",
    "({a}.sum(0) + {b}.mean(0)) * {a}",
)  # fmt: skip


def program(seed: int) -> Any:
    """A random program on two square matrices."""
    rng = np.random.default_rng(seed)
    names, lines = ["x", "y"], []
    for number in range(8):
        step = str(rng.choice(STEPS))
        a, b = (str(rng.choice(names[-4:])) for _ in range(2))
        lines.append(f"    v{number} = ({step.format(a=a, b=b)}) * 0.3")
        names.append(f"v{number}")
    source = "\n".join(["def program(x, y):", *lines, f"    return {names[-1]} + {names[-2]}"])
    return names_of(source, ops=ops)["program"]
