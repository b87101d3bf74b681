"""Models by name: `resolve("openai:gpt-5-mini")` returns a provider.

    base        Provider, ModelRequest (with its Prompt and Settings), ModelReply
    resolver    names to providers; what is wrong with one before money is spent; provider_kinds: every kind of provider
    catalog     models by the names that suites and pyproject.toml give them, and the default model of each role
    endpoint    a model with its server, key, headers, settings, rate and price, and their application
    hosts       the hosts of providers, and the variables of their SDKs; rate_limit: requests per minute
    http        the one HTTP client; failures: errors and retry delays, without leaking secrets
    remote      shared by the wire formats; anthropic, openai, bedrock, gemini: one file each
    sdk_client  the user's own client object
    local       a model inside this process; weights: where its file is
    keyword     the baseline without a model
    scripted    answers from a script     recorded    answers recorded and replayed by `rightcall.recording`
    prices      the cost of a call, from prices.json

To add one: a subclass of `RemoteProvider`, or another class with `of(model, options)`, in `resolver.CLASSES`; its
description in `provider_kinds.SHELVES` and, if it has a server, its row in `hosts.HOSTS`; or, from another package,
an entry point in the group `rightcall.providers`.
"""
