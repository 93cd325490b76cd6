"""The functions of PyTorch that are not public, in one place. Used by all modules of this package.

A version of PyTorch without one of them loses the feature that needs it, and a warning says so; the rest works.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Final

import torch

__all__ = [
    "CAN_HOLD", "CAN_OBSERVE", "DispatchMode", "autograd_node", "copy_all", "dispatch_modes", "has_compiled", "is_fake",
    "is_lazy", "leave_mode", "leaves", "next_number", "norms_of", "other_mode_runs", "owners_of", "without_modes",
]  # fmt: skip

_log = logging.getLogger("mindinsight.torch")


def _found(module: str, name: str, lost: str) -> Any:
    """A private function; None if this version of PyTorch has none, which is said once."""
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        _log.warning("PyTorch %s has no %s.%s: %s.", torch.__version__, module, name, lost)
        return None


_UNOBSERVED: Final = "operators are not observed, and there is no graph"
_UNNAMED: Final = "operators of the backward pass have no scopes"
_DISPATCH: Final = "torch.utils._python_dispatch"
_Mode = _found(_DISPATCH, "TorchDispatchMode", _UNOBSERVED)
_depth = _found("torch._C", "_len_torch_dispatch_stack", _UNOBSERVED)
_disable = _found(_DISPATCH, "_disable_current_modes", _UNOBSERVED)
_current = _found(_DISPATCH, "_get_current_dispatch_mode", _UNOBSERVED)
_pop = _found(_DISPATCH, "_pop_mode", _UNOBSERVED)
_push = _found(_DISPATCH, "_push_mode", _UNOBSERVED)
_node = _found("torch._C", "_current_autograd_node", _UNNAMED)
_number = _found("torch.autograd", "_get_sequence_nr", _UNNAMED)
_copy = _found("torch", "_foreach_copy_", "tensors are copied one by one")
_norm = _found("torch", "_foreach_norm", "norms are computed one by one")
_leaves = _found("torch.utils._pytree", "tree_leaves", "tensors are found in lists, tuples and dicts only")
_Fake = _found("torch._subclasses.fake_tensor", "FakeTensor", "fake tensors are not told apart")
_lazy = _found("torch.nn.parameter", "is_lazy", "weights of lazy modules are not told apart")

_owners = _found("torch._C", "_storage_Use_Count", "the values of an observed step are copied at once")

#: Whether it can be said how many tensors have the same memory.
CAN_HOLD: Final = _owners is not None


def owners_of(memory: int) -> int:
    """How many tensors have some memory, by the address of PyTorch's object for it."""
    return int(_owners(memory)) - _MORE_OWNERS


def _more_owners() -> int:
    """How many others PyTorch counts, such as the object in Python."""
    tensor = torch.zeros(1)
    return int(_owners(tensor.untyped_storage()._cdata)) - 1


_MORE_OWNERS: Final = _more_owners() if CAN_HOLD else 0


#: A back end of the compiler that the program has used.
_compiled: Final[list[Any]] = []


def has_compiled() -> bool:
    """Whether the program may run compiled code. The compiler, which is large, is not loaded to ask."""
    compiler = sys.modules.get("torch._dynamo.eval_frame")
    # What PyTorch itself keeps from being compiled has None as its back end. Others stay when the compiler is reset.
    known = {} if compiler is None else getattr(compiler, "cached_backends", {0: "unknown"})
    _compiled.extend(backend for backend in known.values() if backend is not None and not _compiled)
    return bool(_compiled)


#: Whether operators can be observed.
CAN_OBSERVE: Final = None not in (_Mode, _depth, _disable, _current, _pop, _push)
#: The base class of what sees operators.
DispatchMode: Any = _Mode if CAN_OBSERVE else object


def dispatch_modes() -> int:
    """How many modes see the operators that run now."""
    return int(_depth()) if CAN_OBSERVE else 0


def other_mode_runs(mode: Any) -> bool:
    """Whether the innermost mode is another one, or none."""
    return not dispatch_modes() or _current() is not mode


@contextlib.contextmanager
def leave_mode(mode: Any) -> Iterator[None]:
    """A context for leaving a mode. Modes that were entered inside of it stay entered.

    Args:
        mode: The mode; it may have been left already.
    """
    above: list[Any] = []
    while dispatch_modes() and _current() is not mode:
        above.append(_pop())
    try:
        yield
    finally:
        for one in reversed(above):
            _push(one)


_AS_IT_IS: Final = contextlib.nullcontext()


def without_modes() -> AbstractContextManager[Any]:
    """A context in which no mode sees operators."""
    return _disable() if dispatch_modes() else _AS_IT_IS


def autograd_node() -> Any:
    """The node of the backward pass that runs now; None in the forward pass, and where PyTorch does not tell."""
    return None if _node is None else _node()


def next_number() -> int | None:
    """The number that the next node of the backward pass gets; None where PyTorch does not tell."""
    return None if _number is None else int(_number())


def copy_all(targets: list[torch.Tensor], sources: list[torch.Tensor]) -> None:
    """Copy tensors into others of the same shapes and types."""
    if _copy is not None:
        _copy(targets, sources)
        return
    for target, source in zip(targets, sources, strict=True):
        target.copy_(source)


def norms_of(tensors: list[torch.Tensor], dtype: torch.dtype | None) -> list[torch.Tensor]:
    """The L2 norms of tensors of one type, computed in another one if that is given."""
    if _norm is None:
        return [torch.linalg.vector_norm(tensor, dtype=dtype) for tensor in tensors]
    return list(_norm(tensors, 2, dtype=dtype) if dtype else _norm(tensors))


def leaves(tree: Any) -> list[Any]:
    """The leaves of a structure of lists, tuples, dicts, and of types that programs have made known to PyTorch."""
    if _leaves is not None:
        return list(_leaves(tree))
    if isinstance(tree, list | tuple | dict):
        return [leaf for item in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(item)]
    return [tree]


def is_fake(tensor: torch.Tensor) -> bool:
    """Whether a tensor has a shape and no elements: a fake one, or one on the meta device."""
    return tensor.device.type == "meta" or (_Fake is not None and isinstance(tensor, _Fake))


def is_lazy(tensor: Any) -> bool:
    """Whether a weight has no shape yet."""
    return _lazy is not None and bool(_lazy(tensor))
