"""What one library costs that `mindinsight.config.lean` leaves out of the start of a process.

Run by `startup.py` as `python -m benchmarks.measuring.lean_imports PROCESS LIBRARY`. It imports what the web server or
the worker imports at its start, and then the library. It prints, as JSON, the processor time in seconds and the memory
in bytes (RSS) of the library's import.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from mindinsight.config import django_setup, lean

WEB, WORKER = "web server", "worker"
#: By process, and by name of a library that it starts without: the modules that would be imported otherwise.
LEFT_OUT: dict[str, dict[str, tuple[str, ...]]] = {
    WEB: {
        "yaml": ("yaml",),
        "uritemplate": ("uritemplate",),
        "requests": ("requests",),
        "markdown": ("markdown", "markdown.preprocessors"),
        "pygments": ("pygments", "pygments.formatters.html", "pygments.lexers.special"),
        "django.contrib.postgres": ("django.contrib.postgres.fields",),
        "django.contrib.admindocs": ("django.contrib.admindocs.views",),
        "redis.cluster": ("redis.cluster", "redis.asyncio.cluster"),
        "uvicorn.supervisors": ("uvicorn.supervisors",),
        "cryptography": ("cryptography", "cryptography.fernet"),
    },
    WORKER: {
        "yaml": ("yaml",),
        "psutil": ("psutil",),
        "sqlparse": ("sqlparse",),
        "django.forms": ("django.forms",),
        "django.core.mail": ("django.core.mail",),
    },
}


def starts_with(process: str) -> Iterator[str]:
    """The modules that a process imports at its start; sets up Django and what they need before."""
    if process == WORKER:
        yield from ("mindinsight.config.celery", "celery.apps.worker", "kombu.transport.redis")
        return
    lean.import_uvicorn()
    django_setup.set_up()
    lean.import_channel_layer()
    yield from ("mindinsight.config.asgi", "mindinsight.config.urls", "mindinsight.scalars.urls")


def memory() -> int:
    """The resident memory of this process in bytes."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:")) * 1024


def main(process: str, library: str) -> None:
    """Imports, and prints what the library took."""
    for module in starts_with(process):
        importlib.import_module(module)
    for name in LEFT_OUT[process][library]:
        if isinstance(sys.modules.get(name), lean.Later):
            del sys.modules[name]
    time_before, memory_before = time.process_time(), memory()
    for name in LEFT_OUT[process][library]:
        importlib.import_module(name)
    print(json.dumps({"seconds": time.process_time() - time_before, "bytes": memory() - memory_before}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
