"""A program as MindSpore's documents show it: cycles of steps by `profile` and `schedule`."""

import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.profiler import AicoreMetrics, ProfilerActivity, ProfilerLevel


def rows():
    for _ in range(2):
        yield np.ones([2, 2]).astype(np.float32), np.ones([2]).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 2)

    def construct(self, x):
        return self.fc(x)


def train(network):
    optimizer = nn.Momentum(network.trainable_params(), 1, 0.9)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    data = ds.GeneratorDataset(rows, ["data", "label"])
    mindspore.train.Model(network, loss, optimizer).train(1, data)


mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
net = Net()
config = mindspore.profiler._ExperimentalConfig(
    profiler_level=ProfilerLevel.Level0,
    aic_metrics=AicoreMetrics.AiCoreNone,
    l2_cache=False,
    mstx=False,
    data_simplification=False,
)
with mindspore.profiler.profile(
    activities=[ProfilerActivity.CPU, ProfilerActivity.NPU],
    schedule=mindspore.profiler.schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1),
    on_trace_ready=mindspore.profiler.tensorboard_trace_handler("./data"),
    profile_memory=False,
    experimental_config=config,
) as prof:
    for _ in range(11):
        train(net)
        prof.step()
