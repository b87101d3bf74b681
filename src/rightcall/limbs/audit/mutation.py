"""The mutants of a golden: every operator on every known good behaviour, without those that may be right as well."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from rightcall.core.codec import describe_value, encode_as
from rightcall.core.digest import hex_digest, json_digest
from rightcall.core.errors import ConfigError, suggestion
from rightcall.limbs.audit import mutants as shelf
from rightcall.limbs.audit.scene import Change, Mutant, Scene
from rightcall.records.golden import canonical_golden
from rightcall.records.trajectory import Trajectory

MOST_OF_OPERATOR = 3
MOST_OF_GOLDEN = 40
"""A golden with thirty arguments does not outweigh ten others."""

Mutate = Callable[[Scene, Trajectory], Iterator[Change]]
BEYOND_CALLS = ("skip_confirmation", "world_not_reached", "wrong_order")
"""What these change is not in the calls or the answer, such as their order."""


@cache
def operators() -> Mapping[str, Mutate]:
    """Every operator by name, in the order of names."""
    modules = [import_module(f"{shelf.__name__}.{file.name}") for file in iter_modules(shelf.__path__)]
    by_name = {operator.__name__: operator for module in modules for operator in module.OPERATORS}
    return dict(sorted(by_name.items()))


def select_operators(names: Collection[str] = ()) -> tuple[str, ...]:
    """The operators of these names, all by default, without those of `!NAME`; `ConfigError` for one that is not."""
    exclude = {name.removeprefix("!") for name in names if name.startswith("!")}
    chosen = [name for name in names if not name.startswith("!")]
    for name in (*chosen, *sorted(exclude)):
        if name not in operators():
            hint = suggestion(name, operators()) or f"operators: {', '.join(operators())}"
            raise ConfigError(f"audit: no operator is called '{name}'; {hint}")
    return tuple(name for name in operators() if name in (chosen or operators()) and name not in exclude)


def mutants_of(scene: Scene, names: Collection[str]) -> list[Mutant]:
    """The mutants of a golden, each with one bug, at most `MOST_OF_GOLDEN`, the same ones every time.

    Left out are changes that the golden lists as right, and calls that a tool would refuse: these reach no effect.
    """
    right = {scene.key(good) for good in scene.good}
    content = json_digest(canonical_golden(scene.golden), 16, enc_hook=describe_value)
    chosen: list[Mutant] = []
    for name in names:
        mutate = operators()[name]
        mutants: dict[str, Mutant] = {}
        for origin, good in enumerate(scene.good):
            for change in mutate(scene, good):
                if name not in BEYOND_CALLS and scene.key(change.trajectory) in right:
                    continue
                if not _tools_accept(scene, change.trajectory):
                    continue
                mutant = _mutant(scene, content, name, change, origin=origin)
                if not scene.is_listed(mutant.tool, mutant.parameter, mutant.after):
                    mutants.setdefault(mutant.id, mutant)
        chosen += _sample(mutants, MOST_OF_OPERATOR, scene.seed)
    return _sample({mutant.id: mutant for mutant in chosen}, MOST_OF_GOLDEN, scene.seed)


def _tools_accept(scene: Scene, trajectory: Trajectory) -> bool:
    return all(
        scene.toolset.accepts(call.name, call.arguments)
        for call in trajectory.calls
        if call.arguments is not None
    )


def _mutant(scene: Scene, content: str, operator: str, change: Change, origin: int) -> Mutant:
    calls = change.trajectory.calls
    at = change.call
    tool = calls[at].name if at is not None and at < len(calls) else str(change.before or "")
    if operator in ("drop_call", "skip_lookup"):
        tool = str(change.before)
    place = encode_as([operator, at, change.parameter, change.after, change.before], describe_value)
    return Mutant(
        id=hex_digest(f"{content}:".encode() + place, 12),
        golden_id=scene.golden.id,
        operator=operator,
        harm=change.harm,
        trajectory=change.trajectory,
        call=at,
        tool=tool if at is not None else "",
        parameter=change.parameter,
        before=change.before,
        after=change.after,
        origin=origin,
    )


def _sample(mutants: Mapping[str, Mutant], most: int, seed: str) -> list[Mutant]:
    """At most `most`, chosen by hash: the order of goldens, tools and arguments does not matter."""
    ranked = sorted(mutants.values(), key=lambda mutant: hex_digest(f"{seed}:{mutant.id}", 16))
    return ranked[:most]
