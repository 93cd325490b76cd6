"""What MindSpore refuses is refused here, with an error of the same kind."""

from collections.abc import Callable

import numpy as np
import pytest

import framework as ms
from framework import Parameter, ParameterTuple, Tensor, nn
from framework.common.validator import check_float


def parameters(*names: str) -> list[Parameter]:
    return [Parameter(Tensor([1.0]), name=name) for name in names]


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (lambda: nn.piecewise_constant_lr([2], [1]), TypeError),
        (lambda: nn.piecewise_constant_lr([2.0], [0.1]), TypeError),
        (lambda: nn.exponential_decay_lr(0.1, "a", 30, 3, 2), TypeError),
        (lambda: nn.exponential_decay_lr(0.1, 0.9, 30.0, 3, 2), TypeError),
        (lambda: nn.exponential_decay_lr(0.1, 0.9, 30, 3, 2, 1), TypeError),
        (lambda: nn.cosine_decay_lr(True, 0.1, 30, 3, 2), TypeError),
        (lambda: nn.cosine_decay_lr(-1.0, 0.1, 30, 3, 2), ValueError),
        (lambda: nn.polynomial_decay_lr(0.1, 0.01, 30, 3, 2, 0.5, 1), TypeError),
        (lambda: nn.ExponentialDecayLR(1, 0.5, 3), TypeError),
        (lambda: nn.WarmUpLR(0.1, 2.0), TypeError),
        (lambda: nn.WarmUpLR(float("inf"), 2), ValueError),
        (lambda: nn.Optimizer(-0.5, parameters("a")), ValueError),
        (lambda: nn.Optimizer(None, parameters("a")), TypeError),
        (lambda: nn.Optimizer(0.1, None), ValueError),
        (lambda: nn.Optimizer(0.1, 9), TypeError),
        (lambda: nn.SGD(parameters("a"), weight_decay=np.array(1)), TypeError),
        (lambda: nn.SGD(parameters("a"), weight_decay=-1.0), ValueError),
        (lambda: nn.SGD(parameters("a"), loss_scale="1"), TypeError),
        (lambda: nn.SGD([{"params": parameters("a"), "lr": np.array(1)}]), TypeError),
        (lambda: nn.SGD([{"params": parameters("a"), "rate": 1}]), KeyError),
        (lambda: nn.SGD([{"params": parameters("a"), "grad_centralization": 1}]), TypeError),
        (lambda: nn.SGD([{"params": parameters("a")}, {"order_params": parameters("b")}]), ValueError),
        (lambda: nn.SGD([{"params": parameters("a"), "lr": [0.1, 0.2]}], [0.1] * 3), ValueError),
        (lambda: nn.Momentum(parameters("a", "a"), 0.1, 0.9), ValueError),
        (lambda: nn.Adam(parameters("a"), beta1=1), TypeError),
        (lambda: nn.Adam(parameters("a"), use_nesterov=1), TypeError),
        (lambda: nn.Lamb(parameters("a"), 0.1, eps=1), TypeError),
        (lambda: nn.FTRL(parameters("a"), learning_rate=[0.1, 0.2]), ValueError),
        (lambda: nn.Rprop(parameters("a"), etas=[0.5, 1.2]), TypeError),
        (lambda: nn.LARS(0.1), TypeError),
        (lambda: nn.AdaFactor(parameters("a"), eps=1e-3), TypeError),
        (lambda: nn.SGD(parameters("a")).get_lr_parameter([1, 2]), TypeError),
        (lambda: ParameterTuple(parameters("a", "a")), ValueError),
        (lambda: nn.ROC(pos_label=1.2), TypeError),
        (lambda: nn.Perplexity("a"), TypeError),
        (lambda: nn.BleuScore(smooth=5), TypeError),
        (lambda: nn.MeanSurfaceDistance(symmetric=1), TypeError),
        (lambda: nn.CosineSimilarity(similarity=4), TypeError),
        (lambda: nn.ConfusionMatrixMetric(metric_name="luck"), NotImplementedError),
        (lambda: nn.Accuracy().set_indexes([0.0]), ValueError),
        (lambda: check_float(0.5, "x", most=0.4), ValueError),
    ],
)
def test_wrong_arguments_are_refused_by_kind(wrong: Callable[[], object], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        wrong()


def test_a_roc_takes_predictions_and_labels_of_one_shape() -> None:
    roc = nn.ROC(pos_label=1)
    roc.update(Tensor([[3, 0, 1], [1, 3, 0], [1, 0, 2]]), Tensor([[0, 2, 1], [1, 2, 1], [0, 0, 1]]))
    false, true, thresholds = roc.eval()  # The numbers of MindSpore 2.10.
    np.testing.assert_allclose(false, [0, 0.4, 0.4, 0.6, 1])
    np.testing.assert_allclose(true, [0, 0, 0.25, 0.75, 1])
    np.testing.assert_array_equal(thresholds, [4, 3, 2, 1, 0])


def test_top_k_takes_one_hot_labels_of_fewer_classes() -> None:
    predicted = Tensor([[0.15, 0.4, 0.1, 0.05, 0.0, 0.2, 0.1], [0.1, 0.35, 0.25, 0.2, 0.1, 0.0, 0.0]])
    assert nn.Top1CategoricalAccuracy()(predicted, Tensor([[0, 1, 0], [0, 0, 1]])) == 0.5


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_order_of_parameters_is_that_of_order_params(mode: int) -> None:
    ms.set_context(mode=mode)
    a, b = parameters("a", "b")
    optimizer = nn.SGD([{"params": [a], "lr": 0.5}, {"params": [b]}, {"order_params": [b, a]}], 0.25)
    optimizer((Tensor([1.0]), Tensor([2.0])))
    assert [float(item) for item in (a, b)] == [0.0, 0.75]
