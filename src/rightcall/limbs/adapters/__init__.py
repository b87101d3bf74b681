"""Adapters: one file for each agent framework, from its hooks to events.

    <framework>.py   openai_agents, langchain, pydantic_ai, …
    sdk_requests     shared by loops that are written with the SDK of a provider

What an adapter is, and what RightCall does with its events, is in `rightcall.agents.observed`. To add one: a file with
a subclass of `Adapter`, a line in `catalog.ADAPTERS`, a row in the adapter tests. A framework is imported when its
adapter is used, never to find out whether it is needed.
"""
