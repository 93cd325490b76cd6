"""What schemathesis has to know of this API beyond its description. Loaded by schemathesis itself.

Texts in a language of their own have a `format`; here are some that are in it. A value that follows its schema may be
refused only where a schema cannot express the rule: the answer says so.
"""

from __future__ import annotations

import json

import schemathesis
from hypothesis import strategies as st
from schemathesis.core.failures import Failure
from schemathesis.openapi.checks import RejectedPositiveData

LANGUAGES = {
    "run-query": ["", "lr > 0.05", 'optimizer = "adam"', "accuracy > 0.5 and not lr = 0.2", "state = finished"],
    "run-names": ["", "lr", "accuracy,lr", "-lr", "last(loss)", "min(loss),max(accuracy)", "name"],
    "slice": ["", "[0]", "[:, 1]", "[..., ::2]", "[1:3, :, -1]", "[0, 0, 0]", "[99]"],
    "condition": ["{}", '{"optimizer": {"eq": "adam"}}', '{"loss": {"lt": 1}, "sorted_name": "loss"}', '{"limit": 5}'],
}
FORM = ("bad_parameter", "bad_request", "parse_error")
"""Codes of refusals about the form of a request; others are about languages, or about what the data allows."""

for name, texts in LANGUAGES.items():
    schemathesis.openapi.format(
        name, st.sampled_from(texts) | st.text(max_size=30).map(lambda text: text.replace("\0", ""))
    )


@schemathesis.hook
def filter_failure(
    context: schemathesis.HookContext, failure: Failure, case: schemathesis.Case, response: schemathesis.Response
) -> bool:
    """Excludes refusals whose rule the description states in words."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 400:
        return True
    problem = json.loads(response.content)
    return problem["code"] in FORM and "rule" not in problem["detail"]
