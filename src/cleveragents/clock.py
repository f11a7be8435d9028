"""Times as people read them, where they are."""

from datetime import datetime

from cleveragents.ids import now


def on_the_clock(value: datetime, form: str = "%H:%M:%S", at: datetime | None = None) -> str:
    """A time; the day is left out while it lasts."""
    local, today = value.astimezone(), (at or now()).astimezone().date()
    return local.strftime(form if local.date() == today else f"%Y-%m-%d {form}")


def on_the_clock_if_time(text: str) -> str:
    """The same of what was written down as one; what is none stays as it is."""
    try:
        return on_the_clock(datetime.fromisoformat(text))
    except ValueError:
        return text
