"""Makes text safe to show: nothing in it acts on a terminal."""

import unicodedata


def safe(text: str) -> str:
    """Escapes whatever could act on a terminal, and bytes that are no text."""
    return text if text.isprintable() else "".join(map(_safe, text))


def safe_cell(text: str) -> str:
    """The same for a cell of a table, whose columns a tab would shift."""
    return safe(text).replace("\t", "\\t")


def _safe(char: str) -> str:
    if char == "\t" or char.isprintable():
        return char
    if "\udc80" <= char <= "\udcff":  # a byte that is no UTF-8, as the file system gave it
        return f"\\x{ord(char) - 0xDC00:02x}"
    if unicodedata.category(char) == "Zs":
        return " "
    return char.encode("unicode_escape").decode("ascii")
