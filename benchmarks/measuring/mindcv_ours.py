"""Times training steps of one model of mindcv on our core: `mindcv_ours.py MODE SECONDS NAME BATCH SIDE FOLDER`.

FOLDER has the package; `import mindspore` finds our core. Prints the fastest step in microseconds as JSON.
"""

import json
import sys
import time
import warnings

import numpy as np

from framework import alias

FEWEST = 3


def main(mode: str, seconds: float, name: str, batch: int, side: int, folder: str) -> None:
    """Trains for some seconds, at least three steps after the first."""
    warnings.simplefilter("ignore")
    alias.install()
    sys.path.append(folder)
    import mindcv  # type: ignore[import-not-found]
    import mindspore as ms  # type: ignore[import-not-found]
    from mindspore import nn

    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    network = mindcv.create_model(name, num_classes=10)
    with_loss = nn.WithLossCell(network, nn.CrossEntropyLoss())
    optimizer = nn.Momentum(network.trainable_params(), 0.001, 0.9)
    step = nn.TrainOneStepCell(with_loss, optimizer).set_train()
    draw = np.random.default_rng(0)
    pictures = ms.Tensor(draw.normal(size=(batch, 3, side, side)).astype(np.float32))
    labels = ms.Tensor((np.arange(batch) % 10).astype(np.int32))
    step(pictures, labels)
    times: list[float] = []
    while len(times) < FEWEST or sum(times) < seconds:
        began = time.perf_counter()
        step(pictures, labels)
        times.append(time.perf_counter() - began)
    print(json.dumps({name: min(times) * 1e6}))


main(sys.argv[1], float(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
