"""Parses the bytes of `GET /api/lineage/table` according to `api.md`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.test import Client

PATH = "/api/lineage/table"
WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


@dataclass
class Decoded:
    """A table: the header, and by column's name the values of all runs, None where nothing is set."""

    header: dict[str, Any]
    values: dict[str, list[Any]]

    @property
    def kinds(self) -> dict[str, str]:
        return {column["name"]: column["kind"] for column in self.header["columns"]}

    def noted(self) -> dict[str, list[Any]]:
        """The columns that are not facts about the runs."""
        facts = {column["name"] for column in self.header["columns"] if column["group"] == "run"}
        return {name: values for name, values in self.values.items() if name not in facts}


def decode(body: bytes) -> Decoded:
    length = int.from_bytes(body[:4], "little")
    header, arrays = json.loads(body[4 : 4 + length]), body[4 + length :]
    assert (4 + length) % 8 == 0
    values = {}
    for column in header["columns"]:
        found = _array(arrays, column["array"], column["array"]["dtype"], header["runs"])
        if column["kind"] == "category":
            words = [None, *(_number(word) for word in column["values"])]
            values[column["name"]] = [words[code] for code in found]
        else:
            missing = (
                _array(arrays, column["missing"], "u8", header["runs"]) if "missing" in column else [0] * len(found)
            )
            assert "missing" not in column or 0 < sum(missing) < len(found) or column["group"] == "run"
            values[column["name"]] = [None if gone else value for value, gone in zip(found, missing, strict=True)]
        assert column["set"] == sum(value is not None for value in values[column["name"]])
    return Decoded(header, values)


def table(client: Client, query: str = "") -> Decoded:
    response = client.get(PATH + query)
    assert response.status_code == 200, response.content
    return decode(response.content)


def _array(arrays: bytes, place: dict[str, Any], dtype: str, count: int) -> list[Any]:
    assert place["offset"] % 8 == 0
    assert place["count"] == count
    types = {"f64": "<f8", "u8": "<u1", "u16": "<u2", "u32": "<u4"}
    return list(np.frombuffer(arrays, types[dtype], place["count"], place["offset"]).tolist())


def _number(word: Any) -> Any:
    return WORDS.get(word, word) if isinstance(word, str) else word
