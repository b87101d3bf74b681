"""Other words for requests, by a model: verified, and kept in a file that people can read and correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from rightcall.core.errors import InputError
from rightcall.files.atomic import write_file
from rightcall.files.checked_read import numbered_lines, open_checked
from rightcall.improve.argument_kind import still_holds
from rightcall.improve.model_texts import ask_variants
from rightcall.providers.base import Prompt, Settings
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.resolver import resolve
from rightcall.records.golden import Golden
from rightcall.records.record import Record

SYSTEM = (
    "You say a user's request in other words. Keep its meaning, language and every name, number, date and quoted text "
    "exactly as they are. Reply with the new request alone."
)


class Paraphrases(Record, frozen=True):
    """A line of the file: a golden, what it says, and other words for it. Edit or delete what is wrong."""

    golden_id: str
    input: str
    paraphrases: tuple[str, ...] = ()


def read_paraphrases(path: Path, goldens: Sequence[Golden]) -> dict[str, tuple[str, ...]]:
    """Paraphrases of goldens whose input has not changed since; empty when there is no file."""
    if not path.is_file():
        return {}
    requests = {golden.id: golden.input for golden in goldens}
    texts_by_golden = {}
    with open_checked(path) as file:
        for number, line in numbered_lines(file, str(path)):
            if not line.strip():
                continue
            try:
                entry = msgspec.json.decode(line, type=Paraphrases)
            except (msgspec.DecodeError, msgspec.ValidationError) as error:
                hint = "a line is {golden_id, input, paraphrases}; delete the file to write a new one"
                raise InputError(f"{path}:{number}", str(error), hint) from None
            if requests.get(entry.golden_id) == entry.input:
                texts_by_golden[entry.golden_id] = entry.paraphrases
    return texts_by_golden


async def paraphrase_goldens(
    model: str | ModelEndpoint,
    goldens: Sequence[Golden],
    kept: Mapping[str, Sequence[str]],
    *,
    seed: int = 0,
) -> dict[str, tuple[str, ...]]:
    """Paraphrases of all goldens: the known ones, and a model's for the others. Those that lose a value are dropped."""
    prompt = Prompt(SYSTEM, (), Settings(max_tokens=300, temperature=0.8))
    paraphrases = {name: tuple(texts) for name, texts in kept.items()}
    async with resolve(model) as provider:
        provider.prepare(prompt)
        for golden in goldens:
            if golden.id in paraphrases:
                continue
            texts = await ask_variants(provider, prompt, golden.input, f"paraphrase {golden.id}", seed=seed)
            fresh = dict.fromkeys(text for text in texts if text != golden.input)
            paraphrases[golden.id] = tuple(text for text in fresh if still_holds(golden, text))
    return paraphrases


def write_paraphrases(
    path: Path, goldens: Sequence[Golden], paraphrases: Mapping[str, Sequence[str]]
) -> None:
    """One line per golden that has paraphrases, ordered by id."""
    lines = [
        msgspec.json.encode(Paraphrases(golden.id, golden.input, tuple(paraphrases[golden.id])))
        for golden in sorted(goldens, key=lambda golden_to_sort: golden_to_sort.id)
        if paraphrases.get(golden.id)
    ]
    write_file(path, b"".join(line + b"\n" for line in lines))
