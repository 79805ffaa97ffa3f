# SPDX-License-Identifier: GPL-2.0-only
"""Traces of idle periods, and what the policies make of them."""
