"""`MindPage` and `FileReader`: rows by category, and one after another."""

import json
from pathlib import Path

import pytest

import framework as ms
from tests.framework.dataset.mindrecord import independent as by_hand

ROWS = by_hand.rows(40)


@pytest.fixture
def path(tmp_path: Path) -> str:
    writer = ms.mindrecord.FileWriter(str(tmp_path / "x.mindrecord"), 3)
    writer.add_schema(by_hand.SCHEMA, "pictures")
    writer.add_index(["label", "name"])
    writer.write_raw_data(ROWS)
    writer.commit()
    return str(tmp_path / "x.mindrecord0")


def test_categories_are_the_values_of_an_index_field(path: str) -> None:
    pages = ms.mindrecord.MindPage(path)
    assert pages.candidate_fields == pages.get_category_fields() == ["label", "name"]
    assert [pages.category_field] == [None]
    assert pages.set_category_field("label") == ms.mindrecord.SUCCESS
    assert [pages.category_field] == ["label"]
    counts = {str(label): sum(row["label"] == label for row in ROWS) for label in (-1, 0, 1)}
    found = json.loads(pages.read_category_info())
    assert found["key"] == "label"
    assert found["categories"] == [
        {"count": counts[name], "id": number, "name": name} for number, name in enumerate(sorted(counts))
    ]


@pytest.mark.parametrize("size", [1, 5, 100])
def test_pages_of_a_category_have_its_rows_in_order(path: str, size: int) -> None:
    pages = ms.mindrecord.MindPage(path)
    pages.category_field = "label"
    wanted = [row for row in ROWS if row["label"] == 0]
    found = [row for page in range(len(wanted) // size + 1) for row in pages.read_at_page_by_name("0", page, size)]
    assert len(found) == len(wanted)
    assert all(by_hand.same(one, other) for one, other in zip(found, wanted, strict=True))
    assert pages.read_at_page_by_id(1, 0, 2)[0]["name"] == wanted[0]["name"]
    assert pages.read_at_page_by_name("0", 1000, size) == []


def test_wrong_categories_and_pages_are_refused(path: str) -> None:
    pages = ms.mindrecord.MindPage(path)
    with pytest.raises(ms.mindrecord.MRMReadCategoryInfoError, match="set_category_field"):
        pages.read_category_info()
    with pytest.raises(
        ms.mindrecord.MRMDefineCategoryError, match="'score' cannot be the category: the index has label"
    ):
        pages.set_category_field("score")
    pages.set_category_field("name")
    with pytest.raises(ms.mindrecord.MRMFetchDataError, match="no category 'x'"):
        pages.read_at_page_by_name("x", 0, 1)
    with pytest.raises(ms.mindrecord.MRMFetchDataError, match="40 categories"):
        pages.read_at_page_by_id(40, 0, 1)
    for page, size in ((-1, 1), (0, 0), (True, 1)):
        with pytest.raises(ms.mindrecord.ParamValueError):
            pages.read_at_page_by_id(0, page, size)
    with pytest.raises(ms.mindrecord.ParamValueError, match="num_consumer"):
        ms.mindrecord.MindPage(path, 0)


def test_a_reader_yields_all_rows_until_it_is_closed(path: str) -> None:
    reader = ms.mindrecord.FileReader(path)
    assert reader.len() == 40
    assert reader.schema() == by_hand.SCHEMA
    assert all(by_hand.same(one, other) for one, other in zip(reader.get_next(), ROWS, strict=True))
    assert list(next(ms.mindrecord.FileReader(path, columns=["score", "name"]).get_next())) == ["score", "name"]
    reader.close()
    with pytest.raises(ms.mindrecord.MRMCloseError, match="closed"):
        reader.len()


def test_encryption_is_refused_in_one_sentence() -> None:
    ms.mindrecord.set_enc_key(None)
    ms.mindrecord.set_enc_mode()
    with pytest.raises(NotImplementedError, match="cannot be encrypted"):
        ms.mindrecord.set_enc_key("0123456789abcdef")
    with pytest.raises(NotImplementedError, match="cannot be encrypted"):
        ms.mindrecord.set_enc_mode("SM4-CBC")
    with pytest.raises(NotImplementedError, match="cannot be encrypted"):
        ms.mindrecord.set_dec_mode("SM4-CBC")
    with pytest.raises(NotImplementedError, match="mindrecord check"):
        ms.mindrecord.set_hash_mode("sha3_256")
