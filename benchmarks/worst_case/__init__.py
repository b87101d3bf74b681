"""The worst case on six worlds: attacker calls stopped, and the user's calls stopped, by each guard and threat.

python -m benchmarks worst_case               # the table of docs/safety.md
python -m benchmarks worst_case --rules       # without each rule in turn: what then gets through
python -m benchmarks worst_case --speed       # a check with 1 MB of results read
"""

from __future__ import annotations

import sys

from benchmarks.worst_case.speed import print_speed
from benchmarks.worst_case.table import print_rules, print_table


def main() -> None:
    if "--rules" in sys.argv:
        print_rules()
    elif "--speed" in sys.argv:
        print_speed()
    else:
        print_table()
