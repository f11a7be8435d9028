"""Numbers of things, told in words that fit the number."""

UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def counted(count: int, one: str, many: str = "") -> str:
    """Tells how many there are: 1 path, 2 paths; `many` is for what takes more than an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def size(count: int) -> str:
    """Tells a number of bytes as people read it."""
    if count < 1 << 10:
        return f"{count} B"
    unit, name = next((unit, name) for unit, name in UNITS if count >= unit)
    return f"{count / unit:.1f} {name}"
