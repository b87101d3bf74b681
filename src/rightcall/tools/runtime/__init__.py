"""The way of one call through the runtime, from the model's request to its answer.

    pipeline      the stages in the order they happen; the one place to read it
    active_call   what the stages pass on to each other
    answer        whatever happens, one outcome and one record
    retries       further attempts on the runtime's own account
    deadline      how long a call is waited for; a write goes on after that
    versions      check, then act, under the lock of a resource
    outcome       what the tool returned or raised, as an outcome

Each stage is `(call, next)`: it does its part, calls `next(call)` or does not, and gives back how the call
ended. A stage knows nothing of those before it. To add one, write it and put it into `pipeline`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.runtime.context import CallContext as CallContext
    from rightcall.tools.runtime.errors import Aborted as Aborted
    from rightcall.tools.runtime.policy import Rules as Rules
    from rightcall.tools.runtime.toolbox import Toolbox as Toolbox
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "context": "CallContext",
            "errors": "Aborted",
            "policy": "Rules",
            "toolbox": "Toolbox",
        },
    )
