"""Imports large libraries without what they only probe for: less time at the start, and megabytes of each process.

Django REST framework looks whether yaml, uritemplate, requests, markdown, pygments and PostgreSQL's fields are there,
and takes one small function from Django's admin documentation, which imports the whole admin; Celery looks for yaml and
psutil; the Redis client brings those for clusters, and uvicorn what watches sources and starts processes. None of it
is used here. Called by the web server before any view is imported, by the worker, and by what both are forked from;
where it was not, everything works the same.
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
# What redis-py imports with itself, and the names that it takes from there: clients of clusters, which we cannot use
# (Celery and Channels need one server), and the commands of modules that a plain Redis lacks.
_BESIDE_REDIS = {
    "redis.cluster": ("RedisCluster",),
    "redis.asyncio.cluster": ("RedisCluster",),
    "redis.commands.redismodules": ("RedisModuleCommands", "AsyncRedisModuleCommands"),
}
# What uvicorn takes from its supervisors, which import multiprocessing and, where it is there, watchfiles.
_BESIDE_UVICORN = {"uvicorn.supervisors": ("ChangeReload", "Multiprocess")}
# The channel layer would encrypt with it. It is there if checkpoints of the core are encrypted.
_PROBED_BY_CHANNELS = ("cryptography", "cryptography.fernet")
_ADMIN, _ADMIN_VIEWS = "django.contrib.admindocs", "django.contrib.admindocs.views"


def import_rest_framework() -> None:
    """Imports what every view needs; does nothing where that has been done."""
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
    """Puts off the import of a library until something of it is used; does nothing where it is there already.

    Args:
        name: a library that others import as a whole, such as sqlparse, which Django needs to migrate a table.
    """
    sys.modules.setdefault(name, Later(name))


def import_celery() -> None:
    """Imports what of Celery probes; does nothing where that has been done."""
    if "kombu.serialization" in sys.modules:
        return
    with _instead(dict.fromkeys(_PROBED_BY_CELERY)):
        importlib.import_module("kombu.serialization")
        importlib.import_module("celery.utils.debug")


def import_redis() -> None:
    """Imports the client of Redis without those of clusters and modules; does nothing where that has been done."""
    if "redis" in sys.modules:
        return
    with _instead(_empty(_BESIDE_REDIS)):
        importlib.import_module("redis.asyncio")


def import_channel_layer() -> None:
    """Imports the channel layer without encryption, 14 ms; does nothing where that has been done."""
    if "channels_redis.pubsub" in sys.modules:
        return
    import_redis()
    with _instead(dict.fromkeys(_PROBED_BY_CHANNELS)):
        importlib.import_module("channels_redis.pubsub")


def import_uvicorn() -> None:
    """Imports the web server for one process that nothing reloads; does nothing where that has been done."""
    if "uvicorn" in sys.modules:
        return
    with _instead(_empty(_BESIDE_UVICORN)):
        importlib.import_module("uvicorn.main")


@contextmanager
def _instead(modules: dict[str, ModuleType | None]) -> Iterator[None]:
    """Lets others be imported in place of modules that nobody has imported yet; None means a missing one."""
    new = {name: module for name, module in modules.items() if name not in sys.modules}
    sys.modules.update(new)  # type: ignore[arg-type]  # None is what Python's import system documents.
    try:
        yield
    finally:
        for name in new:
            del sys.modules[name]


def _empty(modules: Mapping[str, Iterable[str]]) -> dict[str, ModuleType | None]:
    """Modules that have nothing but empty classes of some names."""
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
