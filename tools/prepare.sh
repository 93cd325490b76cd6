#!/bin/sh
# Finds a Python of a tested version and hands over to prepare.py with the same arguments.
# Called by the Makefile, from the root of the checkout.
set -eu

for candidate in .venv/bin/python ${PYTHON:+"$PYTHON"} python3.11 python3.12 python3.13 python3; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
        exec "$candidate" tools/prepare.py "$@"
    fi
done

echo "Python 3.11, 3.12 or 3.13 is needed and was not found on PATH: install it (Debian, Ubuntu:" \
    "apt-get install python3 python3-venv), or name one with 'make PYTHON=/path/to/python3 …'." >&2
exit 1
