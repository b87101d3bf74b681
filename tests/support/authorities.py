"""One certificate authority in place of all: servers of tests are on this machine, and bring their certificates along.

Every client of a model's SDK reads the certificates of all authorities, which takes longer than most tests.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Any

import certifi

ONE = str(Path(__file__).parents[1] / "data" / "one_authority.pem")


def trust_one_authority() -> None:
    """Clients in this process that would read the certificates of the machine read one; programs they start do not."""
    everyone = {certifi.where(), os.environ.get("SSL_CERT_FILE", "")}
    real = ssl.create_default_context

    def create_default_context(*purpose: Any, cafile: Any = None, **options: Any) -> ssl.SSLContext:
        return real(*purpose, cafile=ONE if cafile in everyone else cafile, **options)

    ssl.create_default_context = create_default_context
