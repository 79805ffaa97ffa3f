# SPDX-License-Identifier: GPL-2.0-only
"""Run commands so that an interrupted check leaves none of them behind."""

import contextlib
import os
import selectors
import signal
import subprocess
import time

from labkit.errors import LabError


# What runs now, in any thread.
_running = set()


def end_all():
    """End everything that runs; for a command that was interrupted."""
    for process in list(_running):
        _end(process)


def _end(process):
    """End the whole group: a make has compilers, a UML kernel has processes."""
    for signum, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signum)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    # What is left of the group after its leader has gone.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run(command, *, cwd=None, env=None, nice=False, limit=3600, tick=None,
        line=None):
    """Run a command to its end; (status, lines of stdout and stderr).

    status is None where the time limit, in seconds, was over. `tick` is called
    about once a second, `line` with the last line that came.
    """
    # A check may itself be run by make, whose variables are not meant for ours.
    env = {**{k: v for k, v in os.environ.items()
              if k not in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL")}, **(env or {})}
    if nice:
        command = ["nice", "-n", "10", *command]
    try:
        process = subprocess.Popen(command, cwd=cwd, env=env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        raise LabError(f"cannot run {command[0]}: {error.strerror}") from error
    _running.add(process)
    output, deadline, over = [], time.monotonic() + limit, False

    def take():
        chunk = os.read(process.stdout.fileno(), 65536)
        output.append(chunk)
        if line and b"\n" in chunk:
            # A line may come in pieces; a kilobyte is more than a screen shows.
            last = b"".join(output[-8:])[-1024:].decode("utf-8", "replace").split("\n")[-2]
            if last.strip():
                line(last.strip())
        return chunk

    try:
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                if selector.select(1):
                    if not take():
                        break
                elif process.poll() is not None:
                    # Something it started still holds the pipe.
                    while selector.select(0) and take():
                        pass
                    break
                if tick:
                    tick()
                if time.monotonic() > deadline:
                    over = True
                    break
        if not over:
            process.wait()
    finally:
        if process.poll() is None or over:
            _end(process)
        _running.discard(process)
        process.stdout.close()
    text = b"".join(output).decode("utf-8", "replace")
    return None if over else process.returncode, text.splitlines()
