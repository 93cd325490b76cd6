"""Reports of the advisory services, in the form that pip-audit 2.10 and npm 10 print them."""

from __future__ import annotations

import json

import pytest

from tools.audit import UnreachableError, Vulnerability, read_npm_audit, read_pip_audit

VULNERABLE = {
    "name": "jinja2",
    "version": "2.4.1",
    "vulns": [{"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"], "aliases": ["CVE-2019-10906"], "description": "x"}],
}
UNKNOWN = {"name": "amqp", "skip_reason": "Dependency not found on PyPI and could not be audited: amqp (5.4.2)"}


def test_vulnerabilities_of_python_packages() -> None:
    report = {"dependencies": [{"name": "attrs", "version": "26.1.0", "vulns": []}, UNKNOWN, VULNERABLE], "fixes": []}
    assert read_pip_audit(json.dumps(report)) == [Vulnerability("jinja2 2.4.1", "PYSEC-2019-217", "Fixed in 2.10.1.")]


@pytest.mark.parametrize("output", ["", "ERROR: no network", "[]", json.dumps({"dependencies": [UNKNOWN, UNKNOWN]})])
def test_an_index_without_advisories_is_told_apart_from_a_clean_report(output: str) -> None:
    with pytest.raises(UnreachableError):
        read_pip_audit(output)


def test_vulnerabilities_of_the_front_ends_packages() -> None:
    advisory = {"source": 1, "url": "https://github.com/advisories/GHSA-aaaa-bbbb-cccc", "title": "Prototype pollution"}
    report = {
        "auditReportVersion": 2,
        "vulnerabilities": {
            "lodash": {"name": "lodash", "range": "<4.17.21", "via": [advisory]},
            "above": {"name": "above", "range": "*", "via": ["lodash"]},
        },
    }
    assert read_npm_audit(json.dumps(report)) == [
        Vulnerability("lodash <4.17.21", "GHSA-aaaa-bbbb-cccc", "Prototype pollution")
    ]
    assert read_npm_audit(json.dumps({"auditReportVersion": 2, "vulnerabilities": {}})) == []


@pytest.mark.parametrize("output", ["", json.dumps({"message": "405 Method Not Allowed", "statusCode": 405})])
def test_a_registry_without_advisories_is_no_clean_report(output: str) -> None:
    with pytest.raises(UnreachableError):
        read_npm_audit(output)
