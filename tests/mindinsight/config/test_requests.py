"""Requests that are read in the wrong way somewhere else: odd addresses, methods, bodies and repeated parameters."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment

pytestmark = pytest.mark.django_db

KEY = "0" * 32


@pytest.mark.parametrize("method", ["get", "delete", "post", "patch", "put"])
@pytest.mark.parametrize(
    "path",
    [
        "/api/runs%0A",
        f"/api/runs/{KEY}%0A",
        "/api/views/abcdefgh%0A",
        "/api/x%0Ay",
        "/api/%0D",
        "/api/exports%E2%80%A8",
    ],
)
def test_line_breaks_in_an_address_of_the_api_lead_nowhere(client: Client, method: str, path: str) -> None:
    response = getattr(client, method)(path)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", ["/", "/scalars", "/x%0Ay", "/v/abcdefgh", "/api/token", "/api/schema/", "/api/docs/"])
def test_pages_are_only_read(client: Client, method: str, path: str) -> None:
    response = getattr(client, method)(path)
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    assert response.json()["code"] == "method_not_allowed"


@pytest.mark.parametrize("path", ["/api/runs", f"/api/runs/{KEY}", "/api/views", "/api/status"])
def test_methods_that_are_not_there_name_those_that_are(client: Client, path: str) -> None:
    response = client.put(path, "{}", content_type="application/json")
    assert response.status_code == 405
    assert "GET" in response["Allow"].split(", ")


def test_a_parameter_is_given_once(client: Client) -> None:
    response = client.get("/api/runs?limit=5&limit=6")
    assert (response.status_code, response.json()["detail"]["parameter"]) == (400, "limit")
    assert client.get("/api/runs?limit=5&other=1&other=2").status_code == 200


def test_very_many_parameters_are_refused(client: Client) -> None:
    response = client.get("/api/runs?" + "&".join(f"a{number}=1" for number in range(1001)))
    assert (response.status_code, response.json()["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    "query",
    [
        *("limit=9223372036854775808", "offset=9223372036854775808", "limit=1_0", "limit=+5", "limit=5.0", "limit="),
        *("limit=%D9%A5", "search=%00", "limit=" + "9" * 5000),
    ],
)
def test_numbers_and_texts_are_what_the_description_says(client: Client, query: str) -> None:
    response = client.get(f"/api/runs?{query}")
    assert (response.status_code, response.json()["code"]) == (400, "bad_parameter")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"[" * 100_000, "parse_error"),
        (b'{"runs": [NaN]}', "parse_error"),
        (b'{"runs": [1e400]}', "parse_error"),
        (b'{"runs": ["\\ud800"]}', "parse_error"),
        (b'{"runs": ["\xff"]}', "parse_error"),
        (b'{"runs": [9223372036854775808], "format": "csv"}', "bad_parameter"),
        (b'{"runs": [true], "format": "csv"}', "bad_parameter"),
        (b'{"runs": ["1"], "format": "csv"}', "bad_parameter"),
        (b'{"runs": [1], "format": "csv", "fromat": 1}', "bad_parameter"),
        (b"[]", "bad_parameter"),
    ],
)
def test_bodies_are_what_the_description_says(client: Client, environment: Environment, body: bytes, code: str) -> None:
    response = client.post("/api/exports", body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, code)


def test_the_largest_number_is_no_run(client: Client, environment: Environment) -> None:
    body: dict[str, Any] = {"runs": [(1 << 63) - 1], "format": "csv"}
    response = client.post("/api/exports", body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (404, "run_not_found")


def test_only_json_is_read(client: Client, environment: Environment) -> None:
    response = client.post("/api/exports", b"runs=1", content_type="application/x-www-form-urlencoded")
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")
    charset = client.generic("POST", "/api/exports", b"{}", content_type="application/json; charset=klingon")
    assert charset.json()["code"] == "bad_parameter"
