"""Texts of graphs as JSON can carry them. Used wherever a graph's text leaves the process."""


def json_text(text: str) -> str:
    """Returns a text without halves of surrogate pairs, which names with any bytes may have and JSON does not."""
    return text.encode("utf-8", "replace").decode()
