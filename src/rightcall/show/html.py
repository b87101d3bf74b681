"""`report.html`: a self-contained file that works from disk and runs only its own script.

Text of models, tools and datasets reaches the page in two ways: through Jinja2, which escapes it, or inside
base64 that the script turns into text nodes. The Content-Security-Policy names the script and the style sheet by
their hashes, so nothing else could run even if it got in.
"""

from __future__ import annotations

import base64
from importlib.resources import files
from typing import IO, TYPE_CHECKING, Any

from rightcall.core.digest import hex_digest
from rightcall.core.errors import MissingExtraError
from rightcall.improve.run_analysis import analyze_run
from rightcall.run.suite_history import suite_history
from rightcall.show.charts import charts, to_svg
from rightcall.show.funnel import funnel_chart, funnel_rows, funnel_title, worth_showing
from rightcall.show.html_cases import Embedding
from rightcall.show.numbers import FILTERS
from rightcall.show.rows import Spool
from rightcall.show.text import visible
from rightcall.show.view.columns import AGENT_COLUMNS, TOOL_COLUMNS, shown_in, summary_columns
from rightcall.show.view.floor import short_floor
from rightcall.show.view.run import RunTally, RunView, cases_of, with_search
from rightcall.show.view.run_tools import tools_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from rightcall.improve.findings import Analysis
    from rightcall.store.sql.store import Store

CUT = "<!-- cases -->"
"""Where the template is split to stream the cases."""
STYLES = ("report.css", "case.css")
SCRIPTS = ("page.js", "cases.js", "case.js", "keys.js")
HERE = files("rightcall.show")


def write_html(store: Store, run: str, out: IO[bytes]) -> RunView:
    """Write the report of a run; returns the view it shows."""
    environment = html_environment()
    stored = store.runs.get(run)
    tools = tools_of(store, stored)
    tally, embedding = RunTally(tools), Embedding(stored.results, tools)
    with Spool() as spool:
        for golden, result in cases_of(store, stored.id):
            tally.add(golden, result)
            for piece in embedding.add(golden, result):
                spool.write(piece)
        for piece in embedding.rest():
            spool.write(piece)
        view = with_search(store, tally.view(stored, suite_history(store, stored)))
        analysis = analyze_run(store, stored.id) if view.failures else None
        head, tail = _page(environment, view, analysis, embedding.shortened).split(CUT)
        out.write(head.encode())
        out.write(_data("index", embedding.index()))
        for number, piece in enumerate(spool.lines()):
            out.write(_data(f"piece-{number}", piece))
        out.write(tail.encode())
    return view


def html_environment() -> Environment:
    """The template environment: everything is escaped, and invisible characters are shown."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise MissingExtraError("an HTML report", "jinja2", "web") from None

    def safe_to_see(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("rightcall.show", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=safe_to_see,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    return environment


def _page(environment: Environment, view: RunView, analysis: Analysis | None, shortened: int) -> str:
    template = environment.get_template("report.html.j2")
    shown = charts(view)
    return template.render(
        view=view,
        analysis=analysis,
        charts=shown,
        funnels=[
            (funnel_title(funnel), funnel_rows(funnel), to_svg(funnel_chart(funnel)))
            for funnel in worth_showing(analysis.funnels if analysis else ())
        ],
        groups=summary_columns((), "html"),
        tools=shown_in(TOOL_COLUMNS, "html"),
        agents=shown_in(AGENT_COLUMNS, "html"),
        shortened=shortened,
        floor=short_floor(view.summary.floor),
        **_assets(),
    )


def _assets() -> dict[str, str]:
    style = "".join((HERE / "assets" / name).read_text("utf-8") for name in STYLES)
    parts = ((HERE / "assets" / name).read_text("utf-8") for name in SCRIPTS)
    script = '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return {"style": style, "script": script, "policy": policy}


def style_sheet() -> tuple[str, str]:
    """The style sheet of a page without scripts, and the policy that allows nothing else."""
    style = (HERE / "assets" / "report.css").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return style, policy


def _data(name: str, packed: str) -> bytes:
    return f'<script type="text/plain" id="{name}">{packed}</script>\n'.encode()


def _hash(text: str) -> str:
    digest = base64.b64encode(bytes.fromhex(hex_digest(text))).decode()
    return f"'sha256-{digest}'"
