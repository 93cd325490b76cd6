"""The training core: what a user imports to define, differentiate and train a network, as `import framework as ms`.

It writes what it sees through `summaries` and never imports the dashboard, so that a training needs neither
Django nor a running server.
"""

from framework import communication, context, dataset, nn, ops, pynative, train
from framework.ad import GradOperation, grad, hessian, jacfwd, jacrev, jvp, value_and_grad, vjp
from framework.common import dtype as mstype
from framework.common.dtype import (
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.seed import get_seed, set_seed
from framework.common.tensor import Tensor, tensor
from framework.context import (
    GRAPH_MODE,
    PYNATIVE_MODE,
    ParallelMode,
    get_context,
    set_auto_parallel_context,
    set_context,
)
from framework.engine import modes as _modes  # noqa: F401, joins graph mode to Cells
from framework.jit import jit, ms_function
from framework.train import (
    Callback,
    CheckpointConfig,
    DynamicLossScaleManager,
    EarlyStopping,
    FixedLossScaleManager,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    ModelCheckpoint,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
    load_checkpoint,
    load_param_into_net,
    save_checkpoint,
)

__all__ = [
    "GRAPH_MODE",
    "PYNATIVE_MODE",
    "Callback",
    "CheckpointConfig",
    "DynamicLossScaleManager",
    "EarlyStopping",
    "FixedLossScaleManager",
    "GradOperation",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "Model",
    "ModelCheckpoint",
    "ParallelMode",
    "Parameter",
    "ParameterTuple",
    "ReduceLROnPlateau",
    "RunContext",
    "Tensor",
    "TimeMonitor",
    "bool_",
    "communication",
    "complex64",
    "complex128",
    "context",
    "dataset",
    "float16",
    "float32",
    "float64",
    "get_context",
    "get_seed",
    "grad",
    "hessian",
    "int8",
    "int16",
    "int32",
    "int64",
    "jacfwd",
    "jacrev",
    "jit",
    "jvp",
    "load_checkpoint",
    "load_param_into_net",
    "ms_function",
    "mstype",
    "nn",
    "ops",
    "pynative",
    "save_checkpoint",
    "set_auto_parallel_context",
    "set_context",
    "set_seed",
    "tensor",
    "train",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "value_and_grad",
    "vjp",
]
