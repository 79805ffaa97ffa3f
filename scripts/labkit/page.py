# SPDX-License-Identifier: GPL-2.0-only
"""The part of a page that a script writes, between two marker lines. Pure."""

from .errors import LabError


def replace(name, text, begin, end, lines):
    """The text of the page `name` with these lines between its markers."""
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended or begin in after or end in after:
        raise LabError(f"the {name} must have the lines {begin!r} and {end!r} once, in this order")
    return f"{before}{begin}\n\n" + "\n".join(lines) + f"\n\n{end}{after}"
