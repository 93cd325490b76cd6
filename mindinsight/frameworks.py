"""Says in one sentence what to install where an adapter's framework is missing. Called by the adapters, at import."""

from __future__ import annotations


def missing(error: ModuleNotFoundError, adapter: str, package: str) -> ModuleNotFoundError:
    """Returns the error to raise for a module that was not found.

    Args:
        error: what the import of the framework raised.
        adapter: the adapter's module.
        package: the framework's package; the name of its import, too.

    Returns:
        One that names the package to install; `error` itself if another module is missing.
    """
    if error.name != package:
        return error
    says = f"{adapter} needs the package {package}, which is not installed: pip install {package}"
    return ModuleNotFoundError(says, name=package)
