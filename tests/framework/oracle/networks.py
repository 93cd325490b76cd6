"""The networks with recorded trainings: written out, and built from the model zoo."""

from typing import Any

from framework import Parameter, Tensor, nn, ops
from framework import model_zoo as zoo
from framework.common.initializer import initializer
from framework.model_zoo.bert import BertLayer
from framework.model_zoo.resnet import BasicBlock, ResNet


class LeNet(nn.Cell):
    """LeNet-5 over (N, 1, 32, 32)."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(400, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, 10)
        self.relu = nn.ReLU()
        self.max_pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()

    def construct(self, x: Any) -> Any:
        x = self.max_pool(self.relu(self.conv1(x)))
        x = self.max_pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


class Encoder(nn.Cell):
    """A post-norm encoder layer of width 64 with 4 heads."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Dense(64, 64) for _ in range(4))
        self.ln1 = nn.LayerNorm((64,), epsilon=1e-5)
        self.ln2 = nn.LayerNorm((64,), epsilon=1e-5)
        self.ff1 = nn.Dense(64, 128)
        self.ff2 = nn.Dense(128, 64)

    def heads(self, x: Any) -> Any:
        batch, length, _ = x.shape
        return x.reshape(batch, length, 4, 16).transpose(0, 2, 1, 3)

    def construct(self, x: Any, bias: Any) -> Any:
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        scores = ops.matmul(q, k.transpose(0, 1, 3, 2)) * 16**-0.5 + bias
        merged = ops.matmul(ops.softmax(scores, -1), v).transpose(0, 2, 1, 3).reshape(x.shape)
        x = self.ln1(x + self.o(merged))
        return self.ln2(x + self.ff2(ops.gelu(self.ff1(x))))


class Transformer(nn.Cell):
    """Token ids (N, 16) and a mask of real tokens to one of ten classes."""

    def __init__(self) -> None:
        super().__init__()
        self.pos = Parameter(initializer("normal", (16, 64)))
        self.tok = nn.Embedding(50, 64)
        self.layers = nn.CellList([self.layer(), self.layer()])
        self.head = nn.Dense(64, 10)

    def layer(self) -> nn.Cell:
        return Encoder()

    def construct(self, ids: Any, mask: Any) -> Any:
        x = self.tok(ids) + self.pos
        bias = ((1 - mask) * -10000.0).reshape(mask.shape[0], 1, 1, mask.shape[1])
        for layer in self.layers:
            x = layer(x, bias)
        mask = mask.expand_dims(-1)
        return self.head((x * mask).sum(axis=1) / mask.sum(axis=1))


class TransformerOfBert(Transformer):
    """The same of the layers that the zoo's BERT has."""

    def layer(self) -> nn.Cell:
        sizes = {"hidden_size": 64, "num_heads": 4, "intermediate_size": 128}
        return BertLayer(zoo.TransformerConfig(50, **sizes, dropout=0.0, epsilon=1e-5))  # type: ignore[arg-type]


class WithLoss(nn.Cell):
    """A network with the mean cross entropy, for any number of inputs before the labels."""

    def __init__(self, network: nn.Cell) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, *inputs: Tensor) -> Any:
        return self.loss(self.network(*inputs[:-1]), inputs[-1])


NETWORKS = {
    "lenet": LeNet,
    "lenet of the zoo": zoo.LeNet5,
    "transformer": Transformer,
    "transformer of the zoo": TransformerOfBert,
    "resnet18_cifar": lambda: ResNet(BasicBlock, (2, 2, 2, 2), 10, width=16, small=True),
}
#: What a layer of the zoo's BERT calls its parts, and what the recording does.
RECORDED_NAMES = {
    "attention.query": "q", "attention.key": "k", "attention.value": "v", "attention.output": "o",
    "attention_norm": "ln1", "output_norm": "ln2", "feed_forward.intermediate": "ff1", "feed_forward.output": "ff2",
}  # fmt: skip


def recorded_name(name: str) -> str:
    """The recording's name of a parameter."""
    if not name.startswith("layers."):
        return name
    layer, number, rest = name.split(".", 2)
    part, kind = rest.rsplit(".", 1)
    return f"{layer}.{number}.{RECORDED_NAMES.get(part, part)}.{kind}"
