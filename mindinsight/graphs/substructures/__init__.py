"""What repeats in a computation graph: `recognise` gives a catalogue, `plain_document` and `full_document` its JSON.

A library that knows neither Django nor the database. `docs/reference/substructures.md` defines every word.
"""

from mindinsight.graphs.substructures.catalogue import Catalogue, SubStructure, Variant
from mindinsight.graphs.substructures.documents import full_document, plain_document
from mindinsight.graphs.substructures.equivalence import Equivalence
from mindinsight.graphs.substructures.recognition import recognise

__all__ = ["Catalogue", "Equivalence", "SubStructure", "Variant", "full_document", "plain_document", "recognise"]
