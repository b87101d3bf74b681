"""The token form, shown once."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rightcall.limbs.dashboard.access import COOKIE
from rightcall.limbs.dashboard.links import posted_fields
from rightcall.limbs.dashboard.page_renderer import page

A_MONTH = 30 * 24 * 3600


async def first(request: Request) -> Response:
    """Login: a token in the URL becomes a cookie.

    The response is a page that forwards by itself, not a redirect: a strict cookie is not sent on a redirect
    that started at another site, such as a link in a chat.
    """
    access = request.app.state.access
    if access.is_token(request.query_params.get("token", "")):
        return _set_login_cookie(request, page(request, "welcome.html"))
    return RedirectResponse("/runs", 303)


async def ask(request: Request) -> Response:
    return page(request, "login.html", wrong=False)


async def answer(request: Request) -> Response:
    if not request.app.state.access.is_token(posted_fields(request).get("token", "").strip()):
        return page(request, "login.html", 401, wrong=True)
    return _set_login_cookie(request, RedirectResponse("/runs", 303))


async def leave(request: Request) -> Response:
    answered = RedirectResponse("/login", 303)
    answered.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answered


def _set_login_cookie(request: Request, answered: Response) -> Response:
    answered.set_cookie(
        COOKIE,
        request.app.state.access.session,
        max_age=A_MONTH,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answered


routes = [
    Route("/", first),
    Route("/login", ask),
    Route("/login", answer, methods=["POST"]),
    Route("/logout", leave, methods=["POST"]),
]
