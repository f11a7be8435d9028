"""Runs a part of a test in a process of its own, to be killed, limited or left waiting."""

import os
import signal
import traceback


def forked(function):
    """Runs the function in a child; returns its exit code, negative for a signal."""
    return ended(start(function))


def start(function):
    """Starts the function in a child; returns its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        function()
        code = 0
    except BaseException:  # noqa: BLE001 - this process ends here, whatever it was
        traceback.print_exc()
    finally:
        os._exit(code)


def ended(pid):
    """Waits for a child; returns its exit code, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def die():
    """Ends this process as a power cut would: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)
