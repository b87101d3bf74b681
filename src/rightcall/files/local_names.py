"""The names of local variables in a syntax tree, made equal: `total = 1` and `sum_ = 1` in a function are one program.

Parameters, attributes, names that are imported or defined in a function, and names of modules and classes are visible
from elsewhere and stay. Whether something reads local names at run time (`locals()`) is asked before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain, count

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
           ast.GeneratorExp)  # fmt: skip


def rename_locals(tree: ast.Module) -> None:
    """Number the local variables of every function and comprehension in the order in which they occur, in place.

    A name is replaced everywhere in the body of the scope that binds it, inner scopes included. That is the same
    program, because a name is left alone that an inner scope has as a parameter, a class attribute or a global.
    """
    numbers = count()
    for scope in _in_order(tree):
        if isinstance(scope, Function):
            parameters = {argument.arg for argument in ast.walk(scope.args) if isinstance(argument, ast.arg)}
            body: Sequence[ast.AST] = scope.body
            own = set(chain.from_iterable(_bound_names(node) for node in body)) - parameters
        elif isinstance(scope, Comprehension):
            targets = (generator.target for generator in scope.generators)
            own = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
            # The first iterable is evaluated outside, and a walrus inside binds a name there.
            own -= _names_in(scope.generators[0].iter)
            own -= {node.target.id for node in ast.walk(scope) if isinstance(node, ast.NamedExpr)}
            body = [scope]
        else:
            continue
        own = {name for name in own if name.isidentifier() and not name.startswith("__")}
        if own:
            _replace(body, own - _visible_names(body), numbers)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Every node, outer ones first and in the order of the source."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _bound_names(node: ast.AST) -> Iterator[str]:
    """The variables that a statement binds in its own scope."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
    if isinstance(node, Comprehension):
        walruses = (inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
        yield from (walrus.target.id for walrus in walruses)
    if not isinstance(node, _SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from _bound_names(child)
    elif isinstance(node, Function | ast.ClassDef | ast.Lambda):
        for expression in _outer_expressions(node):
            yield from _bound_names(expression)


def _outer_expressions(scope: ast.AST) -> Iterator[ast.AST]:
    """The parts of a definition that are evaluated where it stands: decorators, defaults, bases."""
    arguments = getattr(scope, "args", None)
    defaults = [*arguments.defaults, *filter(None, arguments.kw_defaults)] if arguments is not None else []
    keywords = [keyword.value for keyword in getattr(scope, "keywords", ())]
    yield from (*getattr(scope, "decorator_list", ()), *getattr(scope, "bases", ()), *keywords, *defaults)


def _names_in(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _visible_names(body: Sequence[ast.AST]) -> set[str]:
    """Names in a body that mean something outside of it, or something else in a part of it."""
    visible: set[str] = set()
    for node in chain.from_iterable(ast.walk(statement) for statement in body):
        match node:
            case ast.Global(names=names):
                visible |= {*names}
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                visible |= {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
            case ast.arg(arg=name):
                visible.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                visible.add(name)
            case ast.ClassDef(name=name, body=statements):
                visible |= {name, *chain.from_iterable(_bound_names(statement) for statement in statements)}
        visible |= {getattr(parameter, "name", "") for parameter in getattr(node, "type_params", ())}
    return visible


def _replace(body: Sequence[ast.AST], names: set[str], numbers: Iterator[int]) -> None:
    """Replace names by numbers, which no source can contain."""
    new: dict[str, str] = {}

    def number_of(name: str) -> str:
        if name not in names:
            return name
        if name not in new:
            new[name] = f"{next(numbers)}"
        return new[name]

    for node in chain.from_iterable(_in_order(statement) for statement in body):
        match node:
            case ast.Name(id=name):
                node.id = number_of(name)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                node.name = number_of(name)
            case ast.MatchMapping(rest=str(name)):
                node.rest = number_of(name)
            case ast.Nonlocal(names=inner):
                node.names = [number_of(name) for name in inner]
