"""How much memory the machine has."""

from __future__ import annotations

import os


def machine_bytes() -> int:
    """Bytes of the machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
