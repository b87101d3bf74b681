"""Styles and scripts: read once at the start, so that no request ever becomes a path on disk."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.core.digest import digest_of_parts

FOLDER = Path(__file__).parent / "static"
CASE_STYLE = Path(__file__).parents[1] / "assets" / "case.css"
"""The style of a case, the same as in a report."""
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Assets:
    """Every file by name. `stamp` changes when any of them does: it is part of their URLs."""

    def __init__(self) -> None:
        self.files = {
            path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in KINDS
        }
        self.files["style.css"] += CASE_STYLE.read_bytes()
        self.stamp = digest_of_parts(self.files.values(), 10)


async def asset(request: Request) -> Response:
    """One file. Modules import each other without a stamp, so they are requested again each time."""
    name = request.path_params.get("name", "mark.svg")
    content = request.app.state.assets.files.get(name)
    if content is None:
        raise HTTPException(404)
    stamped = request.query_params.get("v") == request.app.state.assets.stamp
    keep = "public, max-age=31536000, immutable" if stamped else "no-cache"
    return Response(content, media_type=KINDS[Path(name).suffix], headers={"cache-control": keep})


routes = [Route("/static/{name}", asset), Route("/favicon.ico", asset)]
