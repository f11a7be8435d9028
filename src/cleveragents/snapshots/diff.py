"""Compares two manifests; equal subtrees are recognised by their id and never opened."""

from collections.abc import Callable, Iterator

from cleveragents.snapshots.manifest import Change, Directory, Entry

Load = Callable[[bytes], Directory]


def compare(before: Entry | None, after: Entry | None, load: Load) -> Iterator[Change]:
    """Yields what differs, parents before children; the root itself is the empty path."""
    return _compare(b"", before, after, load)


def _compare(
    path: bytes, before: Entry | None, after: Entry | None, load: Load
) -> Iterator[Change]:
    if before == after:
        return
    if _itself(before) != _itself(after):
        yield Change(path, before, after)
    olds, news = _children(before, load), _children(after, load)
    differing = [name for name in olds.keys() | news.keys() if olds.get(name) != news.get(name)]
    for name in sorted(differing):
        inner = path + b"/" + name if path else name
        yield from _compare(inner, olds.get(name), news.get(name), load)


def _itself(entry: Entry | None) -> Entry | None:
    """A directory without its children; what is below it is compared on its own."""
    return entry._replace(content=b"") if entry is not None and entry.is_dir else entry


def _children(entry: Entry | None, load: Load) -> Directory:
    return load(entry.content) if entry is not None and entry.is_dir else {}
