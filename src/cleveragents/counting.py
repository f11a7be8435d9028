"""Numbers of things, told in words that fit the number."""


def counted(count: int, one: str, many: str = "") -> str:
    """Tells how many there are: 1 path, 2 paths; `many` is for what takes more than an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"
