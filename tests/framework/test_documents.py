"""Programs of the shape that MindSpore's documents show, and scripts in which `mindspore` was replaced."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, mstype, nn, ops
from framework.common import validator
from framework.ir.text import to_text
from framework.ops import PrimitiveWithInfer, prim_attr_register
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

BOTH_MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])


@pytest.fixture(autouse=True)
def _pynative_again() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Softmax(PrimitiveWithInfer):
    """An operator as the documents define one."""

    @prim_attr_register
    def __init__(self, axis=-1):
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        validator.check_type("axis", axis, [int, tuple])
        if isinstance(axis, int):
            self.add_prim_attr("axis", (axis,))
        for item in self.axis:
            validator.check_type("item of axis", item, [int])

    def infer_shape(self, x_shape):
        return x_shape

    def infer_dtype(self, x_dtype):
        return x_dtype


def test_definition_of_an_operator() -> None:
    softmax = Softmax(1)
    assert softmax.axis == (1,)
    assert softmax.attrs == {"axis": (1,), "input_names": ["x"], "output_names": ["output"]}
    with pytest.raises(TypeError, match="axis must be of type int or tuple, not str"):
        Softmax("rows")
    with pytest.raises(TypeError, match="item of axis must be of type int, not float"):
        Softmax((0, 1.5))
    with pytest.raises(NotImplementedError, match="primitive Softmax has no kernel"):
        softmax(Tensor([1.0]))


class DenseMatMulNet(nn.Cell):
    """Two products with strategies in the original spelling."""

    def __init__(self) -> None:
        super().__init__()
        self.matmul1 = ops.MatMul.set_strategy([4, 1], [1, 1])
        self.matmul2 = ops.MatMul.set_strategy([1, 1], [1, 4])

    def construct(self, x: Any, w: Any, v: Any) -> Any:
        y = self.matmul1(x, w)
        return self.matmul2(y, v)


@BOTH_MODES
def test_two_lines_of_parallelism(mode: int) -> None:
    ms.set_context(mode=mode)
    net = DenseMatMulNet()
    x, w, v = (np.random.default_rng(i).standard_normal((4, 4)).astype(np.float32) for i in range(3))
    np.testing.assert_allclose(net(Tensor(x), Tensor(w), Tensor(v)).asnumpy(), x @ w @ v, rtol=1e-4, atol=1e-5)
    assert net.matmul1.in_strategy == ((4, 1), (1, 1))
    assert net.matmul2.in_strategy == ((1, 1), (1, 4))


class DenseNet(nn.Cell):
    """Attention over embedded words, smaller than in the documents."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding_weight = Parameter(Tensor(np.ones((16, 16), np.float32)), name="w")
        self.embedding = P.MatMul()
        self.fc1 = nn.Dense(16, 24, activation="relu")
        self.fc2 = nn.Dense(16, 24, activation="relu")
        self.fc3 = nn.Dense(16, 24, activation="relu")
        self.transpose = P.Transpose()
        self.matmul1 = P.MatMul()
        self.matmul2 = P.MatMul()

    def construct(self, x: Any) -> Any:
        x = self.embedding(x, self.embedding_weight)
        q = self.fc1(x)
        k = self.fc2(x)
        v = self.fc3(x)
        k = self.transpose(k, (1, 0))
        return self.matmul2(self.matmul1(q, k), v)


@BOTH_MODES
def test_a_network_to_be_spread_over_devices(mode: int) -> None:
    ms.set_context(mode=mode)
    net = DenseNet()
    x = np.eye(5, 16, dtype=np.float32)
    weights = ms.ParameterTuple(net.trainable_params())
    out, gradients = ms.value_and_grad(net, None, weights)(Tensor(x))
    w, *rest = (weight.asnumpy() for weight in weights)
    q, k, v = (np.maximum(x @ w @ rest[2 * i].T + rest[2 * i + 1], 0) for i in range(3))
    np.testing.assert_allclose(out.asnumpy(), q @ k.T @ v, rtol=1e-4, atol=1e-5)
    assert len(gradients) == 7
    assert [p.name for p in net.trainable_params()][:3] == ["w", "fc1.weight", "fc1.bias"]


class CrossEntropyLoss(nn.Cell):
    """A loss composed of primitives."""

    def __init__(self) -> None:
        super().__init__()
        self.cross_entropy = P.SoftmaxCrossEntropyWithLogits()
        self.mean = P.ReduceMean()
        self.one_hot = P.OneHot()
        self.on_value = Tensor(1.0, mstype.float32)
        self.off_value = Tensor(0.0, mstype.float32)

    def construct(self, logits: Any, label: Any) -> Any:
        label = self.one_hot(label, F.shape(logits)[1], self.on_value, self.off_value)
        loss = self.cross_entropy(logits, label)[0]
        return self.mean(loss, (-1,))


