"""Imports pandas if it is installed. Only results in the form of a `pandas.DataFrame` need it."""

from importlib import import_module
from typing import Any

from mindinsight.client.errors import ClientError


def require_pandas() -> Any:
    """Returns the module `pandas`.

    Raises:
        ClientError: pandas is not installed.
    """
    try:
        return import_module("pandas")
    except ImportError:
        message = "This needs pandas, which is not installed: 'pip install pandas'. Without it you get numpy arrays."
        raise ClientError(message, "no_pandas") from None
