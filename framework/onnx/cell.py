"""`OnnxCell`: an imported model as a Cell. It is a `GraphCell` whose errors are of one kind."""

from __future__ import annotations

from typing import Any

from framework.ir.errors import GraphError
from framework.ir.model_values import ModelError
from framework.nn.graph_cell import GraphCell
from framework.onnx.operation import FAULTS

__all__ = ["OnnxCell"]


class OnnxCell(GraphCell):
    """A model that was read from an ONNX file. Its float weights are Parameters under their names in the file.

    Inputs:
        Tensors, in the order of the model's inputs. An open dimension may have any length; dimensions of one name must
        have the same length.

    Raises:
        ModelError: the inputs do not fit the model, or one of its nodes cannot be computed for them; the message names
            the node.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the model: compiled, or on the tape while PyNative mode records a gradient."""
        try:
            return super().__call__(*args, **kwargs)
        except ModelError:
            raise
        except (GraphError, *FAULTS) as error:
            raise ModelError(f"{self.graph.name}: {error}") from error
