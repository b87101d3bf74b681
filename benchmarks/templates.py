"""How many goldens of the example suites and of BFCL look like templates, and how long the search takes.

    python -m benchmarks templates [--bfcl bfcl_eval/data] [--goldens 100000] [--show]

`--bfcl` is the unpacked data folder of the wheel (docs/evidence.md). The counts say what the search names, not how
often it is right: nobody has labelled these goldens, and its rules were written with some of them at hand.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from pathlib import Path

from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.importers.bfcl import CATEGORIES, import_bfcl
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, Golden
from rightcall.run.request_templates import template_groups

EXAMPLES = Path(__file__).parent.parent / "examples"
VERBS = ("Refund", "Track", "Cancel", "Insure", "Return")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks templates")
    parser.add_argument("--bfcl", type=Path, help="data folder of the unpacked BFCL wheel")
    parser.add_argument("--goldens", type=int, default=100_000, help="goldens for the time of a search")
    parser.add_argument("--show", action="store_true", help="the text and the goldens of every group")
    options = parser.parse_args()
    print(f"{'dataset':<28}{'goldens':>9}{'groups':>8}{'in them':>9}{'with calls':>12}{'CPU s':>8}")
    for path in sorted(EXAMPLES.glob("*/goldens.jsonl")):
        search(path.parent.name, list(load_goldens(path)), show=options.show)
    if options.bfcl:
        search("BFCL v4, single turn", list(bfcl(options.bfcl)), show=options.show)
    search("written for the time", list(filled(options.goldens)), show=False)


def search(name: str, goldens: list[AnyGolden], *, show: bool) -> None:
    """One line about the groups of a dataset; `with calls` counts those whose goldens expect a call."""
    start = time.process_time()
    groups = template_groups(goldens)
    taken = time.process_time() - start
    calling = {golden.id for golden in goldens if golden.expected_calls}
    members = sum(len(group.goldens) for group in groups)
    active = sum(group.goldens[0] in calling for group in groups)
    print(f"{name:<28}{len(goldens):>9,}{len(groups):>8,}{members:>9,}{active:>12,}{taken:>8.1f}", flush=True)
    for group in groups if show else ():
        print(f"    {group.text[:90]}: {', '.join(group.goldens[:4])}")


def bfcl(folder: Path) -> Iterable[AnyGolden]:
    """The goldens of every category that RightCall reads."""
    for category in CATEGORIES:
        name = f"BFCL_v4_{category}.json"
        answers = folder / "possible_answer" / name
        yield from import_bfcl(folder / name, answers if answers.exists() else None)


def filled(number: int) -> Iterable[AnyGolden]:
    """Half of the goldens are five templates with other values, half have words of their own."""
    for n in range(number):
        own = f" for {n:b} friends of {n * 7919 % number:x}".translate(
            str.maketrans("0123456789", "abcdefghij")
        )
        text = f"{VERBS[n % 5]} order A{n:06}{own if n % 2 else ''}"
        yield Golden(text, f"g{n:06}", expected_calls=(ExpectedCall("act", {"id": f"A{n:06}"}),))


if __name__ == "__main__":
    main()
