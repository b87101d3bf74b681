"""`rightcall mcp`: call tools, serve things over MCP, record and verify MCP servers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import click

from rightcall.cli.command_options import CommandGroup, RealOption, source_argument
from rightcall.cli.interrupt import run_interruptible, run_stdio_server
from rightcall.cli.output import console, print_json, tell
from rightcall.core.codec import decode
from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.seam import load
from rightcall.store.address import store_address

CONTRACTS = ("record", "verify")
PROXY = "127.0.0.1:8931"
OPTIONS = {
    "RightCall": ("read_only", "trust", "store_url"),
    "a recording": ("address", "strict", "order"),
    "a suite": ("address", "to", "mode"),
    "tools": ("address", "real", "store_url"),
}
"""What is served, and the options that have a meaning for it."""


class McpGroup(CommandGroup):
    """A group with the commands of a limb, imported when used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *CONTRACTS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in CONTRACTS:
            return super().get_command(ctx, cmd_name)
        command: click.Command = load("services", f"mcp_{cmd_name}")
        return command


@click.group(cls=McpGroup)
def mcp() -> None:
    """Call a tool; serve RightCall, tools or a recording over MCP; record and verify MCP servers."""


@mcp.command()
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
        latency = invocation.call.latency_ms
        replayed = invocation.replayed
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


@mcp.command()
@click.argument("what", default=".")
@click.pass_context
def serve(
    context: click.Context,
    what: str,
    address: Annotated[
        str | None,
        Option("Serve over HTTP at /mcp", flags=("--http",), metavar="HOST:PORT", default="stdio"),
    ] = None,
    real: RealOption = False,
    strict: Annotated[
        bool,
        Option("Recording: exit with 1 if a call was not recorded, or a recorded call was never made"),
    ] = False,
    order: Annotated[
        Literal["any", "recorded"],
        Option("Recording: with recorded, exit with 1 if calls came in another order"),
    ] = "any",
    to: Annotated[
        str,
        Option("Suite: the server that requests go to, such as https://api.openai.com", metavar="URL"),
    ] = "",
    mode: Annotated[
        Literal["auto", "refresh", "replay"],
        Option(
            "Suite: auto replays recorded trials and records the others, refresh asks the model every time, "
            "replay never asks it",
            flags=("--record",),
        ),
    ] = "auto",
    read_only: Annotated[bool, Option("RightCall: only tools that change nothing and call no model")] = False,
    trust: Annotated[
        bool, Option("RightCall: suites may run, which can start programs and import modules")
    ] = False,
    store_url: StoreOption = None,
) -> None:
    """Serve WHAT, over MCP on stdio if nothing else is said.

    A folder: RightCall itself, for a coding assistant, which reads and writes nothing outside of it. It can lint and
    fix tool definitions, check goldens, run suites, look at and compare runs. Register it as `rightcall mcp serve`.

    Tools (a file of definitions, `module:attribute`): validated, with idempotency and the error contract.

    A recording of `mcp record`: the server that was recorded, the same definitions, the same answers. A call that is
    not recorded is answered with an error `not_recorded` that names the nearest recorded call.

    A suite, with --to: its recorded model answers, through a local proxy, for an agent that is a program. Point the
    program at http://127.0.0.1:8931/GOLDEN/TRIAL/… instead of the server; it is sent the golden's id and the trial.
    Recordings go to recordings/SUITE/served.
    """
    kind = _kind(what, to)
    _refuse_others(context, kind)
    where = host_and_port(address) if address else None
    if kind == "RightCall":
        import os

        os.chdir(what)
        run_stdio_server(
            load("services", "assistant")(Path.cwd(), store_url, trust=trust, read_only=read_only)
        )
    elif kind == "a recording":
        load("services", "mcp_serve")(Path(what), where, strict=strict, in_order=order == "recorded")
    elif kind == "a suite":
        run_interruptible(_serve_answers(Path(what), to, mode, host_and_port(address or PROXY)))
    else:
        _serve_tools(what, where, _keys(real, store_url))


def _kind(what: str, to: str) -> str:
    """What is to be served, one of `OPTIONS`."""
    path = Path(what)
    if path.is_dir():
        return "RightCall"
    if to:
        return "a suite"
    if path.suffix == ".jsonl":
        return "a recording"
    if path.is_file():
        with path.open("rb") as file:
            return "a recording" if b'"rightcall/mcp/' in file.read(4096) else "tools"
    return "tools"


def _refuse_others(context: click.Context, kind: str) -> None:
    """Refuse an option that was typed and has no meaning for what is served."""
    for option in context.command.params:
        typed = context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
        if typed and isinstance(option, click.Option) and option.name not in OPTIONS[kind]:
            raise click.UsageError(f"{option.opts[0]} is not for {kind}")


async def _serve_answers(file: Path, server: str, mode: str, where: tuple[str, int]) -> None:
    """Serve the recorded model answers of a suite until Ctrl-C."""
    import asyncio

    import msgspec
    from aiohttp import web

    from rightcall.recording.library import SERVED, Recordings
    from rightcall.recording.proxy import RecordingProxy
    from rightcall.run.suite_actions import record_settings, recordings_of_suite

    suite, folder = recordings_of_suite(file)
    kept = Recordings(msgspec.structs.replace(record_settings(suite), mode=mode), folder / SERVED)
    runner = web.AppRunner(RecordingProxy(kept, server).app(), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, *where)
        try:
            await site.start()
        except OSError as error:
            problem = f"cannot bind port {where[1]}: {error.strerror}; choose another with --http"
            raise ConfigError(problem) from None
        bound = runner.addresses[0][1]
        tell(f"recording proxy on http://{where[0]}:{bound}/GOLDEN/TRIAL; press Ctrl-C to stop")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def _serve_tools(source: str, address: tuple[str, int] | None, keys: Any) -> None:
    import asyncio

    serving = _serve(source, address, keys)
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
    from rightcall.records.call import ToolCall
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
