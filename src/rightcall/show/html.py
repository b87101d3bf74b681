"""`report.html`: a self-contained file that works from disk and runs only its own script.

Text of models, tools and datasets reaches the page in two ways: through Jinja2, which escapes it, or inside
base64 that the script turns into text nodes. The Content-Security-Policy names the script and the style sheet by
their hashes, so nothing else could run even if it got in.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

from rightcall.core.codec import encode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import MissingExtraError
from rightcall.improve.run_analysis import analyze_run
from rightcall.records.failure import NO_TOOLS
from rightcall.records.tool import Tool
from rightcall.show.case_elements import Node, as_html, case_drawing
from rightcall.show.charts import confusion_table, distributions
from rightcall.show.rows import Spool
from rightcall.show.text import FILTERS, one_line, visible
from rightcall.show.view.case import case_view
from rightcall.show.view.columns import AGENT_COLUMNS, INDEX_COLUMNS, TOOL_COLUMNS, shown_in, summary_columns
from rightcall.show.view.run import Case, RunReading, RunView
from rightcall.show.view.summary import state_of

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment
    from markupsafe import Markup

    from rightcall.store.sql.store import Store


CASES_IN_PIECE = 50
BUDGET = 8 * 1024 * 1024
"""Maximum bytes of all pieces together, without the index and the page itself."""
HEAD_START = BUDGET // 8
SHORT = 300


class Embedding:
    """Makes pieces of cases as they come, and the index at the end.

    In a piece larger than its share of the budget, texts are cut, so that any report stays small enough to mail and
    open.
    """

    def __init__(self, cases: int, tools: Mapping[str, Tool] = NO_TOOLS) -> None:
        self._tools = tools
        self._share = BUDGET / max(1, cases)
        self._index: list[list[Any]] = []
        self._waiting: list[Any] = []
        self._written = 0
        self.shortened = 0

    def pieces(self, cases: Iterable[Case]) -> Iterator[str]:
        for golden, result in cases:
            view = case_view(golden, result, self._tools)
            self._index.append([column(view) for column in INDEX_COLUMNS.values()])
            self._waiting.append(case_drawing(view))
            if len(self._waiting) == CASES_IN_PIECE:
                yield self._piece()
        if self._waiting:
            yield self._piece()

    def index(self) -> str:
        """A short entry for every case, for the list."""
        return pack_json({"columns": list(INDEX_COLUMNS), "rows": self._index})

    def _piece(self) -> str:
        allowed = len(self._index) * self._share + HEAD_START - self._written
        piece = pack_json(self._waiting)
        if len(piece) > allowed:
            piece = pack_json([shorten_texts(case, SHORT) for case in self._waiting])
            self.shortened += len(self._waiting)
        self._waiting = []
        self._written += len(piece)
        return piece


def pack_json(value: Any) -> str:
    """JSON, deflated, in base64: no character of it means anything to HTML."""
    return base64.b64encode(zlib.compress(encode(value), 9)).decode()


def shorten_texts(value: Any, limit: int) -> Any:
    """The value with every long text cut."""
    if isinstance(value, str):
        return value if len(value) <= limit else f"{value[:limit]}… (cut to keep this file small)"
    if isinstance(value, dict):
        return {key: shorten_texts(item, limit) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shorten_texts(item, limit) for item in value]
    return value


CUT = "<!-- cases -->"
"""Where the template is split to stream the cases."""
STYLES = ("page.css", "report.css", "case.css")
SCRIPTS = ("page.js", "cases.js", "case.js", "keys.js")
HERE = Path(__file__).parent


def write_html(store: Store, run: str, out: IO[bytes]) -> RunView:
    """Write the report of a run; returns the view it shows."""
    environment = html_environment()
    reading = RunReading(store, run)
    embedding = Embedding(reading.stored.results, reading.tools)
    with Spool() as spool:
        for piece in embedding.pieces(reading.cases()):
            spool.write(piece)
        view = reading.view()
        head, tail = _page(environment, reading, view, embedding.shortened).split(CUT)
        out.write(head.encode())
        out.write(_data("index", embedding.index()))
        for number, piece in enumerate(spool.lines()):
            out.write(_data(f"piece-{number}", piece))
        out.write(tail.encode())
    return view


def html_environment(loader: BaseLoader | None = None) -> Environment:
    """The template environment: everything is escaped, and invisible characters are shown."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup, escape
    except ImportError:
        raise MissingExtraError("an HTML report", "jinja2", "web") from None

    def safe_to_see(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=loader or PackageLoader("rightcall.show", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=safe_to_see,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def with_code(text: str) -> Markup:
        """A sentence as HTML: escaped, and what it has in backticks as code."""
        parts = visible(text).split("`")
        if len(parts) % 2 == 0:  # a backtick without its other half
            return escape(visible(text))
        code = Markup("<code>{}</code>")
        return Markup().join(code.format(part) if place % 2 else part for place, part in enumerate(parts))

    environment.filters |= {
        **FILTERS,
        "with_code": with_code,
        "exact": escape,  # for values that are posted back: escaped, otherwise unchanged
        "one_line": one_line,
        "moment": moment,
    }
    environment.globals |= {
        "draw": _markup,
        "summary_columns": summary_columns((), "dashboard"),
        "tool_columns": shown_in(TOOL_COLUMNS, "dashboard"),
        "agent_columns": shown_in(AGENT_COLUMNS, "dashboard"),
    }
    environment.globals |= {"distributions": distributions, "confusion_table": confusion_table}
    return environment


def _markup(*drawn: Node) -> Markup:
    from markupsafe import Markup

    return Markup("".join(map(as_html, drawn)))  # noqa: S704  every text in them is escaped


def _page(environment: Environment, reading: RunReading, view: RunView, shortened: int) -> str:
    """The page as the dashboard shows it, with links within the file."""
    environment.globals |= {"run_link": lambda run, **query: "", "case_link": _case_link}
    return environment.get_template("report.html.j2").render(
        run=reading.stored,
        view=view,
        summary=view.summary,
        state=state_of(reading.stored),
        sentence=view.sentence,
        people=view.people,
        analysis=analyze_run(reading.store, view.run.id) if view.failures else None,
        shortened=shortened,
        **_assets(),
    )


def _case_link(run: str, golden_id: str, trial: int | None = None, **query: object) -> str:
    return f"#/case/{quote(golden_id, safe='')}" + (f"/{trial}" if trial is not None else "")


def moment(stored: str | None) -> str:
    """A stored time as `2026-01-02 03:04`, in UTC; anything else is unchanged."""
    try:
        return datetime.fromisoformat(stored or "").astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return stored or ""


def _assets() -> dict[str, str]:
    style = "".join(map(_asset, STYLES))
    script = '"use strict";\n(() => {\n' + "\n".join(map(_asset, SCRIPTS)) + "\n})();\n"
    policy = _policy(f"script-src {_hash(script)}; style-src {_hash(style)}")
    return {"style": style, "script": script, "policy": policy}


def style_sheet() -> tuple[str, str]:
    """The style sheet of a page without scripts, and the policy that allows nothing else."""
    style = _asset("page.css")
    return style, _policy(f"style-src {_hash(style)}")


def _asset(name: str) -> str:
    return (HERE / "assets" / name).read_text("utf-8")


def _policy(allowed: str) -> str:
    return f"default-src 'none'; {allowed}; img-src data:; base-uri 'none'; form-action 'none'"


def _data(name: str, packed: str) -> bytes:
    return f'<script type="text/plain" id="{name}">{packed}</script>\n'.encode()


def _hash(text: str) -> str:
    digest = base64.b64encode(bytes.fromhex(hex_digest(text))).decode()
    return f"'sha256-{digest}'"
