"""A training on a pipeline: scikit-learn's digits, from arrays to an accuracy, in both modes."""

from collections.abc import Iterator

import numpy as np
import pytest
from sklearn.datasets import load_digits

import framework as ms
import framework.dataset as ds
from framework import nn


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ds.config.set_seed(5489)


def digits() -> tuple[ds.Dataset, ds.Dataset]:
    images, labels = load_digits(return_X_y=True)
    data = ds.NumpySlicesDataset({"image": images.reshape(-1, 8, 8, 1).astype(np.uint8), "label": labels})
    train, test = data.split([0.8, 0.2])
    chain = [ds.vision.Rescale(1 / 16, 0), ds.vision.HWC2CHW()]
    prepared = [
        part.map(chain, "image").map(ds.transforms.TypeCast(ms.int32), "label").batch(32) for part in (train, test)
    ]
    return prepared[0], prepared[1]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def test_a_network_learns_from_a_pipeline(mode: int) -> None:
    ms.set_seed(1)
    ds.config.set_seed(1)
    ms.set_context(mode=mode)
    train, test = digits()
    steps = train.get_dataset_size()
    net = nn.SequentialCell(nn.Flatten(), nn.Dense(64, 32, activation="relu"), nn.Dense(32, 10))
    rate = nn.CosineDecayLR(1e-4, 5e-3, 6 * steps)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), rate, weight_decay=0.01)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss(label_smoothing=0.05)), optimizer)
    epochs = train.create_tuple_iterator(num_epochs=6)
    for _ in range(6):
        for images, labels in epochs:
            step(images, labels)
    net.set_train(False)
    accuracy, top = nn.Accuracy(), nn.TopKCategoricalAccuracy(3)
    for images, labels in test:
        for metric in (accuracy, top):
            metric.update(net(images), labels)
    assert accuracy.eval() > 0.9
    assert top.eval() > accuracy.eval()
