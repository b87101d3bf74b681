"""A dataset in memory, with the names that DeepEval uses."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Self, get_args

from msgspec.structs import replace

from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.text import clip_text, first_names, one_line, pluralize
from rightcall.datasets.deepeval.names import KNOWN, Names, names_from
from rightcall.datasets.deepeval.reader import read_deepeval
from rightcall.datasets.formats import GOLDENS, csv, format_of
from rightcall.datasets.goldens import FIELDS, load_goldens, numbered_goldens, save_goldens
from rightcall.datasets.review import ReviewState, reviewed
from rightcall.files.checked_read import require_file
from rightcall.files.documents import value_of
from rightcall.records.case import AnyTestCase, ConversationalTestCase, TestCase, case_of
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, request_of, with_id

FileType = Literal["json", "jsonl", "csv", "yaml"]
FILE_TYPES = get_args(FileType)
MOST_LINES = 20
"""Goldens that are listed when a dataset is printed."""


class DatasetFiles:
    """Goldens of one kind (single-turn or conversational) and test cases. The first one added decides the kind."""

    def __init__(self, goldens: Iterable[AnyGolden] = (), test_cases: Iterable[AnyTestCase] = ()) -> None:
        self._goldens: list[AnyGolden] = []
        self._test_cases: list[AnyTestCase] = []
        self._kind: type[Any] | None = None
        for golden in goldens:
            self.add_golden(golden)
        for case in test_cases:
            self.add_test_case(case)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The goldens of a file in any known format and dialect."""
        return cls(load_goldens(path))

    @property
    def goldens(self) -> list[AnyGolden]:
        return self._goldens

    @goldens.setter
    def goldens(self, goldens: Iterable[AnyGolden]) -> None:
        self._goldens = []
        self._kind = None if not self._test_cases else self._kind
        for golden in goldens:
            self.add_golden(golden)

    @property
    def test_cases(self) -> list[AnyTestCase]:
        return self._test_cases

    @test_cases.setter
    def test_cases(self, cases: Iterable[AnyTestCase]) -> None:
        self._test_cases = []
        self._kind = None if not self._goldens else self._kind
        for case in cases:
            self.add_test_case(case)

    @property
    def multi_turn(self) -> bool:
        """Whether the dataset contains conversations."""
        return self._kind is ConversationalGolden

    _multi_turn = multi_turn  # the name used in DeepEval's documentation

    def add_golden(self, golden: AnyGolden) -> None:
        """Add a golden; one of the other kind is a `TypeError`, as in DeepEval."""
        if not isinstance(golden, Golden | ConversationalGolden):
            raise TypeError(f"expected a Golden or ConversationalGolden, got {type(golden).__name__}")
        self._check_kind(type(golden))
        self._goldens.append(with_id(golden))

    def add_test_case(self, test_case: AnyTestCase) -> None:
        """Add a test case; one of the other kind is a `TypeError`."""
        if not isinstance(test_case, TestCase | ConversationalTestCase):
            raise TypeError(f"expected a TestCase, got {type(test_case).__name__}")
        self._check_kind(type(test_case.golden))
        self._test_cases.append(test_case)

    def __iter__(self) -> Iterator[AnyGolden]:
        return iter(self._goldens)

    def __len__(self) -> int:
        return len(self._goldens)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DatasetFiles):
            return False
        return (self._goldens, self._test_cases) == (other._goldens, other._test_cases)

    __hash__ = None  # type: ignore[assignment]  # it changes when goldens are added

    def __repr__(self) -> str:
        kind = "conversations" if self.multi_turn else "single-turn"
        cases = f", {pluralize(len(self._test_cases), 'test case')}" if self._test_cases else ""
        lines = [f"{type(self).__name__}: {pluralize(len(self._goldens), 'golden')}, {kind}{cases}"]
        lines += [
            clip_text(f"  {golden.id}  {one_line(request_of(golden), 60)}", 78)
            for golden in self._goldens[:MOST_LINES]
        ]
        if (more := len(self._goldens) - MOST_LINES) > 0:
            lines.append(f"  and {more:,} more")
        return "\n".join(lines)

    def review(
        self, golden_id: str, state: ReviewState = "accepted", *, comment: str = "", author: str = ""
    ) -> None:
        """Decide about a draft: unreviewed goldens are not run, and only accepted ones decide anything."""
        places = {golden.id: place for place, golden in enumerate(self._goldens)}
        if golden_id not in places:
            hint = suggestion(golden_id, places) or f"known: {first_names(list(places), 5)}"
            raise ConfigError(f"no golden '{golden_id}' in the dataset; {hint}")
        place = places[golden_id]
        decided = reviewed(self._goldens[place], state, comment=comment or None, author=author)
        self._goldens[place] = decided

    # Choosing

    def filter(self, keep: Callable[[AnyGolden], bool]) -> Self:
        """A dataset of the goldens for which `keep` returns true."""
        return type(self)(golden for golden in self._goldens if keep(golden))

    def split(self, share: float, *, seed: int = 0) -> tuple[Self, Self]:
        """Two datasets, the first with this share of the goldens; goldens of one cluster stay together."""
        first, second = split_goldens(self._goldens, share, seed=seed)
        return type(self)(first), type(self)(second)

    # Files

    def save_as(
        self,
        file_type: FileType,
        directory: str | Path,
        file_name: str | None = None,
        include_test_cases: bool = False,
        *,
        dialect: Literal["native", "deepeval"] = "native",
    ) -> str:
        """Write the goldens to a new file in the directory and return its path; the name defaults to the time.

        Test cases are written as goldens with what the agent did recorded in them. The dialect `deepeval` is
        what DeepEval writes and reads.
        """
        if file_type not in FILE_TYPES:
            raise ConfigError(f"file_type must be one of {', '.join(FILE_TYPES)}, got '{file_type}'")
        goldens = list(self._goldens)
        if include_test_cases:
            goldens += map(_golden_of_case, self._test_cases)
        if not goldens:
            raise ConfigError("no goldens to save")
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        name = file_name or f"{datetime.datetime.now():%Y%m%d_%H%M%S}"
        path = folder / f"{name}.{file_type}"
        save_goldens(goldens, path, dialect=dialect)
        return str(path)

    def add_goldens_from_json_file(self, file_path: str | Path, **names: Any) -> None:
        """Add the goldens of a JSON file; `input_key_name="question"` sets the file's name for a field."""
        self._add_goldens(file_path, "json", names_from(names, "add_goldens_from_json_file"))

    def add_goldens_from_jsonl_file(self, file_path: str | Path, **names: Any) -> None:
        """Add the goldens of a JSON Lines file; `context_col_delimiter` separates list items in one string."""
        self._add_goldens(file_path, "jsonl", names_from(names, "add_goldens_from_jsonl_file"))

    def add_goldens_from_csv_file(self, file_path: str | Path, **names: Any) -> None:
        """Add the goldens of a CSV file; `input_col_name="question"` sets the file's name for a column."""
        self._add_goldens(file_path, "csv", names_from(names, "add_goldens_from_csv_file"))

    def add_test_cases_from_json_file(self, file_path: str | Path, **names: Any) -> None:
        """Add the test cases of a JSON file: goldens with `actual_output` and `tools_called`."""
        self._add_cases(file_path, "json", names_from(names, "add_test_cases_from_json_file"))

    def add_test_cases_from_jsonl_file(self, file_path: str | Path, **names: Any) -> None:
        """Add the test cases of a JSON Lines file."""
        self._add_cases(file_path, "jsonl", names_from(names, "add_test_cases_from_jsonl_file"))

    def add_test_cases_from_csv_file(self, file_path: str | Path, **names: Any) -> None:
        """Add the test cases of a CSV file."""
        self._add_cases(file_path, "csv", names_from(names, "add_test_cases_from_csv_file"))

    def _add_goldens(self, path: str | Path, file_type: str, names: Names) -> None:
        for golden in goldens_of_file(path, file_type, names):
            self.add_golden(golden)

    def _add_cases(self, path: str | Path, file_type: str, names: Names) -> None:
        for golden in goldens_of_file(path, file_type, names):
            self.add_test_case(case_of(with_id(golden)))

    def _check_kind(self, kind: type[Any]) -> None:
        self._kind = self._kind or kind
        if kind is not self._kind:
            problem = f"this dataset contains {self._kind.__name__}s, got a {kind.__name__}; use two datasets"
            raise TypeError(problem)


