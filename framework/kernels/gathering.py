"""The way back of picking slices by indices."""

from __future__ import annotations

from framework.common.device import Array, ArrayModule

__all__ = ["gather_grad"]


def gather_grad(xp: ArrayModule, dout: Array, indices: Array, at: int, shape: tuple[int, ...], batch: int) -> Array:
    """Zeros of a shape with the slices of `dout` added where indices point.

    Args:
        xp: numpy or cupy.
        dout: of the shape of what was picked.
        indices: integers; those below 0 count from the end.
        at: the axis that they point along, 0 or more.
        shape: of what was picked from.
        batch: how many leading dimensions both share.
    """
    out = xp.zeros(shape, dout.dtype)
    # dout[batch, before, indices, after] goes to out[batch, before, at, after].
    index = tuple(xp.arange(size).reshape(-1, *(1,) * (dout.ndim - i - 1)) for i, size in enumerate(dout.shape[:at]))
    pointed = indices.reshape((*indices.shape[:batch], *(1,) * (at - batch), *indices.shape[batch:]))
    pointed = pointed.reshape((*pointed.shape, *(1,) * (len(shape) - at - 1)))
    after = tuple(
        xp.arange(size).reshape(-1, *(1,) * (len(shape) - at - 2 - i)) for i, size in enumerate(shape[at + 1 :])
    )
    xp.add.at(out, (*index, pointed, *after), dout)
    return out
