"""Addresses of object stores."""

from __future__ import annotations

import pytest

from mindinsight.mirror import address
from mindinsight.mirror.address import AddressError, checked_address, is_address


def test_addresses_are_told_from_paths() -> None:
    assert is_address("s3://bucket/runs")
    assert is_address("gs://bucket")
    assert is_address("hdfs://x")
    assert not is_address("/data/s3")
    assert not is_address("runs")
    assert not is_address("C:\\runs")


def test_slashes_at_the_end_are_left_out() -> None:
    assert checked_address("s3://bucket/runs//") == "s3://bucket/runs"
    assert checked_address("gs://bucket/") == "gs://bucket"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hdfs://name/runs", "Mount it"),
        ("s3://", "names no bucket"),
        ("s3:///runs", "names no bucket"),
        ("s3://a/\n", "bucket"),
    ],
)
def test_other_addresses_are_refused(text: str, says: str) -> None:
    with pytest.raises(AddressError, match=says):
        checked_address(text)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "find_spec", lambda _name: None)
    with pytest.raises(AddressError, match=r"pip install 'mindinsight\[s3\]'"):
        checked_address("s3://bucket/runs")
