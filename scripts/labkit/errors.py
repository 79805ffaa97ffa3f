# SPDX-License-Identifier: GPL-2.0-only
"""The one exception that reaches a person, as one line."""


class LabError(Exception):
    """What was wrong and what to do about it.

    code: the exit status, 2 for bad usage or something missing, 1 for a run
    that failed.
    """

    def __init__(self, what, code=2):
        super().__init__(what)
        self.code = code
