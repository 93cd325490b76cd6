"""Names of PyTorch's operators in the dashboard's words: types, and scopes of modules."""

from __future__ import annotations

import weakref
from typing import Final

import torch

__all__ = ["KEEPING", "SILENT", "UNWRITTEN", "KnownScopes", "ModuleScopes", "type_of"]

#: MindSpore's types of ATen operators that the dashboard knows by name: activations, and operators with a domain.
_TYPES: Final = {
    "relu": "ReLU", "leaky_relu": "LeakyReLU", "sigmoid": "Sigmoid", "tanh": "Tanh", "gelu": "GeLU", "silu": "SiLU",
    "_softmax": "Softmax", "softmax": "Softmax", "_log_softmax": "LogSoftmax", "log_softmax": "LogSoftmax",
    "elu": "ELU", "hardswish": "HSwish", "hardsigmoid": "HSigmoid", "hardshrink": "HShrink", "mish": "Mish",
    "softplus": "Softplus", "softshrink": "SoftShrink", "log_sigmoid_forward": "LogSigmoid", "_prelu_kernel": "PReLU",
    "log": "Log", "log2": "Log2", "log10": "Log10", "log1p": "Log1p", "div": "Div", "reciprocal": "Reciprocal",
    "sqrt": "Sqrt", "rsqrt": "Rsqrt", "exp": "Exp", "expm1": "Expm1", "sinh": "Sinh", "cosh": "Cosh", "pow": "Pow",
    "acos": "Acos", "asin": "Asin", "atanh": "Atanh", "acosh": "Acosh", "erfinv": "Erfinv", "lgamma": "Lgamma",
    "convolution": "Conv2D", "native_batch_norm": "BatchNorm", "native_layer_norm": "LayerNorm",
    "_safe_softmax": "Softmax", "nll_loss_forward": "NLLLoss", "nll_loss2d_forward": "NLLLoss",
    "max_pool2d_with_indices": "MaxPool", "avg_pool2d": "AvgPool", "embedding": "Gather",
}  # fmt: skip
#: Operators that give another name to a tensor, and no new numbers.
SILENT: Final = frozenset({
    "detach", "alias", "lift_fresh", "_local_scalar_dense", "is_same_size", "set_", "_record_function_enter_new",
    "_record_function_exit",
})  # fmt: skip
#: Operators by which autograd keeps the first gradient of a weight: the same numbers in other memory.
KEEPING: Final = frozenset({"clone", "copy_", "detach"})
#: Operators whose result was never written: what lies in it means nothing.
UNWRITTEN: Final = frozenset({"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_"})


def type_of(operator: str) -> str:
    """The type of an operator by its name in ATen, such as `relu_`. One without a name in MindSpore keeps its own."""
    plain = operator.rstrip("_") or operator
    return _TYPES.get(plain, _TYPES.get(operator, operator))


class KnownScopes:
    """The scopes of a model's modules, found once: `Default/network-ResNet/layer1-Sequential/0-Bottleneck`.

    Args:
        model: The root module.

    Attributes:
        model: The root module.
        root: Its scope.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        self.model, self.root = model, f"Default/network-{type(model).__name__}"
        self._scopes: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}

    def of(self, module: torch.nn.Module) -> str | None:
        """The scope of a module; None if the model has no such module."""
        known = self._scopes.get(id(module))
        if known is None or known[0]() is not module:
            # The model's first step, or a module that the program has put in since.
            found: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
            _add(self.model, self.root, found)
            self._scopes.update(found)
            known = found.get(id(module), (weakref.ref(module), ""))
            self._scopes[id(module)] = known
        return known[1] or None


def _add(module: torch.nn.Module, scope: str, found: dict[int, tuple[weakref.ref[torch.nn.Module], str]]) -> None:
    if id(module) not in found:
        found[id(module)] = weakref.ref(module), scope
        for name, child in module.named_children():
            _add(child, f"{scope}/{name}-{type(child).__name__}", found)


class ModuleScopes:
    """The scopes of the modules that are running.

    Args:
        known: The scopes of the model's modules.
        is_running: Whether the root module has begun already.
    """

    def __init__(self, known: KnownScopes, is_running: bool = False) -> None:
        self._known = known
        self._running: list[str] = [known.root] if is_running else []
        #: Whether the root module has returned: what follows is the loss.
        self.is_behind_model = False

    def enter(self, module: torch.nn.Module) -> None:
        """A module begins."""
        self._running.append(self._known.of(module) or f"{self.current}/{type(module).__name__}")

    def leave(self, module: torch.nn.Module) -> None:
        """A module has ended, or has failed."""
        if self._running:
            self._running.pop()
        if module is self._known.model:
            self.is_behind_model = True

    @property
    def current(self) -> str:
        """The scope of the innermost module; `Default` outside of all."""
        return self._running[-1] if self._running else "Default"
