"""Einstein's sums, against numpy's, in both modes, with their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops

RNG = np.random.default_rng(5)
A, B, C = RNG.standard_normal((3, 4)), RNG.standard_normal((4, 5)), RNG.standard_normal((5, 3))
SQUARE, BATCH, OTHER = (
    RNG.standard_normal((4, 4)), RNG.standard_normal((2, 3, 4)), RNG.standard_normal((2, 4, 3)),
)  # fmt: skip

CASES: list[tuple[str, tuple[Any, ...]]] = [
    ("ij->ji", (A,)),
    ("ij", (A,)),
    ("ji", (A,)),
    ("ij->", (A,)),
    ("ij->j", (A,)),
    ("ii", (SQUARE,)),
    ("ii->i", (SQUARE,)),
    ("iij->ij", (RNG.standard_normal((3, 3, 2)),)),
    ("iji,j->", (RNG.standard_normal((3, 2, 3)), RNG.standard_normal(2))),
    ("ij,jk", (A, B)),
    ("ij,jk->ki", (A, B)),
    ("ij,jk,ki->", (A, B, C)),
    ("ij,kl->ijkl", (A, C)),
    ("ij,ij->ij", (A, A)),
    ("ij,ij->i", (A, A)),
    ("i,j->ij", (A[0], A[1])),
    ("bij,bjk->bik", (BATCH, OTHER)),
    ("bij,bjk->ikb", (BATCH, OTHER)),
    ("b i j , b k j -> b i k", (BATCH, BATCH)),
    ("...ij,...jk->...ik", (BATCH, OTHER)),
    ("...j,jk", (BATCH, B)),
    ("i...->...", (BATCH,)),
    ("...ij->...ji", (BATCH,)),
    ("nqhd,nkhd->nhqk", (RNG.standard_normal((2, 3, 2, 4)), RNG.standard_normal((2, 5, 2, 4)))),
    ("ij,k->k", (A, A[0])),
]
IDS = [equation for equation, _ in CASES]


def contracted(equation: str) -> Any:
    return lambda *operands: ops.einsum(equation, *operands)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize(("equation", "operands"), CASES, ids=IDS)
def test_values(equation: str, operands: tuple[Any, ...], compiled: bool) -> None:
    function = contracted(equation)
    run = ms.jit(function) if compiled else function
    np.testing.assert_allclose(run(*map(Tensor, operands)).asnumpy(), np.einsum(equation, *operands), rtol=1e-12)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize(("equation", "operands"), CASES[::3], ids=IDS[::3])
def test_first_and_second_derivatives(equation: str, operands: tuple[Any, ...], compiled: bool) -> None:
    """Each operand comes once, so differences along a direction of a cubic in them are exact but for rounding."""

    def cube(*given: Any) -> Any:
        return (ops.einsum(equation, *given) ** 3).sum()

    def slope(*given: Any) -> Any:
        total = ms.grad(cube, tuple(range(len(given))))(*given)
        parts = total if isinstance(total, tuple) else (total,)
        out = (parts[0] * given[0]).sum()
        for part, item in zip(parts[1:], given[1:], strict=True):
            out = out + (part * item).sum()
        return out

    run = ms.jit(slope) if compiled else slope
    tensors = tuple(map(Tensor, operands))
    wanted = (np.einsum(equation, *operands) ** 3).sum()
    # The cube is homogeneous in each operand: of degree 3.
    degree = 3 * len(operands)
    np.testing.assert_allclose(float(run(*tensors)), degree * wanted, rtol=1e-9)
    again = ms.grad(run, 0)(*tensors)
    np.testing.assert_allclose(float((again * tensors[0]).sum()), 3 * degree * wanted, rtol=1e-9)


def test_operands_as_a_tuple() -> None:
    np.testing.assert_allclose(ops.einsum("ij,jk->ik", (Tensor(A), Tensor(B))).asnumpy(), A @ B)


@pytest.mark.parametrize(
    ("equation", "operands", "message"),
    [
        ("ij,jk", (A,), "takes 2 operands, not 1"),
        ("ijk", (A,), "does not fit the dimensions"),
        ("i", (A,), "does not fit the dimensions"),
        ("ij,ij->ij", (A, B), "for dimensions of lengths"),
        ("ij->k", (A,), "has a letter that no operand has"),
        ("ij->ii", (A,), "repeats a letter"),
    ],
)
def test_equations_that_do_not_fit_are_refused(equation: str, operands: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ops.einsum(equation, *map(Tensor, operands))
