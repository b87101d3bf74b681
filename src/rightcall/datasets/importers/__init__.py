"""Public benchmarks as goldens.

    bfcl          import_bfcl: the Berkeley Function Calling Leaderboard, single turn, Python
    bfcl_values   the matcher that compares one argument as BFCL does, and exists for nothing else
    tau           import_tau: τ-bench and τ²-bench, conversations with their trials and rewards

To add one: a file with a function from the benchmark's files to goldens whose `passed` is the benchmark's own
verdict, and a test that compares with the benchmark's own checker.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.datasets.importers.bfcl import import_bfcl as import_bfcl
    from rightcall.datasets.importers.tau import TauResults as TauResults, import_tau as import_tau
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "bfcl": "import_bfcl",
            "tau": "TauResults import_tau",
        },
    )