def goldens_of_file(path: str | Path, file_type: str, names: Names) -> Iterator[AnyGolden]:
    """Goldens of a file in RightCall's format, or in DeepEval's with the user's names for its fields."""
    path = require_file(path)
    if not names.called and path.suffix.lower() == f".{file_type}" and _is_native(path, file_type):
        return (golden for _, golden in numbered_goldens(path))
    return (golden for _, golden in read_deepeval(path, names, file_type=file_type))


def split_goldens(
    goldens: Sequence[AnyGolden], share: float, *, seed: int = 0
) -> tuple[list[AnyGolden], list[AnyGolden]]:
    """Two parts, each in the given order. Clusters are never split, so that neither part leaks into the other."""
    if not 0 < share < 1:
        raise ConfigError(f"share must be between 0 and 1, got {share:g}")
    clusters: dict[str, list[int]] = {}
    for place, golden in enumerate(goldens):
        clusters.setdefault(golden.cluster or f"\0{place}", []).append(place)
    drawn = list(clusters.values())
    random.Random(seed).shuffle(drawn)  # noqa: S311
    first: set[int] = set()
    for places in drawn:
        if len(first) + len(places) / 2 <= share * len(goldens):
            first.update(places)
    return (
        [golden for place, golden in enumerate(goldens) if place in first],
        [golden for place, golden in enumerate(goldens) if place not in first],
    )


def _is_native(path: Path, file_type: str) -> bool:
    """Whether the first item has a field that only RightCall's format has."""
    if file_type == "csv":
        return not NATIVE_ONLY.isdisjoint(csv.header(path))
    for line, item in format_of(path).read(path, GOLDENS):
        return not NATIVE_ONLY.isdisjoint(value_of(item, dict[str, Any], f"{path}:{line}"))
    return False


def _golden_of_case(case: AnyTestCase) -> AnyGolden:
    """The golden of a test case, with what the agent did recorded in it."""
    trajectory = case.trajectory
    if isinstance(case, ConversationalTestCase):
        turns = case.turns if trajectory.messages else case.golden.turns
        return replace(case.golden, turns=turns)
    has_usage = bool(trajectory.usage.tokens)
    return replace(
        case.golden,
        actual_output=trajectory.output,
        tools_called=trajectory.calls,
        token_cost=trajectory.usage.cost_usd,
        input_token_count=float(trajectory.usage.input_tokens or 0) if has_usage else None,
        output_token_count=float(trajectory.usage.output_tokens or 0) if has_usage else None,
    )


NATIVE_ONLY = FIELDS - {*KNOWN, "metadata", "custom_columns", "model", "settings"}
"""Fields that only RightCall's format has; any table may have a column `model` or `settings`."""
