"""One differentiable call per row, as in `programs`: matrices, scattering, searching, special functions, losses."""

import numpy as np

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from tests.framework.ops.programs import POINTS, Program, numbers, of_numbers

#: Symmetric and positive definite, whatever comes in.
ONES = np.eye(3) * 4
LABELS = np.array([1, 0, 3], np.int32)
SEGMENTS = np.array([0, -1, 1, 0, 1], np.int32)
CHANCES = numbers(3, 4, low=0.1, high=0.9, seed=1)
COLUMNS = np.array([[2, 0], [1, 3]], np.int32)

PROGRAMS: list[Program] = [
    Program("MatrixInverse", P.MatrixInverse(), [numbers(2, 3, 3) + ONES]),
    Program("MatrixInverse-adjoint", P.MatrixInverse(adjoint=True), [numbers(3, 3) + ONES]),
    Program("MatrixDeterminant", P.MatrixDeterminant(), [numbers(2, 3, 3) + ONES]),
    Program("Qr", lambda x: P.Concat(0)(P.Qr()(x)), [numbers(4, 3)]),
    Program("Qr-batch", lambda x: P.Qr()(x)[1], [numbers(2, 3, 3)]),
    Program("Svd", lambda x: P.Concat(0)((P.ExpandDims()(P.Svd()(x)[0], 0), *P.Svd()(x)[1:])), [numbers(4, 3)]),
    Program("Svd-wide", lambda x: P.Concat(1)(P.Svd()(x)[1:]), [numbers(2, 2, 3)]),
    Program("Svd-values", lambda x: P.Svd(compute_uv=False)(x)[0], [numbers(2, 3, 4)]),
    *[Program(f"Cholesky-{upper}",
              lambda x, u=upper: P.Cholesky(u)((x + P.Transpose()(x, (1, 0))) * 0.1 + Tensor(ONES)), [numbers(3, 3)])
      for upper in (False, True)],
    Program("Diag", P.Diag(), [numbers(2, 3)]),
    Program("DiagPart", P.DiagPart(), [numbers(2, 3, 2, 3)]),
    Program("Trace", P.Trace(), [numbers(3, 4)]),
    Program("Ger", P.Ger(), [numbers(3), numbers(4, seed=1)]),
    Program("Cross", P.Cross(1), [numbers(2, 3), numbers(2, 3, seed=1)]),
    *[Program(f"Cdist-{p}", P.Cdist(p), [numbers(3, 2), numbers(4, 2, low=2.3, high=5.0, seed=1)])
      for p in (0.0, 1.0, 2.0, 3.0, float("inf"))],
    Program("L2Normalize", P.L2Normalize((0, 1)), [numbers(3, 2)]),
    Program("L2Normalize-small", P.L2Normalize(0, 9.0), [numbers(3, 2, low=0.1, high=1.0)]),
    *[Program(name, lambda x, y, n=name: getattr(P, n)()(x, Tensor(POINTS), y),
              [numbers(3, 2, 2, low=0.5), numbers(3, 2, low=0.6, high=2.2, seed=1)])
      for name in ("TensorScatterMul", "TensorScatterDiv", "TensorScatterMax", "TensorScatterMin")],
    *[Program(f"TensorScatterElements-{how}", lambda x, y, h=how: P.TensorScatterElements(1, h)(x, Tensor(COLUMNS), y),
              [numbers(3, 4), numbers(2, 2, seed=1)]) for how in ("none", "add")],
    *[Program(name, lambda x, n=name: getattr(P, n)()(x, Tensor(SEGMENTS), 2), [numbers(5, 2, low=0.5)])
      for name in ("UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd")],
    Program("UnsortedSegmentProd-zero", lambda x: P.UnsortedSegmentProd()(x, Tensor([0, 0, 1, 1]), 2),
            [np.array([0.0, 2.0, 0.0, 0.0])], orders=1),
    Program("MaskedSelect", lambda x: P.MaskedSelect()(x, Tensor([True, False, True])), [numbers(2, 3)]),
    Program("Cummax", lambda x: P.Cummax(1)(x)[0], [numbers(2, 5)]),
    Program("Cummin", lambda x: P.Cummin(0)(x)[0], [numbers(4, 3)]),
    *[Program(f"Meshgrid-{order}", lambda x, y, o=order: P.Meshgrid(o)((x, y))[0] * P.Meshgrid(o)((x, y))[1],
              [numbers(2), numbers(3, seed=1)]) for order in ("xy", "ij")],
    of_numbers("NanToNum"),
    Program("Lerp", P.Lerp(), [numbers(2, 3), numbers(3, seed=1), numbers(2, 1, seed=2)]),
    of_numbers("Lgamma", low=-2.3, high=15.0),
    of_numbers("Digamma", low=0.3, high=15.0),
    Program("Polygamma", lambda x: P.Polygamma()(2, x), [numbers(2, 3, low=0.8, high=14.0)]),
    of_numbers("Erfinv", low=-0.9, high=0.9),
    *[Program(name, getattr(P, name)(), [numbers(2, 3, low=0.4, high=6.0), numbers(3, low=0.3, high=7.0, seed=1)])
      for name in ("Igamma", "Igammac")],
    Program("Betainc", P.Betainc(), [numbers(2, 3, low=0.5, high=4.0), numbers(3, low=0.6, high=5.0, seed=1),
                                     numbers(2, 1, low=0.1, high=0.9, seed=2)]),
    Program("FractionalMaxPoolWithFixedKsize",
            lambda x: P.FractionalMaxPoolWithFixedKsize(2, (2, 3))(x, Tensor([[[0.3, 0.7]]]))[0],
            [numbers(1, 1, 4, 5)]),
    Program("FractionalMaxPool3DWithFixedKsize",
            lambda x: P.FractionalMaxPool3DWithFixedKsize(2, 2)(x, Tensor([[[0.3, 0.7, 0.1]]]))[0],
            [numbers(1, 1, 3, 4, 4)]),
    Program("LRN", P.LRN(1, 1.5, 0.5, 0.75), [numbers(1, 4, 2, 2)]),
    *[Program(f"{name}-{how}", getattr(P, name)(how), [first, CHANCES, numbers(4, low=0.5, seed=2)][:count])
      for name, first, count, hows in (
          ("BinaryCrossEntropy", numbers(3, 4, low=0.15, high=0.85), 3, ("none", "mean", "sum")),
          ("KLDivLoss", numbers(3, 4), 2, ("none", "mean", "batchmean"))) for how in hows],
    *[Program(f"BCEWithLogitsLoss-{how}", P.BCEWithLogitsLoss(how),
              [numbers(3, 4), CHANCES, numbers(3, 4, low=0.5, seed=2), numbers(4, low=0.5, seed=3)])
      for how in ("none", "mean")],
    *[Program(f"NLLLoss-{how}", lambda x, w, h=how: P.NLLLoss(h, 0)(x, Tensor(LABELS), w)[0],
              [numbers(3, 4), numbers(4, low=0.5, seed=2)]) for how in ("none", "mean", "sum")],
]  # fmt: skip
