"""The gradient of picking slices by indices."""

from __future__ import annotations

from framework.common.device import Array, ArrayModule

__all__ = ["gather_grad"]


def gather_grad(xp: ArrayModule, dout: Array, indices: Array, at: int, shape: tuple[int, ...], batch: int) -> Array:
    """Add the slices of `dout` to zeros of a shape, at the places that the indices name.

    Args:
        xp: numpy or cupy.
        dout: the gradient of the picked slices.
        indices: integers; negative ones count from the end.
        at: the axis that is indexed, 0 or more.
        shape: the shape of the array that slices were picked from.
        batch: the number of leading dimensions that the array and the indices share.
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
