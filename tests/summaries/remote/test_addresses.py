"""Addresses of runs: what is one, where its dashboard may be, and which token is used."""

from pathlib import Path

import pytest

from summaries.remote import is_remote
from summaries.remote.address import place_of_run, run_address


@pytest.mark.parametrize("address", ["http://box:8080/lenet/adam", "https://box/x", Path("http://box:8080/x")])
def test_addresses_are_told_from_directories(address):
    assert is_remote(address)


@pytest.mark.parametrize("directory", ["runs/http", "/http://x", "https", "http:", "s3://x/y", Path("http")])
def test_directories_stay_directories(directory):
    assert not is_remote(directory)


def test_an_address_has_an_origin_and_a_name(monkeypatch, tmp_path):
    monkeypatch.delenv("MINDINSIGHT_TOKEN", raising=False)
    address = run_address("http://box:8080/a%20b//c/?token=secret")
    assert (address.origin, address.path, address.token, address.local) == ("http://box:8080", "a b/c", "secret", False)
    assert str(address) == "http://box:8080/a b/c"
    assert "secret" not in repr(address)
    assert run_address(Path("http://box:8080/a")).origin == "http://box:8080"


def test_a_dashboard_may_be_below_a_path(monkeypatch):
    places = list(run_address("http://box/team/lenet/adam").places())
    assert places == [
        ("http://box", "team/lenet/adam"),
        ("http://box/team", "lenet/adam"),
        ("http://box/team/lenet", "adam"),
    ]


@pytest.mark.parametrize("address", ["http://box:8080", "http://box:8080/", "http://box/?token=x"])
def test_a_run_needs_a_name(address):
    with pytest.raises(ValueError, match="names no run"):
        run_address(address)


@pytest.mark.parametrize("address", ["http://user:pass@box/x", "http://box:port/x", "http:///x"])
def test_what_is_no_address_is_refused_without_its_secrets(address):
    with pytest.raises(ValueError, match="is not a web address") as refused:
        run_address(address)
    assert "pass" not in str(refused.value)


def test_the_token_comes_from_the_variable_or_this_machines_workspace(monkeypatch, tmp_path):
    monkeypatch.setenv("MINDINSIGHT_WORKSPACE", str(tmp_path))
    monkeypatch.delenv("MINDINSIGHT_TOKEN", raising=False)
    (tmp_path / "token").write_text("local\n")
    assert run_address("http://127.0.0.1:8080/x").token == "local"
    assert run_address("http://box:8080/x").token is None
    monkeypatch.setenv("MINDINSIGHT_TOKEN", "given")
    assert run_address("http://127.0.0.1:8080/x").token == "given"


def test_other_processes_know_a_run_by_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert place_of_run("runs/a") == str(tmp_path / "runs" / "a")
    assert place_of_run("http://box:8080/a?token=x") == "http://box:8080/a"
