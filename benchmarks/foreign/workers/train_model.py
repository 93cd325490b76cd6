"""Builds a network of a checkout and trains it some steps, or computes its output and gradients beside another."""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from telling import Asked, error_of  # type: ignore[import-not-found]


def names(of: dict[str, Any]) -> dict[str, Any]:
    """What expressions about a program see: the names of its module, and a few of the worker's."""
    import mindspore as ms
    import numpy as np
    from mindspore import nn

    own = vars(sys.modules[of["module"]]) if of["module"] in sys.modules else {}
    settings = types.SimpleNamespace
    known = {"ms": ms, "nn": nn, "np": np, "load": importlib.import_module, "settings": settings}
    return {**known, "draw": np.random.RandomState(7), **own}


def built(of: dict[str, Any]) -> Any:
    """The network. All seeds are set before it is built, so that every run draws the same weights."""
    import mindspore as ms
    import numpy as np

    sys.path[:0] = of["path"]
    sys.argv[1:] = of.get("arguments", ())
    if of.get("configuration"):
        # A file of JSON is one of YAML.
        Path("config.yaml").write_text(json.dumps(of["configuration"]), encoding="utf-8")
    if of.get("before"):
        eval(of["before"], names(of))  # noqa: S307 - a call of the program's function
    importlib.import_module(of["module"])
    ms.set_seed(1)
    np.random.seed(1)
    random.seed(1)
    return eval(of["expression"], names(of))  # noqa: S307 - a call of the module's function


def side_of(of: dict[str, Any]) -> int:
    """The side of the pictures that the module of the model says it takes."""
    known = getattr(sys.modules[of["module"]], "default_cfgs", {}).get(of.get("model", ""), {})
    size = known.get("input_size", (3, 224, 224)) if isinstance(known, dict) else (3, 224, 224)
    return int(size[-1])


def batch(of: dict[str, Any]) -> tuple[Any, Any]:
    """Pictures and labels that are the same in every run."""
    import mindspore as ms
    import numpy as np

    side = of["side"]
    draw = np.random.RandomState(7)
    pictures = draw.randn(of["batch"], of.get("channels", 3), side, side).astype(np.float32)
    if of.get("nudged"):
        pictures = pictures * np.float32(1 + 6e-8 * 2) + np.float32(0)
    labels = (np.arange(of["batch"]) * 2 + 1) % of["classes"]
    return ms.Tensor(pictures), ms.Tensor(labels.astype(np.int32))


def inputs(of: dict[str, Any]) -> tuple[Any, ...]:
    """What a step takes: what the program's expression says, whole numbers as int32, or pictures and labels."""
    import mindspore as ms
    import numpy as np

    if not of.get("inputs"):
        return batch(of)
    arrays = eval(of["inputs"], names(of))  # noqa: S307 - arrays of a program
    found = []
    for array in arrays:
        if array.dtype == np.float32 and of.get("nudged"):
            array = array * np.float32(1 + 6e-8 * 2)
        kind = array.dtype if array.dtype in (np.float32, np.bool_) else np.int32
        found.append(ms.Tensor(array.astype(kind)))
    return tuple(found)


def fitting_side(of: dict[str, Any], network: Any) -> int:
    """The asked side of the pictures; where a network does not take it, that of its own, or else a usual one."""
    # A head for training alone may need larger pictures than the others.
    network.set_train(of["task"] == "train")
    own = side_of(of)
    for side in (int(of["side"]), own, 256, 299):
        try:
            network(batch({**of, "side": side})[0])
        except (AssertionError, RuntimeError, TypeError, ValueError):
            continue
        return side
    return own


def with_loss(network: Any) -> Any:
    """A Cell that gives the loss of a network: cross entropy for classes, the mean of squares for anything else."""
    from mindspore import nn, ops

    class WithLoss(nn.Cell):
        def __init__(self, network: Any) -> None:
            super().__init__(auto_prefix=False)
            self.network = network

        def construct(self, pictures: Any, labels: Any) -> Any:
            found = self.network(pictures)
            loss = 0.0
            for head in found if isinstance(found, (tuple, list)) else (found,):
                loss = loss + (ops.cross_entropy(head, labels) if head.ndim == 2 else (head * head).mean())
            return loss

    return WithLoss(network)


def step_of(of: dict[str, Any], network: Any) -> Any:
    """The Cell that does a step of training: what the program's expression says, or one with `Momentum`."""
    from mindspore import nn

    if of.get("step"):
        step = eval(of["step"], {**names(of), "network": network})  # noqa: S307 - a call of the program's class
    else:
        step = nn.TrainOneStepCell(with_loss(network), nn.Momentum(network.trainable_params(), 0.01, 0.9))
    step.set_train(True)
    return step


def timed(step: Callable[[], Any]) -> tuple[float, float]:
    """The loss of a step as a number and its processor time: others that use the machine do not count."""
    began = time.process_time()
    found = step()
    found = found[0] if isinstance(found, tuple | list) else found
    loss = float(found.asnumpy().mean())
    return loss, time.process_time() - began


def train(asked: Any) -> None:
    """Tells the losses of some steps and what each took."""
    import mindspore as ms

    of = asked.of
    ms.set_context(mode=ms.GRAPH_MODE if of["mode"] == "graph" else ms.PYNATIVE_MODE)
    network = built(of)
    if of["mode"] == "pynative" and not of.get("nudged") and not of.get("inputs"):
        of["side"] = fitting_side(of, network)
    asked.tell(stage="built", side=of["side"])
    given = inputs(of)
    ms.set_seed(2)
    step = step_of(of, network)
    losses, seconds = [], []
    for _ in range(of["steps"]):
        loss, took = timed(lambda: step(*given))
        losses.append(loss)
        seconds.append(took)
    asked.tell(stage="trained", losses=losses, seconds=seconds)


def evaluate(asked: Any) -> None:
    """Saves output and gradients at given weights, which the first who is asked saves."""
    import mindspore as ms
    import numpy as np

    of = asked.of
    ms.set_context(mode=ms.PYNATIVE_MODE)
    network = built(of)
    weights = {one.name: one for one in network.get_parameters()}
    if Path(of["weights"]).exists():
        with np.load(of["weights"]) as known:
            unlike = sorted(set(weights) ^ set(known.files))
            for name in set(weights) & set(known.files):
                weights[name].set_data(ms.Tensor(known[name]))
    else:
        unlike = []
        np.savez(of["weights"], **{name: one.asnumpy() for name, one in weights.items()})
    of["side"] = fitting_side(of, network)
    network.set_train(False)
    pictures, labels = batch(of)
    if of.get("double"):
        pictures = pictures.astype(ms.float64)
        for one in weights.values():
            if one.dtype == ms.float32:
                one.set_dtype(ms.float64)
    output = network(pictures)
    head = output[0] if isinstance(output, tuple | list) else output
    loss = with_loss(network)
    loss.set_train(False)
    wanted = network.trainable_params()
    gradients = ms.grad(loss, None, weights=wanted)(pictures, labels)
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    found = {f"gradient {one.name}": value.asnumpy() for one, value in zip(wanted, gradients, strict=True)}
    np.savez(of["found"], output=head.asnumpy(), **found)
    asked.tell(stage="evaluated", unlike=unlike, weights=len(wanted))


def main() -> None:
    """Does what is asked, and tells the error that stops it."""
    asked = Asked()
    try:
        {"train": train, "evaluate": evaluate}[asked.of["task"]](asked)
    except BaseException as error:
        asked.tell(stage="stopped", error=error_of(error, *asked.of["path"]))


if __name__ == "__main__":
    main()
