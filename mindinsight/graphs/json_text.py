"""Texts of graphs in a form that JSON can carry. Used wherever such a text leaves the process."""


def json_text(text: str) -> str:
    """Returns a text without lone surrogates, which names with arbitrary bytes may have and JSON does not allow."""
    return text.encode("utf-8", "replace").decode()