@BOTH_MODES
def test_a_loss_of_primitives(mode: int) -> None:
    ms.set_context(mode=mode)
    logits = np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32)
    labels = np.array([0, 4, 2, 2], np.int32)
    exponentials = np.exp(logits)
    wanted = -np.log(exponentials[range(4), labels] / exponentials.sum(1)).mean()
    assert float(CrossEntropyLoss()(Tensor(logits), Tensor(labels))) == pytest.approx(wanted, rel=1e-5)


def func(x, y):
    return x / y


@ms.ms_function
def test_f(x, y):
    a = x - 1
    b = a + y
    c = b * func(a, b)
    return c  # noqa: RET504 - as the document has it


test_f.__test__ = False  # The document's name, no test.

TEXT = """\
#IR entry: @test_f
#Attrs:

#Total params: 2
%para1_x: <Tensor[Float32], (1,)>
%para2_y: <Tensor[Float32], (1,)>

#Total subgraphs: 1

subgraph attr:
# Parameters: 2, (<Tensor[Float32], (1,)>, <Tensor[Float32], (1,)>)
subgraph @test_f(%para1_x, %para2_y) {
  %0(a) = Sub(%para1_x, 1) primitive_attrs: {input_names: ['x', 'y'], output_names: ['output']} cnode_attrs: {fusion: 0}
      : (<Tensor[Float32], (1,)>, <Int64, value=1>) -> (<Tensor[Float32], (1,)>)
      # Fullname with scope: (Default/Sub-op0)
      # In file FILE, 8~13/    a = x - 1/
  %1(b) = Add(%0, %para2_y) primitive_attrs: {input_names: ['x', 'y'], output_names: ['output']} \
cnode_attrs: {fusion: 0}
      : (<Tensor[Float32], (1,)>, <Tensor[Float32], (1,)>) -> (<Tensor[Float32], (1,)>)
      # Fullname with scope: (Default/Add-op0)
      # In file FILE, 8~13/    b = a + y/
  %2 = Div(%0, %1) primitive_attrs: {input_names: ['x', 'y'], output_names: ['output']} cnode_attrs: {fusion: 0}
      : (<Tensor[Float32], (1,)>, <Tensor[Float32], (1,)>) -> (<Tensor[Float32], (1,)>)
      # Fullname with scope: (Default/Div-op0)
      # In file FILE, 11~16/    return x / y/
  %3(c) = Mul(%1, %2) primitive_attrs: {input_names: ['x', 'y'], output_names: ['output']} cnode_attrs: {fusion: 0}
      : (<Tensor[Float32], (1,)>, <Tensor[Float32], (1,)>) -> (<Tensor[Float32], (1,)>)
      # Fullname with scope: (Default/Mul-op0)
      # In file FILE, 8~22/    c = b * func(a, b)/
  Return(%3)
      : (<Tensor[Float32], (1,)>)
}
"""


def test_the_text_of_a_compiled_function() -> None:
    x, y = Tensor(np.float32([3.0])), Tensor(np.float32([2.0]))
    assert test_f(x, y).asnumpy().tolist() == [2.0]
    text = to_text(test_f.compile(x, y).root)
    assert re.sub(r"In file \S+:\d+,", "In file FILE,", text) == TEXT
    assert f"In file {__file__}:{test_f.function.__code__.co_firstlineno + 2}," in text


OLD_SCRIPT = """
import numpy as np
import mindspore.nn as nn
import mindspore.dataset as de
import mindspore.common.dtype as mstype
from mindspore import Tensor, Parameter, context
from mindspore.context import ParallelMode
from mindspore.common import set_seed
from mindspore.common.initializer import initializer
from mindspore.communication.management import init, get_rank, get_group_size
from mindspore.nn.optim import Momentum
from mindspore.ops import functional as F, operations as P, composite as C
from mindspore.train.callback import ModelCheckpoint, CheckpointConfig, Callback
from mindspore.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager
from mindspore.train.model import Model
from mindspore import log as logger, _checkparam as validator
from mindspore.common.api import ms_function, jit, ms_memory_recycle
from mindspore.common.mutable import mutable
from mindspore.nn.wrap.grad_reducer import DistributedGradReducer
from mindspore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell
from mindspore.nn.layer.embedding import Embedding
from mindspore.ops.function.math_func import add
from mindspore.ops.operations import nn_ops
from mindspore.train.metrics import Accuracy
from mindspore.train.dataset_helper import DatasetHelper

set_seed(1)
context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU")
init()
context.set_auto_parallel_context(parallel_mode=ParallelMode.STAND_ALONE, device_num=get_group_size())

class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid", weight_init="he_uniform")
        self.pool = P.MaxPool(ksize=2, strides=2)
        self.flatten = P.Flatten()
        self.fc = nn.Dense(36, 2)
        self.scale = Parameter(initializer("ones", [1], mstype.float32), name="scale")

    def construct(self, x):
        x = self.pool(F.relu(self.conv(x)))
        return P.TensorAdd()(self.fc(self.flatten(x)), self.scale)

rng = np.random.default_rng(0)
labels = np.arange(32) % 2
images = (rng.standard_normal((32, 1, 8, 8)) * 0.1 + labels[:, None, None, None]).astype(np.float32)
net = Net()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), Momentum(net.trainable_params(), 0.1, 0.9))
step.set_train()
validator.check_positive_int(len(step.weights), "weights", "Net")
logger.info("%d weights", len(step.weights))
losses = [step(Tensor(images), Tensor(labels, mstype.int32)).asnumpy() for _ in range(10)]
assert losses[-1] < losses[0] / 4, losses

assert nn_ops.Conv2D is P.Conv2D and Embedding is nn.Embedding and (add(Tensor([1.0]), 1) == 2).all()
helper = DatasetHelper(de.NumpySlicesDataset((images, labels), shuffle=False).batch(8), dataset_sink_mode=False)
assert [len(batch) for batch in helper] == [2] * 4 and helper.sink_size() == 4

@ms_function
def scaled(x, factor):
    return x * factor

assert float(scaled(Tensor(2.0), mutable(3))) == 6.0

class Steps(Callback):
    losses = []
    def step_end(self, run_context):
        self.losses.append(float(run_context.original_args().net_outputs.asnumpy()))

net = Net()
data = de.NumpySlicesDataset((images, labels.astype(np.int32)), shuffle=False).batch(8)
model = Model(net, loss, Momentum(net.trainable_params(), 0.1, 0.9))
model.train(5, data, callbacks=[Steps(), ModelCheckpoint("net", "kept", CheckpointConfig(5))], dataset_sink_mode=False)
assert len(Steps.losses) == 20 and Steps.losses[-1] < Steps.losses[0] / 4, Steps.losses
t = Tensor(images)
assert (t.shape(), t.dtype(), t.size(), t.dim(), get_rank()) == ((32, 1, 8, 8), mstype.float32, 2048, 4, 0)
"""

