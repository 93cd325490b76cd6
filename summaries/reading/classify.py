"""Classifies values: a number, or a kind, by their fields, the file's flavour and the tag's plugin.

The event decoder calls it for every value that is not a plain number.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from summaries.kinds import Kind
from summaries.limits import MAX_TAG_BYTES, MAX_TAGS
from summaries.reading.tensorboard import PLUGIN_KINDS, STRINGS, is_text, plugin_name, plugin_of_kind, scalar_of_tensor
from summaries.schema import scan_pb2

# Longer metadata is not kept for comparison with later metadata.
_METADATA_BYTES = 512

# The first of these fields decides. Field 9 depends on the file's flavour and is checked last.
_VALUE_KINDS = {
    "image": Kind.IMAGE,
    "histo": Kind.HISTOGRAM,
    "audio": Kind.AUDIO,
    "loss_landscape": Kind.LOSS_LANDSCAPE,
    "text": Kind.TEXT,
    "exact": Kind.TENSOR,
}


class Flavour(StrEnum):
    """The writer's format of a file, by its version record."""

    MINDSPORE = "mindspore"
    TENSORBOARD = "tensorboard"
    UNKNOWN = "unknown"


class Plugin(NamedTuple):
    """TensorBoard's metadata of a tag: the name of the plugin, and the metadata itself unless it is long."""

    name: str
    metadata: bytes | None = None

    @property
    def tensor(self) -> Kind:
        """The kind of the tag's tensors; `SCALAR` if each one must be examined."""
        return Kind.SCALAR if self.name in ("", "scalars") else PLUGIN_KINDS.get(self.name, Kind.TENSOR)

    @property
    def bare(self) -> Kind:
        """The kind of values with this metadata and no content."""
        return PLUGIN_KINDS.get(self.name, Kind.OTHER)


_NO_PLUGIN = Plugin("")


class Classifier:
    """Holds one file's flavour and the plugins of its tags.

    Args:
        kinds: kinds of tags, from earlier parts of the file.
    """

    def __init__(self, kinds: Mapping[str, Kind] | None = None) -> None:
        self.flavour = Flavour.UNKNOWN
        self._plugins = {tag.encode(): Plugin(plugin_of_kind(kind)) for tag, kind in (kinds or {}).items()}

    def look(self, value: scan_pb2.Value) -> float | Kind:
        """Return the number of a scalar, or the kind of any other value."""
        if value.HasField("scalar_value"):
            return value.scalar_value
        if value.HasField("simple_value"):
            return value.simple_value
        if value.HasField("tensor"):
            return self._look_at_tensor(value)
        fields = {field.name for field, _ in value.ListFields()}
        for name, kind in _VALUE_KINDS.items():
            if name in fields:
                return kind
        if "histogram_or_metadata" not in fields:
            return Kind.OTHER
        if self.flavour is Flavour.TENSORBOARD:
            return self._learn(value).bare
        return Kind.HISTOGRAM

    def plugin(self, tag: bytes) -> Plugin:
        """Return the plugin of a tag, if known."""
        return self._plugins.get(tag, _NO_PLUGIN)

    def _look_at_tensor(self, value: scan_pb2.Value) -> float | Kind:
        if self.flavour is Flavour.MINDSPORE:
            return Kind.TENSOR
        plugin = self._learn(value)
        if plugin.name not in PLUGIN_KINDS and is_text(value.tensor):
            plugin = self._keep(value.tag, Plugin(STRINGS, plugin.metadata))
        number = scalar_of_tensor(value.tensor, plugin.name)
        return PLUGIN_KINDS.get(plugin.name, Kind.TENSOR) if number is None else number

    def _learn(self, value: scan_pb2.Value) -> Plugin:
        """Return the plugin of a TensorBoard value. Most writers name it with the first value of a tag only."""
        if not value.HasField("histogram_or_metadata"):
            return self.plugin(value.tag)
        metadata = value.histogram_or_metadata
        plugin = Plugin(plugin_name(metadata), metadata if len(metadata) <= _METADATA_BYTES else None)
        return self._keep(value.tag, plugin)

    def _keep(self, tag: bytes, plugin: Plugin) -> Plugin:
        if len(tag) <= MAX_TAG_BYTES and len(self._plugins) < MAX_TAGS:
            self._plugins[tag] = plugin
        return plugin
