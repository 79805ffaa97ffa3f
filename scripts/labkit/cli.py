# SPDX-License-Identifier: GPL-2.0-only
"""What the commands share: where they are, and how they end."""

import argparse
import os
import signal
import sys

from .errors import LabError

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


class Parser(argparse.ArgumentParser):
    """Bad usage as one line."""

    def error(self, message):
        raise LabError(f"{message}: see {self.prog} --help")


def _interrupted(number, _frame):
    # Raised where the main thread is, so that every clean-up on the way runs.
    raise KeyboardInterrupt(signal.Signals(number).name)


def run(name, main, *, at_stop=None, hint=""):
    """Run a command's main() and exit; whatever goes wrong is one line.

    at_stop: called where a signal stops it. hint: what to look at where a file
    can't be read or written.
    """
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, _interrupted)
    try:
        sys.exit(main())
    except LabError as wrong:
        print(f"{name}: {wrong}", file=sys.stderr)
        sys.exit(wrong.code)
    except KeyboardInterrupt as stop:
        if at_stop:
            at_stop()
        print(f"{name}: stopped by {stop or 'SIGINT'}", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os._exit(1)
    except OSError as wrong:
        print(f"{name}: {wrong}{hint and ': '}{hint}", file=sys.stderr)
        sys.exit(1)
