"""Programs as text, and operators that stand in for primitives."""

from __future__ import annotations

from typing import Any

from framework.ir.anf import FuncGraph, Operator
from framework.ir.reading import read_text


def operator(name: str, attrs: dict[str, Any]) -> Operator:
    return Operator(name, attrs)


def program(text: str) -> FuncGraph:
    return read_text(text, operator)


LOOP = """\
#IR entry: @main
#Attrs:

#Total params: 2
%para1_x: <Tensor[Float32], (2, 3)>
%para2_n: <Int64>

#Total subgraphs: 4

subgraph attr:
# Parameters: 2, (<Tensor[Float32], (2, 3)>, <Int64>)
subgraph @main(%para1_x, %para2_n) {
  %0 = call @header(0, %para1_x)
      : (<Int64, value=0>, <Tensor[Float32], (2, 3)>) -> (<Tensor[Float32], (2, 3)>)
  Return(%0)
      : (<Tensor[Float32], (2, 3)>)
}

subgraph attr:
# Parameters: 2, (<Int64>, <Tensor[Float32], (2, 3)>)
subgraph @header parent: [subgraph @main](%para3_i, %para4_y) {
  %0 = less(%para3_i, $(@main:%para2_n))
      : (<Int64>, <Int64>) -> (<Bool>)
  %1 = Switch(%0, @body, @after)
      : (<Bool>, <Func>, <Func>) -> (<Func>)
  %2 = %1()
      : () -> (<Tensor[Float32], (2, 3)>)
  Return(%2)
      : (<Tensor[Float32], (2, 3)>)
}

subgraph attr:
# Parameters: 0, ()
subgraph @body parent: [subgraph @header]() {
  %0(i) = add($(@header:%para3_i), 1)
      : (<Int64>, <Int64, value=1>) -> (<Int64>)
  %1(y) = Mul($(@header:%para4_y), 2.0) primitive_attrs: {input_names: ['x', 'y']}
      : (<Tensor[Float32], (2, 3)>, <Float64, value=2.0>) -> (<Tensor[Float32], (2, 3)>)
      # Fullname with scope: (Default/Mul-op0)
      # In file net.py:7, 12~17/        y = y * 2/
  %2 = call @header(%0, %1)
      : (<Int64>, <Tensor[Float32], (2, 3)>) -> (<Tensor[Float32], (2, 3)>)
  Return(%2)
      : (<Tensor[Float32], (2, 3)>)
}

subgraph attr:
# Parameters: 0, ()
subgraph @after parent: [subgraph @header]() {
  Return($(@header:%para4_y))
      : (<Tensor[Float32], (2, 3)>)
}
"""
"""A loop that doubles a tensor n times."""
