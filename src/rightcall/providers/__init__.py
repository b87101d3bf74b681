"""Models that can be asked, by name: `resolve("openai:gpt-5-mini")` gives a provider.

    base        Provider, ModelRequest (with its Prompt and Settings), ModelReply
    resolve     names to providers; what is wrong with one before money is spent
    http        the one HTTP client; failures, retry_after, secrets: what can go wrong, said safely
    remote      what the wire formats share; anthropic, openai, openai_responses: one file each
    sdk_client  a client object of the user's own
    local       a model inside this process; local_prompt, weights: how it is asked, where its file is
    keyword     the baseline without a model; words, extraction: how it reads
    scripted    answers out of a script     recorded    cassettes: record once, replay for ever
    prices      what a call costs, from prices.json

    addressed   agents instead of models: http_agent (http:URL) and exec_agent (exec:COMMAND);
                exchange, json_path, agent_reply: how such an agent is asked and understood

To add one: a file with a subclass of `Provider`, a line in `resolve.SHELVES` and one in `_MAKERS`; or, from
another package, an entry point in the group `rightcall.providers`.
"""

from rightcall.providers.base import ModelReply, ModelRequest, Prompt, Provider, Settings, Stop
from rightcall.providers.http import Network
from rightcall.providers.prices import Price, Prices, built_in_prices, cost, load_prices, price_of
from rightcall.providers.resolve import SHELVES, Options, Shelf, check, provider_names, resolve
from rightcall.providers.weights import list_models, model_path, pull_model

__all__ = [
    "SHELVES",
    "ModelReply",
    "ModelRequest",
    "Network",
    "Options",
    "Price",
    "Prices",
    "Prompt",
    "Provider",
    "Settings",
    "Shelf",
    "Stop",
    "built_in_prices",
    "check",
    "cost",
    "list_models",
    "load_prices",
    "model_path",
    "price_of",
    "provider_names",
    "pull_model",
    "resolve",
]
