"""`python -m rightcall`."""

from __future__ import annotations

from rightcall.cli.main import command

if __name__ == "__main__":
    command()
