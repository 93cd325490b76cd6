"""Imports large libraries without parts that we do not use: processes start sooner and take less memory.

Django REST framework looks whether yaml, uritemplate, requests, markdown, pygments and PostgreSQL's fields are there.
It takes one small function from Django's admin documentation, which imports the whole admin. Celery looks for yaml and
psutil. The Redis client brings clients for clusters, and uvicorn brings code that watches sources and starts processes.
None of this is used here. What each part costs, `benchmarks/startup.py` measures (`left_out_*`); a part stays here only
if it costs 2 ms or 0.5 MB.

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
# The modules that redis-py imports for clusters, and the names that it takes from them. Celery and Channels need one
# server, so we use no cluster.
_BESIDE_REDIS = {"redis.cluster": ("RedisCluster",), "redis.asyncio.cluster": ("RedisCluster",)}
# The names that uvicorn takes from its supervisors, which import multiprocessing and watchfiles.
_BESIDE_UVICORN = {"uvicorn.supervisors": ("ChangeReload", "Multiprocess")}
# The channel layer could encrypt with it. It is installed where the core encrypts checkpoints.
_PROBED_BY_CHANNELS = ("cryptography", "cryptography.fernet")
_ADMIN, _ADMIN_VIEWS = "django.contrib.admindocs", "django.contrib.admindocs.views"


def import_rest_framework() -> None:
    """Imports what every view needs; does nothing the second time."""
    if "rest_framework.compat" in sys.modules:
        return
    with _instead({**dict.fromkeys(_PROBED_BY_REST), **_admin_documentation()}):
        importlib.import_module("rest_framework.views")


class Later(ModuleType):
    """A placeholder for a library until it is used. `importlib.util.LazyLoader` would load it at its import."""

    def __getattr__(self, attribute: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        library = importlib.import_module(self.__name__)
        vars(self).update(vars(library))
        return getattr(library, attribute)


def import_later(name: str) -> None:
    """Puts off the import of a library until something of it is used; does nothing if it is imported already.

    Args:
        name: a library that others import as a module, such as sqlparse, which Django needs to migrate a table.
    """
    sys.modules.setdefault(name, Later(name))


def import_celery() -> None:
    """Imports the parts of Celery that probe for libraries; does nothing the second time."""
    if "kombu.serialization" in sys.modules:
        return
    with _instead(dict.fromkeys(_PROBED_BY_CELERY)):
        importlib.import_module("kombu.serialization")
        importlib.import_module("celery.utils.debug")


def import_redis() -> None:
    """Imports the client of Redis without those of clusters; does nothing the second time."""
    if "redis" in sys.modules:
        return
    with _instead(_empty(_BESIDE_REDIS)):
        importlib.import_module("redis.asyncio")


def import_channel_layer() -> None:
    """Imports the channel layer without encryption; does nothing the second time."""
    if "channels_redis.pubsub" in sys.modules:
        return
    import_redis()
    with _instead(dict.fromkeys(_PROBED_BY_CHANNELS)):
        importlib.import_module("channels_redis.pubsub")


def import_uvicorn() -> None:
    """Imports the web server for one process that nothing reloads; does nothing the second time."""
    if "uvicorn" in sys.modules:
        return
    with _instead(_empty(_BESIDE_UVICORN)):
        importlib.import_module("uvicorn.main")


@contextmanager
def _instead(modules: dict[str, ModuleType | None]) -> Iterator[None]:
    """Replaces modules that nobody has imported yet while this lasts; None stands for a missing module."""
    new = {name: module for name, module in modules.items() if name not in sys.modules}
    sys.modules.update(new)  # type: ignore[arg-type]  # None is what Python's import system documents.
    try:
        yield
    finally:
        for name in new:
            del sys.modules[name]


def _empty(modules: Mapping[str, Iterable[str]]) -> dict[str, ModuleType | None]:
    """Modules with nothing but empty classes of these names."""
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
    """Django's own function, imported when the API's description is asked for."""
    simplify = importlib.import_module(_ADMIN_VIEWS).simplify_regex
    return str(simplify(pattern))
