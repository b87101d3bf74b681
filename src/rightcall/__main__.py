"""`python -m rightcall`."""

from __future__ import annotations

from rightcall.cli.main import main

if __name__ == "__main__":
    main()
