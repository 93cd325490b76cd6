from __future__ import annotations

from framework.ir.anf_proto import from_protos, to_protos
from framework.ir.text import to_text
from framework.ir.verify import verify
from tests.framework.ir.programs import LOOP, operator, program


def test_there_is_a_message_for_each_graph_and_links_between_them() -> None:
    protos = to_protos(program(LOOP))
    assert [proto.name for proto in protos] == ["main", "header", "body", "after"]
    assert [node.op_type for node in protos[0].node] == ["call @header"]
    assert [constant.value.str_val for constant in protos[1].const_vals] == ["@body", "@after"]


def test_a_node_has_its_scope_attributes_and_type() -> None:
    node = next(node for node in to_protos(program(LOOP))[2].node if node.op_type == "Mul")
    assert (node.full_name, node.scope) == ("Default/Mul-op0", "Default")
    assert [attribute.name for attribute in node.attribute] == ["input_names"]
    assert [dim.size for dim in node.output_type.tensor_type.shape.dim] == [2, 3]


def test_a_program_comes_back_from_its_messages() -> None:
    original = program(LOOP)
    read = from_protos(to_protos(original), operator)
    verify(read)
    names = {line.split(" = ")[1] for line in to_text(read, notes=False).splitlines() if " = " in line}
    assert names == {line.split(" = ")[1] for line in to_text(original, notes=False).splitlines() if " = " in line}
