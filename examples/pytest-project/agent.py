"""The agent under test. Put your own here."""

from pathlib import Path

import rightcall as rc

HERE = Path(__file__).parent

agent = rc.Agent(
    model=f"scripted:{HERE / 'replies.yaml'}",  # yours: "openai:gpt-5-mini", "anthropic:…", or your own function
    tools=rc.load_tools(HERE / "tools.json"),
    system="You help customers of a small shop. Call a tool only when the request needs one.",
)
