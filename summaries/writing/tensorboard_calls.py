"""Methods of TensorBoard's writers that `SummaryWriter` lacks: each logs a warning once and records nothing.

A training that was written for another writer keeps running; only these values are missing.
"""

import logging
from collections.abc import Callable

_log = logging.getLogger("summaries")

INSTEAD = {
    "add_audio": "record it with add_tensor",
    "add_custom_scalars": "group scalars by their tags instead, as in `loss/train`",
    "add_custom_scalars_marginchart": "group scalars by their tags instead, as in `loss/train`",
    "add_custom_scalars_multilinechart": "group scalars by their tags instead, as in `loss/train`",
    "add_embedding": "record the vectors with add_tensor and their pictures with add_images",
    "add_figure": "draw the figure into an array and record that with add_image(..., dataformats='HWC')",
    "add_histogram_raw": "record the numbers themselves with add_histogram",
    "add_image_with_boxes": "draw the boxes into the picture and record it with add_image",
    "add_mesh": "record vertices and faces with add_tensor",
    "add_onnx_graph": "only add_graph with a GraphProto of the training core or of MindSpore is understood",
    "add_openvino_graph": "only add_graph with a GraphProto of the training core or of MindSpore is understood",
    "add_pr_curve": "record precision and recall with add_tensor, or their values with add_scalar",
    "add_pr_curve_raw": "record precision and recall with add_tensor, or their values with add_scalar",
    "add_video": "record single pictures with add_images",
    "export_scalars_to_json": "the dashboard and EventFileReader read the file itself",
}
"""Alternative for each method."""

_warned: set[str] = set()


def warn_once(key: str, message: str) -> None:
    """Log `message` unless a message with this key was logged before."""
    if key not in _warned:
        _warned.add(key)
        _log.warning(message)


def unsupported(name: str) -> Callable[..., None]:
    """Return a function that accepts any arguments, warns once and does nothing.

    Raises:
        KeyError: `name` is not such a method.
    """
    advice = INSTEAD[name]

    def call(*arguments: object, **options: object) -> None:
        warn_once(name, f"SummaryWriter.{name} is not supported and records nothing: {advice}.")

    return call
