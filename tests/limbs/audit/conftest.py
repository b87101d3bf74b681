"""The official BFCL checker and its items, as the datasets' tests have them."""

from tests.datasets.test_bfcl_agreement import cases, folder, official  # noqa: F401  fixtures
