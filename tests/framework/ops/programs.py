"""One differentiable call per row, for every primitive: what gradients, inference and modes are checked with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812


@dataclass
class Program:
    """`fn` of float64 arrays; `name` is the primitive's, with the special case of the row after a dash."""

    name: str
    fn: Callable[..., Any]
    inputs: Sequence[np.ndarray]
    #: Up to which order its derivatives are finite.
    orders: int = 2

    def __repr__(self) -> str:
        return self.name


def numbers(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Different numbers, none close to another or to half of a whole one: there are no ties and no jumps nearby."""
    count = int(np.prod(shape))
    order = np.random.default_rng((seed, count)).permutation(count)
    values = low + (high - low) * (order + 0.5) / count
    jump = np.abs(2 * values - np.rint(2 * values)) < 0.02
    return np.where(jump, values + 0.02, values).reshape(shape)


def of_numbers(name: str, *, low: float = -2.0, high: float = 2.0, label: str = "", **attributes: Any) -> Program:
    """A function of one tensor."""
    return Program(name + label, getattr(P, name)(**attributes), [numbers(3, 4, low=low, high=high)])


def of_two(name: str, *, low: float = -2.0, high: float = 2.0) -> list[Program]:
    """An operator on two tensors, of one shape and of shapes that broadcast."""
    operator = getattr(P, name)()
    same = [numbers(2, 3, low=low, high=high), numbers(2, 3, low=low + 0.03, high=high, seed=1)]
    other = [numbers(4, 1, 3, low=low, high=high), numbers(2, 1, low=low + 0.03, high=high, seed=2)]
    return [Program(name, operator, same), Program(f"{name}-broadcast", operator, other)]


def reductions(name: str) -> list[Program]:
    """A reduction over one axis, several and all."""
    x = numbers(2, 3, 4, low=0.5)
    cases: list[tuple[Any, bool]] = [(1, False), ((0, -1), True), ((), False)]
    return [
        Program(f"{name}-{axis}", lambda x, axis=axis, keep=keep: getattr(P, name)(keep)(x, axis), [x])
        for axis, keep in cases
    ]


# Arrays: each call makes tensors of them where it computes.
def batch_norm_grads(dy: Tensor, x: Tensor, scale: Tensor) -> Tensor:
    """The three gradients in one, with mean and variance that are x's."""
    mean = x.mean(axis=(0, 2))
    variance = P.Square()(x - mean.reshape(1, -1, 1)).mean(axis=(0, 2))
    dx, dscale, dbias = P.BatchNormGrad(True, 1e-5)(dy, x, scale, mean, variance)
    return dx + (dscale * dbias).reshape(1, -1, 1)


def layer_norm_grads(x: Tensor, dy: Tensor, gamma: Tensor) -> Tensor:
    """The three gradients in one, with variance and mean that are x's."""
    mean = P.ReduceMean(True)(x, (1, 2))
    variance = P.ReduceMean(True)(P.Square()(x - mean), (1, 2))
    dx, dgamma, dbeta = P.LayerNormGrad(-2, -1, 1e-5)(x, dy, variance, mean, gamma)
    return dx + dgamma * dbeta


INDICES = np.array([[2, 0, 2], [1, 1, 0]], np.int32)
POINTS = np.array([[0, 1], [2, 0], [1, 1]], np.int32)
#: Moving mean and variance, which training changes.
MOVING = (Parameter(np.array([0.1, -0.2]), name="mean"), Parameter(np.array([0.8, 1.3]), name="variance"))
IMAGES = numbers(2, 4, 5, 6)
#: Second derivatives with respect to weights need the images to be variables too.
WEIGHTS = numbers(6, 4, 3, 2, seed=3)
GROUPED = numbers(6, 2, 3, 2, seed=3)
SAME = {"out_channel": 6, "kernel_size": (3, 2)}

PROGRAMS: list[Program] = [
    *[program for name in ("Add", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "Atan2")
      for program in of_two(name)],
    *[program for name in ("RealDiv", "Div", "DivNoNan", "Xdivy", "Xlogy", "Pow")
      for program in of_two(name, low=0.3)],
    *[program for name in ("FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod")
      for program in of_two(name, low=0.7, high=3.9)],
    *[of_numbers(name) for name in (
        "Neg", "Abs", "Sign", "Square", "Floor", "Ceil", "Trunc", "Rint", "Round", "Exp", "Expm1", "Sin", "Cos", "Sinh",
        "Cosh", "Tanh", "Asinh", "Atan", "Erf", "Erfc", "ReLU", "Sigmoid", "SiLU", "Softplus", "Softsign", "GeLU",
        "ErfGeLU", "Elu", "Identity", "Flatten", "L2Loss", "ZerosLike", "OnesLike",
    )],
    Program("SquareSumAll", lambda x, y: P.SquareSumAll()(x, y)[0] * P.SquareSumAll()(x, y)[1],
            [numbers(2, 3), numbers(2, 3, seed=1)]),
    *[of_numbers(name, low=0.3) for name in ("Log", "Log1p", "Sqrt", "Rsqrt", "Reciprocal", "Inv")],
    *[of_numbers(name, low=-0.9, high=0.9) for name in ("Asin", "ACos", "Atanh", "Tan")],
    of_numbers("Acosh", low=1.2),
    *[of_numbers(name, low=-5, high=9) for name in ("ReLU6", "HSigmoid", "HSwish")],
    *[of_numbers(name, axis=axis, label=f"-{axis}") for name, axis in (
        ("Softmax", -1), ("Softmax", (0, 1)), ("LogSoftmax", 0), ("ReverseV2", (1,)),
    )],
    *[of_numbers(name, diagonal=1) for name in ("Tril", "Triu")],
    of_numbers("BroadcastTo", shape=(2, -1, 4)),
    of_numbers("Pad", paddings=((1, 0), (2, 1))),
    *[program for name in ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin")
      for program in reductions(name)],
    Program("ReduceProd-zero", lambda x: P.ReduceProd()(x, 1), [np.array([[0.0, 2.0, 3.0], [0.5, 0.0, 0.0]])],
            orders=1),
    Program("ArgMaxWithValue", lambda x: P.ArgMaxWithValue(1, True)(x)[1], [numbers(2, 3, 4)]),
    Program("ArgMinWithValue", lambda x: P.ArgMinWithValue(0)(x)[1], [numbers(2, 3, 4)]),
    *[Program(f"{name}-{exclusive}-{reverse}", lambda x, n=name, e=exclusive, r=reverse: getattr(P, n)(e, r)(x, 1),
              [numbers(2, 4, low=0.5)])
      for name in ("CumSum", "CumProd") for exclusive in (False, True) for reverse in (False, True)],
    *[Program(f"MatMul-{a}-{b}", P.MatMul(a, b),
              [numbers(*((4, 3) if a else (3, 4))), numbers(*((2, 4) if b else (4, 2)), seed=1)])
      for a in (False, True) for b in (False, True)],
    *[Program(f"BatchMatMul-{a}-{b}", P.BatchMatMul(a, b),
              [numbers(2, 1, *((4, 3) if a else (3, 4))), numbers(3, *((2, 4) if b else (4, 2)), seed=1)])
      for a in (False, True) for b in (False, True)],
    Program("BiasAdd", P.BiasAdd(), [numbers(2, 3, 4), numbers(3, seed=1)]),
    Program("BiasAddGrad", P.BiasAddGrad(), [numbers(2, 3, 4)]),
    Program("BiasAddGrad-last", P.BiasAddGrad("NHWC"), [numbers(2, 3, 4)]),
    Program("Cast", lambda x: P.Cast()(x, mstype.float64), [numbers(3)]),
    Program("Reshape", lambda x: P.Reshape()(x, (4, -1)), [numbers(2, 6)]),
    Program("ExpandDims", lambda x: P.ExpandDims()(x, -1), [numbers(2, 3)]),
    Program("Squeeze", P.Squeeze(1), [numbers(2, 1, 3)]),
    Program("Transpose", lambda x: P.Transpose()(x, (1, -1, 0)), [numbers(2, 3, 4)]),
    Program("Tile", lambda x: P.Tile()(x, (2, 1, 3)), [numbers(3, 2)]),
    Program("SumLike", P.SumLike(), [numbers(4, 2, 3), numbers(2, 1, seed=1)]),
    Program("BroadcastLike", P.BroadcastLike(), [numbers(2, 1), numbers(4, 2, 3, seed=1)]),
    Program("FillV2", lambda x: P.FillV2()((2, 3), x), [np.array(0.7)]),
    Program("AddN", lambda x, y: P.AddN()((x, y, x)), [numbers(2, 3), numbers(2, 3, seed=1)]),
    Program("Concat", lambda x, y: P.Concat(1)((x, y, x)), [numbers(2, 3), numbers(2, 1, seed=1)]),
    Program("PartsLike", lambda x: P.PartsLike(1)(x, (Tensor(INDICES[:, :1]), Tensor(INDICES[:, 1:])))[1],
            [numbers(2, 3)]),
    Program("OneHot", lambda x, y: P.OneHot(0)(Tensor(INDICES), 3, x, y), [np.array(0.7), np.array(0.2)]),
    Program("Stack", lambda x, y: P.Stack(-1)((x, y)), [numbers(2, 3), numbers(2, 3, seed=1)]),
    Program("Unstack", lambda x: P.Unstack(1)(x)[2], [numbers(2, 3)]),
    Program("Split", lambda x: P.Split(1, 2)(x)[1] * P.Split(1, 2)(x)[0], [numbers(2, 4)]),
    Program("Select", lambda x, y: P.Select()(Tensor([[True], [False]]), x, y), [numbers(2, 3), numbers(3, seed=1)]),
    Program("MaskedFill", lambda x, y: P.MaskedFill()(x, Tensor([True, False, True]), y),
            [numbers(2, 3), np.array(0.3)]),
    Program("GetItem", lambda x: x[1:, None, ..., ::-2], [numbers(3, 2, 5)]),
    Program("GetItem-tensors", lambda x: x[Tensor(INDICES), :, Tensor([1])], [numbers(3, 2, 5)]),
    Program("GetItemGrad", lambda x: P.GetItemGrad()(x, ("tensor",), (Tensor(INDICES),), (3, 2)), [numbers(2, 3, 2)]),
    Program("SetItem", lambda x, y: P.SetItem()(x, (slice(None), 1), (), y), [numbers(3, 2), numbers(3, seed=1)]),
    Program("Gather", lambda x: P.Gather()(x, Tensor(INDICES), 1), [numbers(2, 3, 2)]),
    Program("Gather-batch", lambda x: P.Gather(1)(x, Tensor(INDICES), 1), [numbers(2, 3, 2)]),
    Program("GatherGrad", lambda x: P.GatherGrad()(x, Tensor(INDICES), 1, (2, 3, 2)), [numbers(2, 2, 3, 2)]),
    Program("GatherD", lambda x: P.GatherD()(x, 1, Tensor(INDICES)), [numbers(2, 3)]),
    Program("GatherDGrad", lambda x: P.GatherDGrad()(x, 1, Tensor(INDICES), (2, 3)), [numbers(2, 3)]),
    Program("GatherNd", lambda x: P.GatherNd()(x, Tensor(POINTS)), [numbers(3, 2, 2)]),
    Program("ScatterNd", lambda x: P.ScatterNd()(Tensor(POINTS), x, (3, 2, 2)), [numbers(3, 2)]),
    *[Program(name, lambda x, y, n=name: getattr(P, n)()(x, Tensor(POINTS), y),
              [numbers(3, 2, 2), numbers(3, 2, seed=1)])
      for name in ("TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub")],
    Program("UnsortedSegmentSum", lambda x: P.UnsortedSegmentSum()(x, Tensor([0, -1, 2, 0]), 3), [numbers(4, 2)]),
    Program("Slice", lambda x: P.Slice()(x, (1, 0), (2, -1)), [numbers(4, 2)]),
    Program("SliceGrad", lambda x: P.SliceGrad()(x, (1, 0), (2, 2), (4, 3)), [numbers(2, 2)]),
    Program("StridedSlice", lambda x: P.StridedSlice(1, 2, 0, 0, 4)(x, (1, 4, 1), (4, 0, 2), (2, -1, 1)),
            [numbers(4, 5, 3)]),
    Program("StridedSliceGrad", lambda x: P.StridedSliceGrad()(x, (1, 0), (4, 2), (2, 1), (4, 3)), [numbers(2, 2)]),
    Program("TopK", lambda x: P.TopK()(x, 2)[0], [numbers(3, 4)]),
    Program("Sort", lambda x: P.Sort(0, True)(x)[0], [numbers(3, 4)]),
    Program("ErfGeLUGrad", P.ErfGeLUGrad(), [numbers(2, 3), numbers(2, 3, seed=1)]),
    Program("ReluGrad", P.ReluGrad(), [numbers(2, 3), numbers(2, 3, seed=1)]),
    *[Program(f"Conv2D-{mode}", P.Conv2D(**SAME, pad_mode=mode, pad=pad, stride=stride, dilation=dilation),
              [IMAGES, WEIGHTS])
      for mode, pad, stride, dilation in (
          ("valid", 0, 1, 1), ("same", 0, 2, 1), ("pad", (1, 0, 2, 1), (1, 2), (1, 2)))],
    Program("Conv2D-groups", P.Conv2D(**SAME, group=2), [IMAGES, GROUPED]),
    Program("Conv2DBackpropInput", lambda d, w: P.Conv2DBackpropInput(**SAME)(d, w, IMAGES.shape),
            [numbers(2, 6, 3, 5), WEIGHTS]),
    Program("Conv2DBackpropFilter", lambda d, x: P.Conv2DBackpropFilter(**SAME)(d, x, WEIGHTS.shape),
            [numbers(2, 6, 3, 5), IMAGES]),
    *[Program(f"{name}-{mode}", getattr(P, name)(kernel_size=(3, 2), strides=2, pad_mode=mode, **more), [IMAGES])
      for name in ("MaxPool", "AvgPool")
      for mode, more in (("valid", {}), ("same", {}), ("pad", {"pad": 1, "ceil_mode": True}))],
    Program("MaxPoolGrad", lambda d: P.MaxPoolGrad((2, 2), 1)(Tensor(IMAGES), P.MaxPool((2, 2), 1)(Tensor(IMAGES)), d),
            [numbers(2, 4, 4, 5)]),
    Program("MaxPoolGradGrad", lambda d: P.MaxPoolGradGrad((2, 2), 1)(
        Tensor(IMAGES), P.MaxPool((2, 2), 1)(Tensor(IMAGES)), d), [numbers(2, 4, 5, 6, seed=1)]),
    Program("AvgPoolGrad", lambda d: P.AvgPoolGrad((2, 2), 1)(d, IMAGES.shape), [numbers(2, 4, 4, 5)]),
    *[Program(f"BatchNorm-{training}", lambda x, s, b, t=training: P.BatchNorm(t)(x, s, b, *MOVING)[0],
              [numbers(4, 2, 3), numbers(2, low=0.5), numbers(2, seed=1)]) for training in (False, True)],
    Program("LayerNorm", lambda x, g, b: P.LayerNorm(-2, -1, 1e-5)(x, g, b)[0],
            [numbers(2, 3, 4), numbers(4, low=0.5), numbers(4, seed=1)]),
    Program("BatchNormGrad", batch_norm_grads, [numbers(4, 2, 3), numbers(4, 2, 3, seed=1), numbers(2, low=0.5)]),
    Program("LayerNormGrad", layer_norm_grads, [numbers(2, 3, 4), numbers(2, 3, 4, seed=1), numbers(4, low=0.5)]),
    Program("Dropout", lambda x: P.Dropout(0.6, 3, 5)(x)[0], [numbers(4, 5)]),
    Program("Depend", lambda x, y: P.Depend()(x, y), [numbers(3), numbers(3, seed=1)]),
    Program("SoftmaxCrossEntropyWithLogits", lambda x, y: P.SoftmaxCrossEntropyWithLogits()(x, y)[0],
            [numbers(3, 4), numbers(3, 4, low=0.1, high=0.9, seed=1)]),
    Program("SparseSoftmaxCrossEntropyWithLogits",
            lambda x: P.SparseSoftmaxCrossEntropyWithLogits()(x, Tensor([1, 0, 3])), [numbers(3, 4)]),
    Program("SparseSoftmaxCrossEntropyWithLogitsGrad",
            lambda x, g: P.SparseSoftmaxCrossEntropyWithLogitsGrad()(x, Tensor([1, 0, 3]), g),
            [numbers(3, 4), np.array(0.8)]),
    Program("SigmoidCrossEntropyWithLogits", P.SigmoidCrossEntropyWithLogits(),
            [numbers(3, 4), numbers(3, 4, low=0.1, high=0.9, seed=1)]),
    *[Program(f"SmoothL1Loss-{reduction}", P.SmoothL1Loss(0.7, reduction), [numbers(3, 4), numbers(3, 4, seed=4)])
      for reduction in ("none", "mean", "sum")],
]  # fmt: skip
