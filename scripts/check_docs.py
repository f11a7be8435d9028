"""Checks the pages: relative links and anchors lead somewhere, examples name no path of a machine.

python scripts/check_docs.py

An anchor is made from a heading the way GitHub makes it, or given as `<a id="...">`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^ *(```+|~~~+) *(\w*)")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s+<?([^\s>]+)>?")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
EXPLICIT_ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
# Paths that exist on one machine only; examples use ~ or a relative path.
HOST_PATH = re.compile(r"(?<![\w.~/])/(?:home|Users|root|mnt)/\S*")


def main() -> int:
    pages = sorted(find_pages())
    problems = [problem for page in pages for problem in check(page)]
    for problem in problems:
        print(problem)
    links = sum(1 for page in pages for _, line in prose(page) for _ in LINK.finditer(line))
    print(f"{len(pages)} pages, {links} links, {len(problems)} problems")
    return 1 if problems or not pages else 0


def find_pages() -> Iterator[Path]:
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        if (ROOT / name).exists():
            yield ROOT / name
    yield from (ROOT / "docs").rglob("*.md")


def check(page: Path) -> Iterator[str]:
    """Yields a line for every problem of a page."""
    where = page.relative_to(ROOT)
    for number, line in prose(page):
        for match in LINK.finditer(line):
            if problem := check_link(page, match[1] or match[2]):
                yield f"{where}:{number}: {problem}"
    for number, language, line in examples(page):
        if language == "sh" and (match := HOST_PATH.search(line)):
            yield f"{where}:{number}: example names {match[0]}, a path of one machine"


def check_link(page: Path, link: str) -> str | None:
    """Says what is wrong with a link, or nothing; addresses of other sites are not looked up."""
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return None
    path, _, anchor = unquote(link).partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT) or not target.exists():
        return f"link to {path}, which does not exist"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"link to {link}, but that page has no such heading"
    return None


def anchors(page: Path) -> set[str]:
    """Collects the anchors of a page; GitHub numbers those of repeated headings."""
    found: set[str] = set()
    for _, line in prose(page, with_code=True):
        found.update(EXPLICIT_ANCHOR.findall(line))
        if match := HEADING.match(line):
            anchor = slug(match[1])
            names = [anchor, *(f"{anchor}-{number}" for number in range(1, 100))]
            found.add(next(name for name in names if name not in found))
    return found


def slug(heading: str) -> str:
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def prose(page: Path, *, with_code: bool = False) -> Iterator[tuple[int, str]]:
    """Yields the numbered lines outside fences, without their `code` unless it is asked for."""
    for number, language, line in classified(page):
        if language is None:
            yield number, line if with_code else re.sub(r"`[^`]*`", "``", line)


def examples(page: Path) -> Iterator[tuple[int, str, str]]:
    """Yields the numbered lines inside fences, each with the language of its fence."""
    for number, language, line in classified(page):
        if language is not None:
            yield number, language, line


def classified(page: Path) -> Iterator[tuple[int, str | None, str]]:
    """Yields each line of a page with the language of the fence around it, or None outside."""
    fence = language = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        match = FENCE.match(line)
        if fence is None and match:
            fence, language = match[1], match[2]
        elif fence is not None and line.strip().startswith(fence):
            fence = language = None
        else:
            yield number, language, line


if __name__ == "__main__":
    sys.exit(main())
