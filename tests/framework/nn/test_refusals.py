"""What MindSpore refuses is refused here, with an error of the same kind."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import framework as ms
from framework import Parameter, ParameterTuple, Tensor, nn, ops
from framework.common.validator import check_float


@pytest.fixture(autouse=True)
def _line_by_line_afterwards() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


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
        (lambda: Tensor([1], np.int64), TypeError),
        (lambda: Tensor([[1, 2], [3]]), TypeError),
        (lambda: Tensor(1, shape=(1,)), ValueError),
        (lambda: Tensor.from_numpy([1]), TypeError),
        (lambda: Parameter((1, 2)), TypeError),
        (lambda: Parameter(True), ValueError),
        (lambda: Parameter(1.0, name=1), ValueError),
        (lambda: Parameter(1.0, requires_grad=1), TypeError),
        (lambda: Parameter(1).set_data(1.5), TypeError),
        (lambda: nn.Cell().insert_param_to_cell("", Parameter(1.0)), KeyError),
        (lambda: nn.Cell().insert_param_to_cell("a.b", Parameter(1.0)), KeyError),
        (lambda: nn.Cell().insert_param_to_cell("a", 1), TypeError),
        (lambda: nn.Cell().insert_child_to_cell("a", Parameter(1.0)), TypeError),
        (lambda: nn.Cell().insert_child_to_cell(1, nn.ReLU()), TypeError),
        (lambda: nn.Dense(3, 0), ValueError),
        (lambda: nn.Dense(3, 2, has_bias=1), TypeError),
        (lambda: nn.Conv2d(3, 0, 4), ValueError),
        (lambda: nn.Conv2d(3, 1, 4, pad_mode="sane"), ValueError),
        (lambda: nn.Conv2d(3, 1, "a"), TypeError),
        (lambda: nn.BatchNorm2d(0), ValueError),
        (lambda: nn.MaxPool2d(0), ValueError),
        (lambda: nn.LSTM(0, 1), ValueError),
        (lambda: nn.RReLU("a", "b"), TypeError),
        (lambda: nn.PReLU(0), ValueError),
        (lambda: nn.GELU("a"), TypeError),
        (lambda: nn.Embedding(2, 3, padding_idx=5), ValueError),
        (lambda: nn.CentralCrop(True), TypeError),
        (lambda: nn.CentralCrop(0.5)(ops.ones((1, 1, 4, 4, 1))), ValueError),
        (lambda: nn.SSIM(True), TypeError),
        (lambda: nn.SSIM()(ops.ones((1, 1, 16, 16)), ops.ones((1, 1, 16, 16), ms.float16)), TypeError),
        (lambda: nn.PSNR()(ops.ones((1, 1, 4, 4, 1)), ops.ones((1, 1, 4, 4, 1))), ValueError),
        (lambda: nn.MSSSIM(power_factors={0.1, 0.2}), TypeError),
        (lambda: nn.ReflectionPad1d("1"), TypeError),
        (lambda: nn.ReflectionPad1d((-1, 2)), ValueError),
        (lambda: nn.FocalLoss(gamma="a"), TypeError),
        (lambda: nn.MultiClassDiceLoss("1"), TypeError),
        (lambda: nn.MultiClassDiceLoss(activation="x"), ValueError),
        (lambda: ops.cross_entropy(np.ones((1, 2)), Tensor([0])), TypeError),
        (lambda: ops.cross_entropy(ops.ones((1, 2)), Tensor([0]), reduction="1"), ValueError),
        (lambda: ops.gaussian_nll_loss(Tensor(1.0), Tensor(1.0), Tensor(1.0), full=0), TypeError),
        (lambda: ops.vjp(nn.ReLU(), 1), TypeError),
        (lambda: ops.jvp(nn.ReLU(), 1, 1), TypeError),
        (lambda: ops.GradOperation()(None), TypeError),
        (lambda: nn.get_activation("x"), KeyError),
        (lambda: ms.load_param_into_net(nn.Dense(1, 1), {"weight": 1}), TypeError),
        (lambda: ms.load_param_into_net(nn.Dense(1, 1), {"weight": Parameter([[1]])}), RuntimeError),
        (lambda: ms.SummaryRecord(""), ValueError),
        (lambda: ms.SummaryRecord(None), TypeError),
        (lambda: ms.train.DatasetHelper([1], dataset_sink_mode=1), TypeError),
        (lambda: ms.train.RunContext(1), TypeError),
        (lambda: ms.train.ModelCheckpoint(config="a"), TypeError),
        (lambda: ms.train.CheckpointConfig(save_checkpoint_steps="a"), TypeError),
        (lambda: ms.train.Model(nn.Dense(1, 1), metrics={"acc"}), ValueError),
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


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_products_with_jacobians_take_vectors_of_the_form_of_the_values(mode: int) -> None:
    ms.set_context(mode=mode)
    x = Tensor([1.0, -1.0])
    for wrong in (nn.Jvp(nn.ReLU()), nn.Vjp(nn.ReLU())):
        with pytest.raises(TypeError, match="must be a tensor for one"):
            wrong(x, (x,))
    np.testing.assert_array_equal(nn.Vjp(nn.ReLU())(x, x)[1].asnumpy(), [1.0, 0.0])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_similarities_of_bytes_are_those_of_floats(mode: int) -> None:
    ms.set_context(mode=mode)
    x = np.random.default_rng(0).integers(0, 256, (1, 1, 32, 32)).astype(np.uint8)
    y = np.roll(x, 1, 2)
    net = nn.MSSSIM(255, power_factors=(0.5, 0.5))
    floats = net(Tensor(x.astype(np.float32)), Tensor(y.astype(np.float32))).asnumpy()
    np.testing.assert_allclose(net(Tensor(x), Tensor(y)).asnumpy(), floats)
    ratio = 10 * np.log10(255**2 / np.mean((x.astype(float) - y) ** 2))
    np.testing.assert_allclose(nn.PSNR(255)(Tensor(x), Tensor(y)).asnumpy(), [ratio], rtol=1e-5)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_constant_paddings_may_leave_dimensions_out(mode: int) -> None:
    ms.set_context(mode=mode)
    x = ops.ones((1, 2, 2))
    assert nn.ConstantPad3d((0, 1), 9.0)(x).shape == (1, 2, 3)
    assert nn.ZeroPad2d((1, 0))(x).asnumpy().tolist() == [[[0, 1, 1], [0, 1, 1]]]


def test_a_parameter_takes_data_of_another_shape() -> None:
    weight = Parameter(ops.ones((2, 3)), name="w")
    assert weight.set_data(ops.zeros((4, 5))).shape == (4, 5)
    assert Parameter(3).dtype == ms.int32
    assert ms.common.dtype.pytype_to_dtype(float) == ms.float64
    assert 1 in Tensor([1, 2])
    assert np.array(1) not in Tensor([1, 2])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_lists_are_cast_as_tuples(mode: int) -> None:
    ms.set_context(mode=mode)
    cast = ms.jit(lambda x: ops.mixed_precision_cast(ms.float16, x)) if mode == ms.GRAPH_MODE else None
    cast = cast or (lambda x: ops.mixed_precision_cast(ms.float16, x))
    first, second = cast([Tensor([1.0]), Tensor([2])])
    assert (first.dtype, second.dtype) == (ms.float16, ms.int64)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_mean_cross_entropy_takes_further_dimensions(mode: int) -> None:
    ms.set_context(mode=mode)
    rng = np.random.default_rng(0)
    logits = Tensor(rng.normal(size=(2, 3, 4, 5)).astype(np.float32))
    labels = Tensor(rng.integers(0, 3, (2, 3, 4)).astype(np.int32))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    assert float(loss(logits, labels)) == pytest.approx(1.955717, abs=1e-5)  # MindSpore 2.10's number.
