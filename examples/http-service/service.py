"""An agent that is a web service, in its own request and reply shapes. Start it with: python service.py"""

import shop
from stand_in import decide
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


async def chat(request):
    """POST {"question", "conversation"} → {"answer", "steps": [{"tool": {"fn", "args", "gave"}}]}"""
    body = await request.json()
    steps = []
    told = []
    while True:
        text, calls = decide(body["question"], told)
        if not calls:
            return JSONResponse({"answer": text, "steps": steps, "conversation": body["conversation"]})
        told = []
        for name, arguments in calls:
            result = getattr(shop, name)(**arguments)
            told.append((name, result))
            steps.append({"tool": {"fn": name, "args": arguments, "gave": result}})


app = Starlette(routes=[Route("/chat", chat, methods=["POST"])])

if __name__ == "__main__":
    import sys

    import uvicorn

    uvicorn.run(
        app, host="127.0.0.1", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8901, log_level="warning"
    )
