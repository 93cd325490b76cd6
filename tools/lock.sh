#!/bin/sh
# Pins what pyproject.toml allows: requirements.txt for the product with the training core, requirements-dashboard.txt
# for the dashboard alone (in containers, and as a constraint of other installs), requirements-dev.txt for the work on it.
# Called by `make lock`. UPGRADE=1 takes newer versions; otherwise only what has to change does.
set -eu

.venv/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.8

compile() {
    .venv/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
        --extra postgres --extra importance --no-annotate --no-emit-index-url --no-emit-find-links \
        --no-emit-package mindinsight-writer \
        --custom-compile-command "make lock" ${UPGRADE:+--upgrade} "$@"
}

compile --output-file requirements.txt --extra framework
compile --output-file requirements-dashboard.txt --constraint requirements.txt
compile --output-file requirements-dev.txt --extra framework --group dev --constraint requirements.txt
