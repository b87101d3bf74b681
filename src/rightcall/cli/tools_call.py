"""`rightcall tools call` and `rightcall tools serve`: run one tool, or serve tools to MCP clients."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click

from rightcall.cli.command_options import DeclaredCommand, RealOption, source_argument
from rightcall.cli.interrupt import run_interruptible, run_stdio_server
from rightcall.cli.output import console, print_json, tell
from rightcall.core.codec import decode
from rightcall.core.errors import InputError, suggestion
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.redaction.clean_text import scrubber
from rightcall.store.address import store_address


@click.command("call", cls=DeclaredCommand)
@source_argument
@click.argument("name")
def call(
    source: str,
    name: str,
    arguments: Annotated[str, Option("Arguments as a JSON object", flags=("--args",), metavar="JSON")] = "{}",
    pairs: Annotated[
        tuple[str, ...],
        Option(
            "One argument; the value is JSON or text (repeatable)", flags=("--arg",), metavar="NAME=VALUE"
        ),
    ] = (),
    real: RealOption = False,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Call one tool of SOURCE as an agent would: validated, under a deadline, with the same errors.

    SOURCE is a file of definitions, a Python `package.module:attribute`, or `mcp:COMMAND` for an MCP server.
    MCP tools are really called; functions only with --real. Exit code 1 if the call failed.

    A real call with an idempotency key runs once: for 24 hours, the same key from this or another process returns
    the first result. The keys are kept in the result store.
    """
    values = read_arguments(arguments, pairs)
    real = real or source.startswith("mcp:")
    invocation = run_interruptible(_call_tool(source, name, values, real=real, store_url=store_url))
    output = invocation.call.output
    if as_json:
        latency, replayed = invocation.call.latency_ms, invocation.replayed
        numbers = {"latency_ms": latency, "replayed": replayed}
        print_json({"outcome": invocation.outcome, "output": output, **numbers})
    elif isinstance(output, str):
        tell(output)
    else:
        print_json(output)
    if invocation.replayed:
        tell("already done under this idempotency key; returned the earlier result", err=True)
    if invocation.error is not None:
        click.get_current_context().exit(1)


@click.command("serve", cls=DeclaredCommand)
@source_argument
def serve(
    source: str,
    address: Annotated[
        str | None, Option("Serve over HTTP at /mcp [default: stdio]", flags=("--http",), metavar="HOST:PORT")
    ] = None,
    real: RealOption = False,
    store_url: StoreOption = None,
) -> None:
    """Serve the tools of SOURCE over MCP, with validation, idempotency and the error contract."""
    import asyncio

    serving = _serve(source, host_and_port(address) if address else None, _keys(real, store_url))
    if address:
        asyncio.run(serving)
    else:
        run_stdio_server(serving)


def read_arguments(text: str, pairs: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of `--args` and `--arg` combined."""
    arguments: dict[str, Any] = decode(text.encode("utf-8", "surrogatepass"), dict[str, Any], "--args")
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise InputError("--arg", f"'{pair}' has no '='", "write it as name=value")
        arguments[name] = _value(value)
    return arguments


def _value(text: str) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


async def _call_tool(
    source: str, name: str, arguments: dict[str, Any], *, real: bool, store_url: str | Path | None
) -> Any:
    from rightcall.model.call import ToolCall
    from rightcall.tools.definitions.source import open_source
    from rightcall.tools.runtime.errors import Aborted
    from rightcall.tools.runtime.toolbox import Toolbox

    async with open_source(source) as tools:
        box = Toolbox(tools, execute="real" if real else "mock", idempotency=_keys(real, store_url))
        names = [tool.name for tool in box.tools]
        if name not in names:
            hint = suggestion(name, names) or f"available: {', '.join(names) or 'none'}"
            raise InputError(source, f"no such tool '{name}'", hint)
        try:
            return await box.invoke(ToolCall(name, arguments, "call_1"), box.context(run="cli", task=name))
        except Aborted as stop:
            console().print(f"stopped: {stop.reason}", style="red")
            return stop.invocations[0]


async def _serve(source: str, address: tuple[str, int] | None, keys: Any) -> None:
    from rightcall.tools.definitions.source import open_source
    from rightcall.tools.mcp.server import serve_http, serve_stdio
    from rightcall.tools.runtime.toolbox import Toolbox

    async with open_source(source) as tools:
        box = Toolbox(tools, execute="real" if keys else "mock", idempotency=keys)
        await (serve_http(box, *address) if address else serve_stdio(box))


def _keys(real: bool, store_url: str | Path | None) -> Any:
    """The idempotency keys of real calls, shared between processes; None for mocks."""
    if not real:
        return None
    from rightcall.tools.idempotency.guard import Idempotency
    from rightcall.tools.idempotency.key_location import key_store

    address = store_address(store_url)
    return Idempotency(key_store(address.file, address.url, scrubber()))


def host_and_port(address: str) -> tuple[str, int]:
    """`127.0.0.1:8900` as host and port."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        raise InputError("--http", f"'{address}' has no port", "write it as 127.0.0.1:8900")
    return host or "127.0.0.1", int(port)
