# SPDX-License-Identifier: GPL-2.0-only
"""The demo's arithmetic and its tables; scripts/demo does the work."""
