# SPDX-License-Identifier: GPL-2.0-only
"""Progress lines on stderr, only for what takes more than a few seconds."""

import sys
import threading
import time

PATIENCE_S = 3
HEARTBEAT_S = 20


def say(text):
    print(f"lab: {text}", file=sys.stderr, flush=True)


class Slow:
    """Says what goes on if the body takes longer than a few seconds, and goes on saying so.
    """

    def __init__(self, text):
        self.text = text
        self.start = time.monotonic()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._talk, daemon=True)

    def _talk(self):
        wait = PATIENCE_S
        while not self.done.wait(wait):
            elapsed = time.monotonic() - self.start
            if elapsed >= PATIENCE_S:
                say(f"{self.text} ({elapsed:.0f} s)")
                wait = HEARTBEAT_S

    def now(self, text):
        """From here on something else goes on."""
        self.text, self.start = text, time.monotonic()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


def slow(text):
    return Slow(text)
