"""The parameters of the API accept exactly the values in its description; each is tested with edge values."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import orjson
import pytest
from drf_spectacular.renderers import OpenApiJsonRenderer
from rest_framework import serializers

from mindinsight.api.described import DECLARED
from mindinsight.api.fields import MAX_WHOLE
from mindinsight.api.problems import COMBINATION, LANGUAGE, Problem
from mindinsight.config.description import Description
from tests.mindinsight.published import plain

TEXTS = (
    *("", " ", "a", "A", "-", "0", "5", "-1", "007", "+5", "5.0", "1e3", "1_000", " 5", "5 ", "5\n", "\u0665", "null"),
    *("nan", "inf", "-inf", "1e400", "1e308", "-1e308", "0.5", ".5", "5.", "true", "True", "yes", "on", "\0", "a\0b"),
    *(str(1 << 31), str(1 << 32), str(MAX_WHOLE), str(MAX_WHOLE + 1), str(-MAX_WHOLE - 1), "9" * 40, "9" * 5000),
    *("1,2", "1,,2", ",1", "1,", ",", "1, 2", "1;2", "1:2", "1:", ":2", "1:-5,2", "1:--5", "12:9999999999999999999"),
    *("0" * 32, "f" * 32, "F" * 32, "f" * 31, "f" * 33, "f" * 32 + "\n", "scalars", "Scalars", "-a", "a-b", "a" * 33),
    *(
        "two words",
        "two\nlines",
        "caf\u00e9",
        "\u200b",
        "\u202ex",
        "\u3000",
        "x\u00a0",
        "\U0001f600",
        "\ue000",
        "\ufeff",
    ),
    *("a=1&b=2", "?a=1", "a=%00", "a=%2500", "a=%0", "a=%", "%%00", "a#b", 'a"b', "a<b", "a\\b", "a b"),
    *(
        "step",
        "wall",
        "tag:",
        "tag:loss",
        "tag:\0",
        "time",
        ">1",
        "<=-.5e3",
        ">1&<2",
        ">1,<0;>=3",
        ">1;",
        "> 1",
        ">1&<2&<3",
    ),
    *("x" * length for length in (9, 10, 64, 65, 120, 121, 1000, 1001, 1024, 1025, 10_001, 16_001)),
    ",".join(["1"] * 100),
    ",".join(["1"] * 101),
    ",".join(["1"] * 1001),
)
VALUES = (
    *TEXTS,
    *(0, 1, -1, 5.0, 5.5, 1e308, -1e308, 1 << 31, 1 << 32, MAX_WHOLE, MAX_WHOLE + 1, 1 << 100, True, False, None),
    *([], [1], ["1"], [True], [-1], [MAX_WHOLE + 1], ["a"], {}, {"a": 1}),
)


@functools.cache
def _description() -> dict[str, Any]:
    made = Description().get_schema(request=None, public=True)
    return dict(orjson.loads(OpenApiJsonRenderer().render(made, renderer_context={})))


def _asked() -> Iterator[tuple[str, serializers.Field[Any, Any, Any, Any], dict[str, Any], bool]]:
    """Every parameter of a request: its name, its parser, its schema, and whether it is in the address."""
    description = _description()
    shapes = {said["operation_id"]: said for _, said in DECLARED}
    for path in description["paths"].values():
        for operation in path.values():
            said = shapes[operation["operationId"]]
            for shape in said.get("parameters", ()):
                fields = shape(context={"address": True}).fields
                for parameter in operation["parameters"]:
                    if parameter["in"] == "query":
                        name = parameter["name"]
                        yield f"{operation['operationId']}.{name}", fields[name], parameter["schema"], True
            shape = said.get("request")
            if isinstance(shape, type):
                component = description["components"]["schemas"][shape.__name__.removesuffix("Serializer")]
                assert component["additionalProperties"] is False
                assert component["properties"].keys() == shape().fields.keys()
                for name, schema in component["properties"].items():
                    yield f"{operation['operationId']}.{name}", shape().fields[name], schema, False


ASKED = {name: (field, schema, in_address) for name, field, schema, in_address in _asked()}
# The first of each kind: of the same type, with the same bounds.
KINDS = {
    repr((type(field), sorted((key, repr(said)) for key, said in schema.items() if key != "description"), place)): name
    for name, (field, schema, place) in reversed(ASKED.items())
}


def _takes(field: serializers.Field[Any, Any, Any, Any], value: Any) -> bool | None:
    """Whether a parser takes a value; None where a rule decides that no schema expresses."""
    try:
        field.run_validation(value)
    except Problem as problem:
        return None if "rule" in problem.body["detail"] else False  # type: ignore[operator]
    except serializers.ValidationError as error:
        codes = set(_codes(error.get_codes()))
        return None if codes & {LANGUAGE, COMBINATION} else False
    return True


def _codes(codes: Any) -> Iterator[str]:
    if isinstance(codes, str):
        yield codes
    else:
        for inner in codes.values() if isinstance(codes, dict) else codes:
            yield from _codes(inner)


def _validator(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """Patterns mean what ECMA-262 says, as JSON Schema wants it: `$` matches before no line break."""
    return jsonschema_rs.Draft202012Validator(plain({**schema, "components": _description()["components"]}))


def _read(text: str, schema: dict[str, Any]) -> Any:
    """The value of a text in an address."""
    kind = schema.get("type")
    if kind == "integer" and re.fullmatch("-?[0-9]{1,30}", text):
        return int(text)
    if kind == "number" and re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return float(text)
    if kind == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    return text


@pytest.mark.parametrize("name", sorted(KINDS.values()))
def test_parser_and_schema_agree(name: str) -> None:
    field, schema, in_address = ASKED[name]
    validator = _validator(schema)
    for value in TEXTS if in_address else VALUES:
        taken = _takes(field, value)
        told = validator.is_valid(_read(value, schema) if in_address else value)
        assert taken is None or taken == told, (value if len(str(value)) < 100 else str(value)[:100], taken, told)


def test_every_number_has_bounds_that_the_database_holds() -> None:
    for name, (_, schema, _) in ASKED.items():
        kinds = [schema, schema.get("items", {}), schema.get("items", {}).get("items", {})]
        for whole in (kind for kind in kinds if kind.get("type") == "integer"):
            assert -MAX_WHOLE - 1 <= whole["minimum"] <= whole["maximum"] <= MAX_WHOLE, name


def test_every_operation_says_what_holds_for_all() -> None:
    for path in _description()["paths"].values():
        for method, operation in path.items():
            statuses = operation["responses"].keys()
            assert {"401", "403"} <= statuses
            assert "requestBody" not in operation or {"400", "413", "415"} <= statuses
            assert method == "get" or "507" in statuses
            assert all(answer["description"] for answer in operation["responses"].values()), operation["operationId"]
            assert operation["security"] == [{"token": []}, {}]
            named = {parameter["name"] for parameter in operation.get("parameters", ())}
            assert ("304" in statuses) == ("If-None-Match" in named)
