"""A program as MindSpore's documents show it: a callback that starts and stops the profiler at steps."""

import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore import Profiler, nn
from mindspore.profiler.profiler import analyse


class StopAtStep(mindspore.Callback):
    def __init__(self, start_step, stop_step):
        super().__init__()
        self.start_step = start_step
        self.stop_step = stop_step
        self.profiler = Profiler(start_profile=False, output_path="./data_step")

    def on_train_step_begin(self, run_context):
        if run_context.original_args().cur_step_num == self.start_step:
            self.profiler.start()

    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == self.stop_step:
            self.profiler.stop()

    def on_train_end(self, run_context):
        self.profiler.analyse()


def rows():
    for _ in range(12):
        yield np.ones([2, 2]).astype(np.float32), np.ones([2]).astype(np.int32)


net = nn.Dense(2, 2)
optimizer = nn.Momentum(net.trainable_params(), 1, 0.9)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
data = ds.GeneratorDataset(rows, ["data", "label"])
mindspore.train.Model(net, loss, optimizer).train(1, data, callbacks=[StopAtStep(3, 8)], dataset_sink_mode=False)
analyse("./data_step")
