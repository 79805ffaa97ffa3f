# SPDX-License-Identifier: GPL-2.0-only
"""The checks: KUnit, user-space tests, static checks, and the runner of all."""
