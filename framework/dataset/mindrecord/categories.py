"""Reads MindRecord files by category: the rows with one value of an index field, some at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from framework.dataset.mindrecord.files import MindRecordFiles
from framework.dataset.mindrecord.index import index_of, read_values
from framework.dataset.mindrecord.reader import check_consumers, plain_row
from framework.dataset.mindrecord.refusals import (
    SUCCESS,
    MRMDefineCategoryError,
    MRMFetchDataError,
    MRMReadCategoryInfoError,
    ParamTypeError,
    ParamValueError,
)

__all__ = ["MindPage"]


class MindPage:
    """Reads rows by category. The categories are the values of one field of the index, in the order of their texts.

    Args:
        file_name: path of one file, with which the others of its set are found, or a list of paths.
        num_consumer: accepted for compatibility; has no effect.

    Raises:
        ParamTypeError: an argument has the wrong type.
        ParamValueError: `num_consumer` is less than 1.
        MRMOpenError: a file is missing or damaged.

    """

    def __init__(self, file_name: str | Sequence[str], num_consumer: int = 4) -> None:
        check_consumers(num_consumer)
        self._files = MindRecordFiles(file_name)
        self._field: str | None = None
        self._rows: dict[str, list[int]] = {}

    @property
    def candidate_fields(self) -> list[str]:
        """The fields that can be the category: those of the index."""
        return list(self._files.shards[0].header.index_fields)

    def get_category_fields(self) -> list[str]:
        """The fields that can be the category; `candidate_fields` is the same."""
        return self.candidate_fields

    @property
    def category_field(self) -> str | None:
        """The field whose values are the categories; None before one is set."""
        return self._field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if not isinstance(category_field, str) or not category_field:
            raise ParamTypeError(f"category_field must be the name of a field, not {category_field!r}")
        if category_field not in self.candidate_fields:
            known = ", ".join(self.candidate_fields) or "no field"
            raise MRMDefineCategoryError(f"field {category_field!r} cannot be the category: the index has {known}")
        self._rows = self._found(category_field)
        self._field = category_field

    def set_category_field(self, category_field: str) -> int:
        """Set the field whose values are the categories.

        Args:
            category_field: one of `candidate_fields`.

        Returns:
            SUCCESS.

        Raises:
            ParamTypeError: it is no name.
            MRMDefineCategoryError: it is not in the index.
            MRMOpenError: an index is damaged.
        """
        self.category_field = category_field
        return SUCCESS

    def _found(self, field: str) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        row = 0
        for shard, count in zip(self._files.shards, self._files.counts, strict=True):
            for (value,) in read_values(index_of(shard.path), [field])[:count]:
                found.setdefault(str(value), []).append(row)
                row += 1
        return {name: found[name] for name in sorted(found)}

    def _known(self) -> dict[str, list[int]]:
        if self._field is None:
            raise MRMReadCategoryInfoError("there is no category field yet; call set_category_field first")
        return self._rows

    def read_category_info(self) -> str:
        """The categories as JSON: `{"key": FIELD, "categories": [{"count": ..., "id": ..., "name": ...}, ...]}`.

        Raises:
            MRMReadCategoryInfoError: no category field is set.
        """
        categories = [
            {"count": len(rows), "id": number, "name": name}
            for number, (name, rows) in enumerate(self._known().items())
        ]
        return json.dumps({"key": self._field, "categories": categories}, ensure_ascii=False)

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Read some rows of a category.

        Args:
            category_id: its number, from 0.
            page: number of the page, from 0.
            num_row: number of rows of a page.

        Returns:
            The rows, as of `FileReader.get_next`; none behind the last page.

        Raises:
            ParamValueError: a number is out of range.
            MRMFetchDataError: there is no such category, or a row is damaged.
        """
        _check_number("category_id", category_id, 0)
        names = list(self._known())
        if category_id >= len(names):
            raise MRMFetchDataError(f"there are {len(names)} categories, so no category {category_id}")
        return self.read_at_page_by_name(names[category_id], page, num_row)

    def read_at_page_by_name(self, category_name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        """Read some rows of a category.

        Args:
            category_name: the value of the field, as a text.
            page: number of the page, from 0.
            num_row: number of rows of a page.

        Returns:
            The rows, as of `FileReader.get_next`; none behind the last page.

        Raises:
            ParamValueError: a number is out of range.
            MRMFetchDataError: there is no such category, or a row is damaged.
        """
        _check_number("page", page, 0)
        _check_number("num_row", num_row, 1)
        rows = self._known().get(str(category_name))
        if rows is None:
            raise MRMFetchDataError(f"there is no category {category_name!r} of {self._field}")
        return [plain_row(self._files, row) for row in rows[page * num_row : (page + 1) * num_row]]


def _check_number(name: str, value: int, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ParamValueError(f"{name} must be an int from {least} on, not {value!r}")
