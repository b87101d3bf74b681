"""The default author of notes and versions."""

from __future__ import annotations


def user_name() -> str:
    """The name of the user of this machine; empty where there is none, as in some containers."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
