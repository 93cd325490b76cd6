"""Primitives without attributes, as functions: each does what its primitive says."""

from __future__ import annotations

from framework.ops import operations as P  # noqa: N812

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "addn",
    "asin",
    "asinh",
    "assign",
    "assign_add",
    "assign_sub",
    "atan",
    "atan2",
    "atanh",
    "bias_add",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "ceil",
    "cos",
    "cosh",
    "depend",
    "div_no_nan",
    "dtype",
    "equal",
    "erf",
    "erfc",
    "exp",
    "expand_dims",
    "expm1",
    "fill",
    "floor",
    "floor_div",
    "floor_mod",
    "gather_d",
    "gather_nd",
    "greater",
    "greater_equal",
    "hardsigmoid",
    "hardswish",
    "identity",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "masked_fill",
    "maximum",
    "minimum",
    "mul",
    "neg",
    "not_equal",
    "pow",
    "rank",
    "real_div",
    "reciprocal",
    "relu",
    "relu6",
    "reshape",
    "rint",
    "rsqrt",
    "scatter_nd",
    "select",
    "shape",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "size",
    "slice",
    "softsign",
    "sqrt",
    "square",
    "squared_difference",
    "stop_gradient",
    "sub",
    "tan",
    "tanh",
    "tensor_scatter_add",
    "tensor_scatter_elements_update",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "tile",
    "transpose",
    "trunc",
    "truncate_div",
    "truncate_mod",
    "unsorted_segment_sum",
    "xdivy",
    "xlogy",
]


abs = P.Abs()
acos = P.ACos()
acosh = P.Acosh()
add = P.Add()
addn = P.AddN()
asin = P.Asin()
asinh = P.Asinh()
assign = P.Assign()
assign_add = P.AssignAdd()
assign_sub = P.AssignSub()
atan = P.Atan()
atan2 = P.Atan2()
atanh = P.Atanh()
bias_add = P.BiasAdd()
bitwise_and = P.BitwiseAnd()
bitwise_or = P.BitwiseOr()
bitwise_xor = P.BitwiseXor()
ceil = P.Ceil()
cos = P.Cos()
cosh = P.Cosh()
depend = P.Depend()
div_no_nan = P.DivNoNan()
dtype = P.DTypeOf()
equal = P.Equal()
erf = P.Erf()
erfc = P.Erfc()
exp = P.Exp()
expand_dims = P.ExpandDims()
expm1 = P.Expm1()
fill = P.Fill()
floor = P.Floor()
floor_div = P.FloorDiv()
floor_mod = P.FloorMod()
gather_d = P.GatherD()
gather_nd = P.GatherNd()
greater = P.Greater()
greater_equal = P.GreaterEqual()
hardsigmoid = P.HSigmoid()
hardswish = P.HSwish()
identity = P.Identity()
isfinite = P.IsFinite()
isinf = P.IsInf()
isnan = P.IsNan()
less = P.Less()
less_equal = P.LessEqual()
log = P.Log()
log1p = P.Log1p()
logical_and = P.LogicalAnd()
logical_not = P.LogicalNot()
logical_or = P.LogicalOr()
logical_xor = P.LogicalXor()
masked_fill = P.MaskedFill()
maximum = P.Maximum()
minimum = P.Minimum()
mul = P.Mul()
neg = P.Neg()
not_equal = P.NotEqual()
ones_like = P.OnesLike()
pow = P.Pow()
rank = P.Rank()
reciprocal = P.Reciprocal()
relu = P.ReLU()
relu6 = P.ReLU6()
reshape = P.Reshape()
rint = P.Rint()
rsqrt = P.Rsqrt()
scatter_nd = P.ScatterNd()
select = P.Select()
shape = P.Shape()
sigmoid = P.Sigmoid()
sign = P.Sign()
silu = P.SiLU()
sin = P.Sin()
sinh = P.Sinh()
size = P.Size()
slice = P.Slice()
softsign = P.Softsign()
sqrt = P.Sqrt()
square = P.Square()
squared_difference = P.SquaredDifference()
stop_gradient = P.StopGradient()
sub = P.Sub()
tan = P.Tan()
tanh = P.Tanh()
tensor_scatter_add = P.TensorScatterAdd()
tensor_scatter_elements_update = P.TensorScatterUpdate()
tensor_scatter_sub = P.TensorScatterSub()
tensor_scatter_update = P.TensorScatterUpdate()
tile = P.Tile()
transpose = P.Transpose()
trunc = P.Trunc()
truncate_div = P.TruncateDiv()
truncate_mod = P.TruncateMod()
unsorted_segment_sum = P.UnsortedSegmentSum()
xdivy = P.Xdivy()
xlogy = P.Xlogy()
zeros_like = P.ZerosLike()

real_div = P.RealDiv()
