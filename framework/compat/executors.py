"""MindSpore's executor of operators in PyNative mode, of which programs import the one that it uses itself."""

from __future__ import annotations

from framework.common import device

__all__ = ["PyNativeExecutor", "executor"]


class PyNativeExecutor:
    """Executes operators line by line. On a CPU, each has ended when its call returns; a GPU runs asynchronously."""

    def sync(self) -> None:
        """Wait until the device has executed all operators, so that their errors are raised and times can be taken."""
        module = device.array_module()
        if hasattr(module, "cuda"):
            module.cuda.get_current_stream().synchronize()


executor = PyNativeExecutor()
