"""`agents keeper`: the process that takes what coding agents tell."""

from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Fields, Result
from cleveragents.clock import on_the_clock_if_time
from cleveragents.counting import counted
from cleveragents.hooks import asking, spool
from cleveragents.shapes.keeper import KeeperStatus, KeeperStop

NONE = "no keeper is running; the next event of a coding agent starts one"


def status(call: Invocation) -> Result:
    """Tell whether it is running, and what it has recorded."""
    told = asking.status(call.place) or {}
    data: KeeperStatus = {
        "running": bool(told),
        "pid": told.get("pid"),
        "since": told.get("since"),
        "socket": told.get("socket"),
        "events": told.get("events", 0),
        "waiting": told.get("waiting", 0),
        "roots": told.get("roots", []),
        "spooled": len(spool.waiting(str(call.place))),
    }
    rows = [("Spool", counted(data["spooled"], "event"))]
    if not told:
        return Result(data, [Fields("Keeper", rows)], footer=NONE)
    rows = [
        ("Process", f"{data['pid']}, since {on_the_clock_if_time(data['since'] or '-')}"),
        ("Recorded", f"{counted(data['events'], 'event')}, {data['waiting']} waiting"),
        *rows,
        *(("Directory", root) for root in data["roots"]),
    ]
    return Result(data, [Fields("Keeper", rows)], footer="It is running")


def stop(call: Invocation) -> Result:
    """End it; the next event of an agent starts another."""
    pid = asking.stop(call.place)
    data: KeeperStop = {"stopped": pid is not None, "pid": pid}
    return Result(data, footer=NONE if pid is None else f"The keeper has ended (process {pid})")
