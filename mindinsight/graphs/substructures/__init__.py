"""Finds repeated sub-structures of a computation graph: `recognise` returns a catalogue, `plain_document` and
`full_document` its JSON.

A library that knows neither Django nor the database. `docs/reference/substructures.md` defines the terms.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindinsight.graphs.substructures.catalogue import Catalogue, SubStructure, Variant
    from mindinsight.graphs.substructures.documents import full_document, plain_document
    from mindinsight.graphs.substructures.equivalence import Equivalence
    from mindinsight.graphs.substructures.recognition import recognise

__all__ = ["Catalogue", "Equivalence", "SubStructure", "Variant", "full_document", "plain_document", "recognise"]

_HOME = {
    "Catalogue": "catalogue",
    "Equivalence": "equivalence",
    "SubStructure": "catalogue",
    "Variant": "catalogue",
    "full_document": "documents",
    "plain_document": "documents",
    "recognise": "recognition",
}


# The build imports this package to compile a part of it, before numpy and protobuf are installed.
def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
