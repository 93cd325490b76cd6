"""Functions in the style `ops.relu(x)`, by family; public as `framework.ops.functional`, commonly imported as F.

They are written in the part of Python that graph mode parses, so both modes run the same source.
"""

from functools import partial as partial

from framework.ops.arithmetic import scalars
from framework.ops.control import known_values

# isort: off
# fmt: off
from framework.ops.activation.normalized_exponentials import gumbel_softmax, log_softmax, softmax, softmin
from framework.ops.activation.rectifiers import celu, elu, leaky_relu, prelu, relu, relu6, rrelu, selu
from framework.ops.activation.shrinking import hardshrink, hardtanh, soft_shrink, softshrink, threshold
from framework.ops.activation.sigmoids import (
    fast_gelu, gelu, glu, hardsigmoid, hardswish, logsigmoid, mish, sigmoid, silu, softplus, softsign, tanhshrink,
)
from framework.ops.arithmetic.binary import (
    add, addn, arctan2, atan2, maximum, minimum, mul, multiply, pow, pows, squared_difference, sub, subtract, xlogy,
)
from framework.ops.arithmetic.combined import (
    addcdiv, addcmul, clamp, clip, clip_by_value, copysign, fmax, fmin, heaviside, lerp, nan_to_num,
)
from framework.ops.arithmetic.division import (
    div, div_no_nan, divide, floor_div, floor_divide, floor_mod, fmod, real_div, remainder, true_divide, truncate_div,
    truncate_mod, xdivy,
)
from framework.ops.arithmetic.scalars import *  # noqa: F403
from framework.ops.array.broadcasting import broadcast_to, expand
from framework.ops.array.casting import cast
from framework.ops.array.flipping import flip, fliplr, flipud, reverse, reverse_sequence, roll, rot90
from framework.ops.array.joining import cat, column_stack, concat, dstack, hstack, stack, unbind, unstack, vstack
from framework.ops.array.padding import mirror_pad, pad, padding
from framework.ops.array.properties import dtype, dyn_shape, is_complex, is_floating_point, numel, rank, shape, size
from framework.ops.array.repeating import (
    cartesian_prod, combinations, meshgrid, repeat_elements, repeat_interleave, tile,
)
from framework.ops.array.reshaping import (
    atleast_1d, atleast_2d, atleast_3d, expand_dims, flatten, identity, ravel, reshape, squeeze, unsqueeze,
)
from framework.ops.array.space_and_depth import batch_to_space_nd, pixel_shuffle, pixel_unshuffle, space_to_batch_nd
from framework.ops.array.splitting import chunk, dsplit, hsplit, split, tensor_split, vsplit
from framework.ops.array.transposing import (
    channel_shuffle, moveaxis, movedim, permute, swapaxes, swapdims, t, transpose,
)
from framework.ops.array.triangles import matrix_band_part, tril, tril_indices, triu, triu_indices
from framework.ops.comparison import (
    bitwise_and, bitwise_or, bitwise_xor, equal, ge, greater, greater_equal, gt, is_nonzero, isclose, isfinite, isinf,
    isnan, isneginf, isposinf, isreal, le, less, less_equal, logical_and, logical_not, logical_or, logical_xor, lt, ne,
    not_equal, signbit,
)
from framework.ops.control.dependencies import depend, stop_gradient
from framework.ops.control.known_values import *  # noqa: F403
from framework.ops.control.printing import print_
from framework.ops.convolution.patches import col2im, fold, unfold
from framework.ops.convolution.planes import conv1d, conv2d
from framework.ops.convolution.solids import conv3d
from framework.ops.creation.filled_like import ones_like, zeros_like
from framework.ops.creation.filling import (
    eye, fill, fills, full, full_like, ones, scalar_cast, scalar_to_tensor, zeros,
)
from framework.ops.creation.from_numbers import (
    make_range, mixed_precision_cast, scalar_to_array, tuple_len, tuple_to_array,
)
from framework.ops.creation.ranges import arange, linspace, logspace, range, sequence_mask, vander
from framework.ops.creation.signal_windows import (
    bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window,
)
from framework.ops.images.boxes import bounding_box_decode, bounding_box_encode, check_valid, iou
from framework.ops.images.grid_sampling import affine_grid, grid_sample
from framework.ops.images.interpolating import interpolate, upsample
from framework.ops.images.regions import crop_and_resize
from framework.ops.images.resizing import resize_bilinear
from framework.ops.indexing.gather_scatter_nd import gather_nd, scatter_nd
from framework.ops.indexing.gathering_elements import gather, gather_d, gather_elements, index_select
from framework.ops.indexing.parameter_scatter import (
    index_add, inplace_index_add, scatter_add, scatter_div, scatter_max, scatter_min, scatter_mul, scatter_nd_add,
    scatter_nd_div, scatter_nd_max, scatter_nd_min, scatter_nd_mul, scatter_nd_sub, scatter_nd_update, scatter_sub,
    scatter_update,
)
from framework.ops.indexing.replacing_slices import index_fill, select_scatter, slice_scatter
from framework.ops.indexing.segment_reductions import (
    unsorted_segment_max, unsorted_segment_min, unsorted_segment_prod, unsorted_segment_sum,
)
from framework.ops.indexing.selecting import masked_fill, one_hot, select, where
from framework.ops.indexing.slicing import narrow, slice, strided_slice
from framework.ops.indexing.tensor_scatter import (
    inplace_add, inplace_sub, inplace_update, masked_scatter, scatter, tensor_scatter_add, tensor_scatter_div,
    tensor_scatter_elements, tensor_scatter_elements_update, tensor_scatter_max, tensor_scatter_min,
    tensor_scatter_mul, tensor_scatter_sub, tensor_scatter_update,
)
from framework.ops.losses.ctc_padded import ctc_loss
from framework.ops.losses.distances import huber_loss, l1_loss, mse_loss, reduced, smooth_l1_loss
from framework.ops.losses.likelihoods import (
    binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, gaussian_nll_loss, kl_div, nll_loss,
)
from framework.ops.losses.margins import (
    cosine_embedding_loss, hinge_embedding_loss, margin_ranking_loss, multi_label_margin_loss, multi_margin_loss,
    multilabel_soft_margin_loss, soft_margin_loss, triplet_margin_loss,
)
from framework.ops.mathematics.complex_numbers import adjoint, angle, conj, imag, real
from framework.ops.mathematics.exponential import (
    exp, expm1, hypot, inv, log, log10, log1p, log2, reciprocal, rsqrt, sqrt, square,
)
from framework.ops.mathematics.incomplete import igamma, igammac
from framework.ops.mathematics.integers import bitwise_left_shift, bitwise_right_shift, gcd, invert, lcm, nextafter
from framework.ops.mathematics.integers import population_count
from framework.ops.mathematics.logarithms import float_power, ldexp, logaddexp, logaddexp2, logcumsumexp, logit
from framework.ops.mathematics.rounding import (
    abs, absolute, ceil, floor, frac, neg, negative, positive, rint, round, sgn, sign, trunc,
)
from framework.ops.mathematics.series import bessel_i0, i0, mvlgamma, zeta
from framework.ops.mathematics.special_functions import digamma, erf, erfc, erfinv, lgamma, polygamma
from framework.ops.mathematics.trigonometry import (
    acos, acosh, arccos, arccosh, arcsin, arcsinh, arctan, arctanh, asin, asinh, atan, atanh, cos, cosh, deg2rad,
    rad2deg, sin, sinc, sinh, tan, tanh,
)
from framework.ops.matrices.combined_products import (
    addbmm, addmm, addmv, addr, baddbmm, batch_dot, bidense, dense, inner, kron, mm, mv, tensor_dot,
)
from framework.ops.matrices.contraction import einsum
from framework.ops.matrices.diagonals import (
    block_diag, diag_embed, diagflat, diagonal, diagonal_scatter, fill_diagonal, matrix_diag, matrix_diag_part,
    matrix_set_diag,
)
from framework.ops.matrices.factorizations import qr, svd
from framework.ops.matrices.inverses import cholesky, det, diag, inverse, matrix_determinant, trace
from framework.ops.matrices.lu import lu_solve, lu_unpack
from framework.ops.matrices.products import bias_add, bmm, dot, matmul, outer
from framework.ops.matrices.solving import (
    cholesky_inverse, cond, log_matrix_determinant, logdet, lstsq, matrix_exp, matrix_power, pinv, slogdet,
)
from framework.ops.matrices.vectors import cdist, cross, ger, vecdot
from framework.ops.normalization.batch import batch_norm
from framework.ops.normalization.layer import group_norm, layer_norm, rms_norm
from framework.ops.normalization.local_response import lrn
from framework.ops.pooling.adaptive import adaptive_avg_pool2d
from framework.ops.pooling.adaptive_rows_and_volumes import (
    adaptive_avg_pool1d, adaptive_avg_pool3d, adaptive_max_pool1d, adaptive_max_pool3d,
)
from framework.ops.pooling.powers import lp_pool1d, lp_pool2d
from framework.ops.pooling.fractional import fractional_max_pool2d, fractional_max_pool3d
from framework.ops.pooling.rows_and_volumes import avg_pool1d, avg_pool3d, max_pool3d
from framework.ops.pooling.sliding import avg_pool2d
from framework.ops.pooling.unpooling import max_unpool1d, max_unpool2d, max_unpool3d
from framework.ops.pooling.with_places import adaptive_max_pool2d, max_pool2d
from framework.ops.random.choosing import (
    multinomial, multinomial_with_replacement, random_categorical, randperm, shuffle,
)
from framework.ops.random.distributions import (
    bernoulli, gamma, laplace, poisson, random_gamma, random_poisson, standard_laplace,
)
from framework.ops.random.dropout import dropout, dropout1d, dropout2d, dropout3d
from framework.ops.random.uniform_and_normal import (
    normal, rand, rand_like, randint, randint_like, randn, randn_like, standard_normal, uniform,
)
from framework.ops.reduction.cumulative import cumprod, cumsum
from framework.ops.reduction.extremes import amax, amin, argmax, argmin, logsumexp, max, min, reduce_max, reduce_min
from framework.ops.reduction.integrals import cumulative_trapezoid, diff, trapz
from framework.ops.reduction.norms import clip_by_norm, cosine_similarity, dist, norm, pdist, renorm, vector_norm
from framework.ops.reduction.statistics import (
    accumulate_n, count_nonzero, cov, median, nanmean, nanmedian, nanquantile, nansum, quantile, std_mean, var_mean,
)
from framework.ops.reduction.totals import all, any, mean, prod, reduce_mean, reduce_prod, reduce_sum, std, sum, var
from framework.ops.searching.counting import bincount, histc, unique, unique_consecutive, unique_with_pad
from framework.ops.searching.finding import argwhere, bucketize, in_top_k, intopk, masked_select, nonzero, searchsorted
from framework.ops.searching.nearness import approximate_equal
from framework.ops.searching.sorting import argsort, cummax, cummin, sort, top_k, topk
from framework.ops.updates.assignment import assign, assign_add, assign_sub
# fmt: on
# isort: on