NEW_SCRIPT = """
import numpy as np
import mindspore as ms
from mindspore import nn, ops, Tensor

ms.set_seed(1)
ms.set_context(mode=ms.PYNATIVE_MODE)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 3))

    def construct(self, x):
        return self.layers(x)

rng = np.random.default_rng(0)
x = rng.standard_normal((64, 8)).astype(np.float32)
y = x[:, :3].argmax(1).astype(np.int32)
net = Net()
step = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")),
    nn.Adam(net.trainable_params(), learning_rate=0.05),
).set_train()
losses = [float(step(Tensor(x), Tensor(y))) for _ in range(30)]
assert losses[-1] < losses[0] / 3, losses
scaler = ms.amp.DynamicLossScaler(scale_value=256, scale_factor=2, scale_window=1)
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
loss_fn = nn.CrossEntropyLoss()

def forward(x, y):
    return scaler.scale(loss_fn(net(x), y))

gradients_of = ms.value_and_grad(forward, None, optimizer.parameters)

@ms.jit
def train_step(x, y):
    loss, gradients = gradients_of(x, y)
    gradients = scaler.unscale(gradients)
    finite = ms.amp.all_finite(gradients)
    if finite:
        loss = ops.depend(loss, optimizer(gradients))
    scaler.adjust(finite)
    return scaler.unscale(loss)

before = [float(train_step(ms.from_numpy(x), Tensor(y))) for _ in range(3)]
assert before[0] > before[2] and float(scaler.scale_value) == 2048.0, (before, scaler.scale_value)

@ms.jit_class
class Doubled:
    def __call__(self, value):
        return ops.mul(input=value, other=2)

doubled = Doubled()
assert ms.is_tensor(ms.jit(lambda value: doubled(value))(Tensor([1.0])))
accuracy = (net(Tensor(x)).argmax(1) == Tensor(y)).astype(ms.float32).mean()
assert float(accuracy) > 0.9, accuracy
assert ops.softmax(Tensor([1.0, 1.0])).shape == (2,)
"""


@pytest.mark.parametrize("mode", ["PYNATIVE_MODE", "GRAPH_MODE"])
@pytest.mark.parametrize("script", [OLD_SCRIPT, NEW_SCRIPT], ids=["as of 0.x", "as of 2.x"])
def test_a_script_whose_mindspore_was_replaced_runs(script: str, mode: str, tmp_path: Path) -> None:
    program = tmp_path / "script.py"  # graph mode reads the source from its file
    program.write_text(script.replace("mindspore", "framework").replace("PYNATIVE_MODE", mode))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def test_gradients_where_users_look_for_them() -> None:
    from framework.ops import composite as C  # noqa: N812

    assert C.GradOperation is ops.GradOperation
    x = Tensor(3.0)
    assert float(ops.GradOperation()(lambda x: x * x)(x)) == 6.0
    assert float(ms.grad(ms.grad(lambda x: x * x * x))(x)) == 18.0
    value, gradient = ms.value_and_grad(lambda x: x * x)(x)
    assert (float(value), float(gradient)) == (9.0, 6.0)
    with pytest.raises(AttributeError, match=r"'framework.ops' has no attribute 'nothing'"):
        _ = ops.nothing
