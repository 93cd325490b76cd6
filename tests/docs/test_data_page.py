"""The programs of the pages on data and on the JSON of pipelines run, one after the other, as they stand."""

import re
from pathlib import Path

import pytest

import framework.dataset as ds

PAGE = Path(__file__).resolve().parents[2] / "docs" / "data.md"


@pytest.mark.smoke
@pytest.mark.parametrize(("page", "least"), [(PAGE, 8), (PAGE.with_name("pipeline-json.md"), 3)], ids=["data", "JSON"])
def test_the_programs_of_the_page_run(page: Path, least: int) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > least
    names: dict[str, object] = {}
    try:
        for block in blocks:
            exec(compile(block, str(page), "exec"), names)  # noqa: S102 - our own page
    finally:
        ds.config.set_seed(5489)


def test_the_page_names_the_transforms_of_images() -> None:
    text = PAGE.read_text()
    kinds = [name for name in ds.vision.__all__ if isinstance(getattr(ds.vision, name), type)]
    missing = [name for name in kinds if f"`{name}`" not in text]
    assert missing == ["ToType"]
