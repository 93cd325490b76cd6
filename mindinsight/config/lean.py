"""Imports large libraries without their unused parts, so that processes start sooner and take less memory.

Django REST framework checks for yaml, uritemplate, requests, markdown, pygments and PostgreSQL's fields. It takes one
small function from Django's admin documentation, which imports the whole admin. Celery checks for yaml and psutil. The
Redis client imports clients for clusters, and uvicorn imports code that watches sources and starts processes. None of
this is used here. `benchmarks/startup.py` measures the cost of each part (`left_out_*`). A part stays in this module
only if it costs 2 ms or 0.5 MB.

Called by the web server before any view is imported, by the worker, and by the process that both are forked from.
Without these calls everything works the same. Each library that is left out can still be imported later.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

_PROBED_BY_REST = ("yaml", "uritemplate", "requests", "markdown", "pygments", "django.contrib.postgres")
_PROBED_BY_CELERY = ("yaml", "psutil")
# The modules that redis-py imports for clusters, and the names that it imports from them. Celery and Channels need a
# single server, so clusters are not used.
_BESIDE_REDIS = {"redis.cluster": ("RedisCluster",), "redis.asyncio.cluster": ("RedisCluster",)}
# The names that uvicorn imports from its supervisors, which import multiprocessing and watchfiles.
_BESIDE_UVICORN = {"uvicorn.supervisors": ("ChangeReload", "Multiprocess")}
# The channel layer could encrypt with it. It is installed if the framework encrypts checkpoints.
_PROBED_BY_CHANNELS = ("cryptography", "cryptography.fernet")
_ADMIN, _ADMIN_VIEWS = "django.contrib.admindocs", "django.contrib.admindocs.views"


def import_rest_framework() -> None:
    """Imports what every view needs. A second call does nothing."""
    if "rest_framework.compat" in sys.modules:
        return
    with _instead({**dict.fromkeys(_PROBED_BY_REST), **_admin_documentation()}):
        importlib.import_module("rest_framework.views")


class Later(ModuleType):
    """A placeholder for a library until its first use. `importlib.util.LazyLoader` would load it at its import."""

    def __getattr__(self, attribute: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        library = importlib.import_module(self.__name__)
        vars(self).update(vars(library))
        return getattr(library, attribute)


def import_later(name: str) -> None:
    """Delays the import of a library until its first use. Does nothing if it is imported already.

    Args:
        name: a library that other code imports as a module, such as sqlparse, which Django needs to migrate a table.
    """
    sys.modules.setdefault(name, Later(name))


def import_celery() -> None:
    """Imports the parts of Celery that check for optional libraries. A second call does nothing."""
    if "kombu.serialization" in sys.modules:
        return
    with _instead(dict.fromkeys(_PROBED_BY_CELERY)):
        importlib.import_module("kombu.serialization")
        importlib.import_module("celery.utils.debug")


def import_redis() -> None:
    """Imports the Redis client without its cluster clients. A second call does nothing."""
    if "redis" in sys.modules:
        return
    with _instead(_empty(_BESIDE_REDIS)):
        importlib.import_module("redis.asyncio")


def import_channel_layer() -> None:
    """Imports the channel layer without encryption. A second call does nothing."""
    if "channels_redis.pubsub" in sys.modules:
        return
    import_redis()
    with _instead(dict.fromkeys(_PROBED_BY_CHANNELS)):
        importlib.import_module("channels_redis.pubsub")


def import_uvicorn() -> None:
    """Imports uvicorn for a single process without reloading. A second call does nothing."""
    if "uvicorn" in sys.modules:
        return
    with _instead(_empty(_BESIDE_UVICORN)):
        importlib.import_module("uvicorn.main")


@contextmanager
def _instead(modules: dict[str, ModuleType | None]) -> Iterator[None]:
    """Replaces modules that are not imported yet, within the context. None stands for a missing module."""
    new = {name: module for name, module in modules.items() if name not in sys.modules}
    sys.modules.update(new)  # type: ignore[arg-type]  # None is what Python's import system documents.
    try:
        yield
    finally:
        for name in new:
            del sys.modules[name]


def _empty(modules: Mapping[str, Iterable[str]]) -> dict[str, ModuleType | None]:
    """Returns modules that contain only empty classes with these names."""
    made = {name: ModuleType(name) for name in modules}
    for name, module in made.items():
        vars(module).update({each: type(each, (), {}) for each in modules[name]})
    return dict(made)


def _admin_documentation() -> dict[str, ModuleType | None]:
    package, views = ModuleType(_ADMIN), ModuleType(_ADMIN_VIEWS)
    package.__path__ = []
    views.simplify_regex = _simplify_regex  # type: ignore[attr-defined]
    return {_ADMIN: package, _ADMIN_VIEWS: views}


def _simplify_regex(pattern: str) -> str:
    """Calls Django's own function, imported only when the API's description is requested."""
    simplify = importlib.import_module(_ADMIN_VIEWS).simplify_regex
    return str(simplify(pattern))
