"""How changes are found: the one name that settings know of what tracks."""

from enum import StrEnum


class Tracking(StrEnum):
    """How changes are found."""

    AUTO = "auto"  # watch where the system can, and look at everything when there is time for it
    WATCH = "watch"  # by events alone where the system can, but where all must be looked at
    SCAN = "scan"
