"""What all tests share."""

from hypothesis import settings

# Machines that run tests are shared and noisy: how long an example takes says nothing.
settings.register_profile("rightcall", deadline=None, derandomize=True)
settings.load_profile("rightcall")
