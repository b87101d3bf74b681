"""The embedded model, downloaded once a machine."""

from __future__ import annotations

import pytest

from rightcall.providers.weights import pull_model


@pytest.fixture(scope="session")
def weights():
    """The file of `local:smollm2`."""
    return pull_model("smollm2")
