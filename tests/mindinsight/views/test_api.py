"""Saved views, requested like from a script: accepted and refused values, targets of short links."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight.environment import Environment
from mindinsight.views import api
from mindinsight.views.models import SavedView

pytestmark = pytest.mark.django_db

LOSSES = {"name": "losses of the sweep", "page": "scalars", "query": "tag=loss&y=log"}


def send(client: Client, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    response = client.generic(method, path, json.dumps(body), content_type="application/json")
    return response.status_code, json.loads(response.content) if response.content else None


def saved(client: Client, **other: str) -> dict[str, Any]:
    status, view = send(client, "POST", "/api/views", {**LOSSES, **other})
    assert status == 201, view
    return dict(view)


def test_a_saved_view_is_there_for_everybody_by_name(client: Client, environment: Environment) -> None:
    first, second = saved(client, name="b"), saved(client, name="a", query="")
    assert [first[field] for field in ("name", "page", "query")] == ["b", "scalars", "tag=loss&y=log"]
    assert send(Client(), "GET", "/api/views")[1] == {"views": [second, first]}
    assert send(client, "GET", f"/api/views/{first['id']}") == (200, first)


def test_a_view_is_renamed_and_shows_something_else(client: Client, environment: Environment) -> None:
    view = saved(client)
    status, renamed = send(client, "PATCH", f"/api/views/{view['id']}", {"name": "损失曲线"})
    assert (status, renamed["name"], renamed["query"]) == (200, "损失曲线", view["query"])
    assert renamed["changed"] >= view["changed"] == renamed["created"]
    status, other = send(client, "PATCH", f"/api/views/{view['id']}", {"page": "images", "query": "?step=7"})
    assert (status, other["page"], other["query"]) == (200, "images", "step=7")


def test_a_removed_view_is_gone(client: Client, environment: Environment) -> None:
    view = saved(client)
    assert send(client, "DELETE", f"/api/views/{view['id']}") == (204, None)
    for method in ("GET", "PATCH", "DELETE"):
        status, problem = send(client, method, f"/api/views/{view['id']}", {})
        assert (status, problem["code"]) == (404, "view_not_found")


def test_two_views_never_have_one_name(client: Client, environment: Environment) -> None:
    saved(client)
    other = saved(client, name="other")
    assert send(client, "POST", "/api/views", LOSSES)[0] == 409
    status, problem = send(client, "PATCH", f"/api/views/{other['id']}", {"name": LOSSES["name"]})
    assert (status, problem["code"], problem["detail"]) == (409, "view_name_taken", {"name": LOSSES["name"]})
    # Saving under its own name is no conflict.
    assert send(client, "PATCH", f"/api/views/{other['id']}", {"name": "other"})[0] == 200


def test_there_is_an_end_to_views(client: Client, environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "MAX_VIEWS", 1)
    saved(client)
    status, problem = send(client, "POST", "/api/views", {**LOSSES, "name": "one more"})
    assert (status, problem["code"], problem["detail"]) == (409, "too_many_views", {"limit": 1})


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        ({}, "name"),
        ({**LOSSES, "name": "  "}, "name"),
        ({**LOSSES, "name": "x" * 121}, "name"),
        ({**LOSSES, "name": "two\nlines"}, "name"),
        ({**LOSSES, "name": "\x1b[31mred"}, "name"),
        ({**LOSSES, "name": "a\u202eb"}, "name"),
        ({**LOSSES, "name": ["loss"]}, "name"),
        ({**LOSSES, "page": "//evil.example"}, "page"),
        ({**LOSSES, "page": "..", "query": ""}, "page"),
        ({**LOSSES, "page": "scalars/x"}, "page"),
        ({**LOSSES, "page": "scalars\n"}, "page"),
        ({**LOSSES, "query": "x" * 16_001}, "query"),
        ({**LOSSES, "query": "&".join(f"a{n}=1" for n in range(201))}, "query"),
        ({**LOSSES, "query": "a=\r\nSet-Cookie: x=1"}, "query"),
        ({**LOSSES, "query": 'a="><script>'}, "query"),
        ({**LOSSES, "query": "tag=损失"}, "query"),
        ({**LOSSES, "query": "a=%00"}, "query"),
        ({**LOSSES, "query": "a#b"}, "query"),
        ({**LOSSES, "query": {"a": 1}}, "query"),
        ({**LOSSES, "id": "aaaaaaaa"}, "id"),
        ({**LOSSES, "created": 0}, "created"),
        ([LOSSES], "non_field_errors"),
        ("loss", "non_field_errors"),
    ],
)
def test_what_is_no_view_is_refused_by_name(
    client: Client, environment: Environment, body: Any, parameter: str
) -> None:
    status, problem = send(client, "POST", "/api/views", body)
    assert (status, problem["code"], problem["detail"]["parameter"]) == (400, "bad_parameter", parameter)
    assert not SavedView.objects.exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(
    name=st.text(max_size=130),
    page=st.text(alphabet="abc-/.\\:\n", max_size=6),
    query=st.text(alphabet=st.characters(codec="utf-8"), max_size=20),
)
def test_no_view_leads_out_of_the_dashboard(
    client: Client, environment: Environment, name: str, page: str, query: str
) -> None:
    SavedView.objects.all().delete()
    status, view = send(client, "POST", "/api/views", {"name": name, "page": page, "query": query})
    if status == 400:
        return
    answer = client.get(f"/v/{view['id']}")
    location = answer["Location"]
    assert answer.status_code == 302
    assert location.startswith("/")
    assert not location.startswith("//")
    assert "\n" not in location
    assert "\r" not in location


def test_a_short_link_leads_to_the_page(client: Client, environment: Environment) -> None:
    assert client.get(f"/v/{saved(client)['id']}")["Location"] == "/scalars?tag=loss&y=log"
    assert client.get(f"/v/{saved(client, name='all', query='')['id']}")["Location"] == "/scalars"
    assert client.get("/v/bbbbbbbb")["Location"] == "/no-such-view/bbbbbbbb"


def test_keys_are_not_guessed_from_one_another(client: Client, environment: Environment) -> None:
    keys = {saved(client, name=str(number))["id"] for number in range(50)}
    assert len(keys) == 50
    assert len({key[:4] for key in keys}) > 40
