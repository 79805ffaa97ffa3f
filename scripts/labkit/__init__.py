# SPDX-License-Identifier: GPL-2.0-only
"""The lab: boots guests, watches them and says how they fared."""
