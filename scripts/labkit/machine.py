# SPDX-License-Identifier: GPL-2.0-only
"""Run a process that must never outlive the lab, and read what it reports."""

import contextlib
import ctypes
import os
import selectors
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


@contextlib.contextmanager
def running(command, stderr, tmp):
    """A process in a session of its own; all of it is gone afterwards.

    tmp: where it shall put its temporary files.
    """
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=stderr, start_new_session=True,
                               env=dict(os.environ, TMPDIR=tmp), preexec_fn=_die_with_parent)
    try:
        yield process
    finally:
        # SIGTERM first: the host-side script takes its tracing trigger back.
        for number, patience in ((signal.SIGTERM, 2), (signal.SIGKILL, None)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience)
        process.stdout.close()


def how_it_stopped(process, patience_s=2):
    """In words, of a process whose lines have ended or which was given up."""
    try:
        status = process.wait(patience_s)
    except subprocess.TimeoutExpired:
        return "it said nothing more and was given up"
    if status < 0:
        return f"it was killed by signal {-status}"
    return f"it ended by itself with status {status}"


def lines(process, deadline):
    """The process's lines as they come, until its end or the deadline.

    Yields text, without the line's end; a last line without one counts too.
    deadline: a function that says when to give up, by time.monotonic(); it is
        asked anew after each line.
    """
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = deadline() - time.monotonic()
            if left <= 0 or not selector.select(left):
                break
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                break
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                yield line.rstrip(b"\r").decode(errors="replace")
    if rest:
        yield rest.decode(errors="replace")
