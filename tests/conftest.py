"""What all tests share."""

import signal

from hypothesis import settings

# A shell starts background commands with Ctrl-C ignored, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Machines that run tests are shared and noisy: how long an example takes says nothing.
settings.register_profile("rightcall", deadline=None, derandomize=True)
settings.load_profile("rightcall")
