"""Adapters for model files that were exported to be run: ONNX's, MindSpore's `.mindir`, the training core's `.msir`.

`files` calls them. Each reads names, types and attributes, and no weights. `known_operators` says which operators the
training core has.
"""

from mindinsight.graphs.model.exported.mindir_models import MindIRAdapter
from mindinsight.graphs.model.exported.msir_models import MsirAdapter
from mindinsight.graphs.model.exported.onnx_models import OnnxAdapter

__all__ = ["MindIRAdapter", "MsirAdapter", "OnnxAdapter"]
