"""The Python client: runs, curves and histograms of a dashboard as numpy arrays, for notebooks and scripts.

    from mindinsight.client import Client

    runs = Client("http://127.0.0.1:8080").runs("lenet/*")

It uses HTTP and needs only numpy. It imports neither Django nor any other part of this package.
"""

from mindinsight.client.client import Client
from mindinsight.client.curves import Curve
from mindinsight.client.errors import ClientError
from mindinsight.client.histograms import Histogram
from mindinsight.client.lineage import LineageTable
from mindinsight.client.runs import Run, Runs

__all__ = ["Client", "ClientError", "Curve", "Histogram", "LineageTable", "Run", "Runs"]
