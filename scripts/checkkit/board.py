# SPDX-License-Identifier: GPL-2.0-only
"""What runs now, for people: one live line on a terminal, else a line now and then."""

import shutil
import sys
import threading
import time

QUIET_S = 20


class Board:
    """Says what each stage is doing and for how long."""

    def __init__(self, stream=sys.stderr):
        self.stream = stream
        self.live = stream.isatty()
        self.doing = {}
        self.lock = threading.RLock()
        self.said = time.monotonic()
        self.thread = threading.Thread(target=self._tick, daemon=True)
        self.thread.start()

    def begin(self, stage):
        with self.lock:
            self.doing[stage] = (time.monotonic(), "")

    def say(self, stage, text):
        with self.lock:
            if stage in self.doing:
                self.doing[stage] = (self.doing[stage][0], text)

    def end(self, stage):
        """The stage's seconds."""
        with self.lock:
            started, _ = self.doing.pop(stage)
            self._wipe()
            return time.monotonic() - started

    def out(self, text):
        """A line that stays."""
        with self.lock:
            self._wipe()
            print(text, flush=True)

    def _wipe(self):
        if self.live:
            self.stream.write("\r\033[K")
            self.stream.flush()

    def line(self, now):
        return " | ".join(f"{stage} {now - started:.0f} s" + (f": {text}" if text else "")
                          for stage, (started, text) in self.doing.items())

    def _tick(self):
        while True:
            time.sleep(1)
            with self.lock:
                now = time.monotonic()
                if not self.doing:
                    continue
                if self.live:
                    width = shutil.get_terminal_size().columns - 1
                    self.stream.write("\r\033[K" + self.line(now)[:width])
                elif now - self.said >= QUIET_S:
                    self.said = now
                    self.stream.write(f"check: {self.line(now)}\n")
                self.stream.flush()