__all__ = [
    "abs", "absolute", "accumulate_n", "acos", "acosh", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "add", "addbmm",
    "addcdiv", "addcmul", "addmm", "addmv", "addn", "addr", "adjoint", "affine_grid", "all", "amax", "amin", "angle",
    "any", "approximate_equal", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "argmax", "argmin", "argsort", "argwhere", "asin", "asinh", "assign", "assign_add", "assign_sub", "atan", "atan2",
    "atanh", "atleast_1d", "atleast_2d", "atleast_3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "baddbmm",
    "bartlett_window", "batch_dot", "batch_norm", "batch_to_space_nd", "bernoulli", "bessel_i0", "bias_add",
    "bidense", "binary_cross_entropy", "binary_cross_entropy_with_logits", "bincount", "bitwise_and",
    "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "blackman_window", "block_diag", "bmm",
    "bounding_box_decode", "bounding_box_encode", "broadcast_to", "bucketize", "cartesian_prod", "cast", "cat",
    "cdist", "ceil", "celu", "channel_shuffle", "check_valid", "cholesky", "cholesky_inverse", "chunk", "clamp",
    "clip", "clip_by_norm", "clip_by_value", "col2im", "column_stack", "combinations", "concat", "cond", "conj",
    "conv1d", "conv2d", "conv3d", "copysign", "cos", "cosh", "cosine_embedding_loss", "cosine_similarity",
    "count_nonzero", "cov", "crop_and_resize", "cross", "cross_entropy", "ctc_loss", "cummax", "cummin", "cumprod",
    "cumsum", "cumulative_trapezoid", "deg2rad", "dense", "depend", "det", "diag", "diag_embed", "diagflat",
    "diagonal", "diagonal_scatter", "diff", "digamma", "dist", "div", "div_no_nan", "divide", "dot", "dropout",
    "dropout1d", "dropout2d", "dropout3d", "dsplit", "dstack", "dtype", "dyn_shape", "einsum", "elu", "equal", "erf",
    "erfc", "erfinv", "exp", "expand", "expand_dims", "expm1", "eye", "fast_gelu", "fill", "fill_diagonal", "fills",
    "flatten", "flip", "fliplr", "flipud", "float_power", "floor", "floor_div", "floor_divide", "floor_mod", "fmax",
    "fmin", "fmod", "fold", "frac", "fractional_max_pool2d", "fractional_max_pool3d", "full", "full_like", "gamma",
    "gather", "gather_d", "gather_elements", "gather_nd", "gaussian_nll_loss", "gcd", "ge", "gelu", "ger", "glu",
    "greater", "greater_equal", "grid_sample", "group_norm", "gt", "gumbel_softmax", "hamming_window", "hann_window",
    "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "heaviside", "hinge_embedding_loss", "histc", "hsplit",
    "hstack", "huber_loss", "hypot", "i0", "identity", "igamma", "igammac", "imag", "in_top_k", "index_add",
    "index_fill", "index_select", "inner", "inplace_add", "inplace_index_add", "inplace_sub", "inplace_update",
    "interpolate", "intopk", "inv", "inverse", "invert", "iou", "is_complex", "is_floating_point", "is_nonzero",
    "isclose", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal", "kaiser_window", "kl_div", "kron",
    "l1_loss", "laplace", "layer_norm", "lcm", "ldexp", "le", "leaky_relu", "lerp", "less", "less_equal", "lgamma",
    "linspace", "log", "log1p", "log2", "log10", "log_matrix_determinant", "log_softmax", "logaddexp", "logaddexp2",
    "logcumsumexp", "logdet", "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid",
    "logspace", "logsumexp", "lp_pool1d", "lp_pool2d", "lrn", "lstsq", "lt", "lu_solve", "lu_unpack", "make_range",
    "margin_ranking_loss", "masked_fill", "masked_scatter", "masked_select", "matmul", "matrix_band_part",
    "matrix_determinant", "matrix_diag", "matrix_diag_part", "matrix_exp", "matrix_power", "matrix_set_diag", "max",
    "max_pool2d", "max_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d", "maximum", "mean", "median",
    "meshgrid", "min", "minimum", "mirror_pad", "mish", "mixed_precision_cast", "mm", "moveaxis", "movedim",
    "mse_loss", "mul", "multi_label_margin_loss", "multi_margin_loss", "multilabel_soft_margin_loss", "multinomial",
    "multinomial_with_replacement", "multiply", "mv", "mvlgamma", "nan_to_num", "nanmean", "nanmedian", "nanquantile",
    "nansum", "narrow", "ne", "neg", "negative", "nextafter", "nll_loss", "nonzero", "norm", "normal", "not_equal",
    "numel", "one_hot", "ones", "ones_like", "outer", "pad", "padding", "partial", "pdist", "permute", "pinv",
    "pixel_shuffle", "pixel_unshuffle", "poisson", "polygamma", "population_count", "positive", "pow", "pows",
    "prelu", "print_", "prod", "qr", "quantile", "rad2deg", "rand", "rand_like", "randint", "randint_like", "randn",
    "randn_like", "random_categorical", "random_gamma", "random_poisson", "randperm", "range", "rank", "ravel",
    "real", "real_div", "reciprocal", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum",
    "reduced", "relu", "relu6", "remainder", "renorm", "repeat_elements", "repeat_interleave", "reshape",
    "resize_bilinear", "reverse", "reverse_sequence", "rint", "rms_norm", "roll", "rot90", "round", "rrelu", "rsqrt",
    "scalar_cast", "scalar_to_array", "scalar_to_tensor", "scatter", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_nd", "scatter_nd_add", "scatter_nd_div", "scatter_nd_max",
    "scatter_nd_min", "scatter_nd_mul", "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update",
    "searchsorted", "select", "select_scatter", "selu", "sequence_mask", "sgn", "shape", "shuffle", "sigmoid", "sign",
    "signbit", "silu", "sin", "sinc", "sinh", "size", "slice", "slice_scatter", "slogdet", "smooth_l1_loss",
    "soft_margin_loss", "soft_shrink", "softmax", "softmin", "softplus", "softshrink", "softsign", "sort",
    "space_to_batch_nd", "split", "sqrt", "square", "squared_difference", "squeeze", "stack", "standard_laplace",
    "standard_normal", "std", "std_mean", "stop_gradient", "strided_slice", "sub", "subtract", "sum", "svd",
    "swapaxes", "swapdims", "t", "tan", "tanh", "tanhshrink", "tensor_dot", "tensor_scatter_add",
    "tensor_scatter_div", "tensor_scatter_elements", "tensor_scatter_elements_update", "tensor_scatter_max",
    "tensor_scatter_min", "tensor_scatter_mul", "tensor_scatter_sub", "tensor_scatter_update", "tensor_split",
    "threshold", "tile", "top_k", "topk", "trace", "transpose", "trapz", "tril", "tril_indices",
    "triplet_margin_loss", "triu", "triu_indices", "true_divide", "trunc", "truncate_div", "truncate_mod",
    "tuple_len", "tuple_to_array", "unbind", "unfold", "uniform", "unique", "unique_consecutive", "unique_with_pad",
    "unsorted_segment_max", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sum", "unsqueeze",
    "unstack", "upsample", "vander", "var", "var_mean", "vecdot", "vector_norm", "vsplit", "vstack", "where", "xdivy",
    "xlogy", "zeros", "zeros_like", "zeta",
]  # fmt: skip
__all__ += known_values.__all__
__all__ += scalars.__all__
