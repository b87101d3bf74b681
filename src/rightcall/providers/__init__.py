"""Models by name: `resolve("openai:gpt-5-mini")` returns a provider.

    base        Provider, ModelRequest (with its Prompt and Settings), ModelReply
    resolver    names to providers; what is wrong with one before money is spent
    catalog     models by the names that suites and pyproject.toml give them, and the default model of each role
    endpoint    a model with its server, key, headers, settings, rate and price; endpoint_provider applies them
    hosts       the hosts of providers, and the variables of their SDKs; rate_limit: requests per minute
    http        the one HTTP client; failures, secrets: errors and retry delays, without leaking secrets
    remote      shared by the wire formats; anthropic, openai, openai_responses: one file each
    sdk_client  the user's own client object
    local       a model inside this process; local_prompt, weights: its prompt, and where its file is
    keyword     the baseline without a model; extraction: how it reads
    scripted    answers from a script     recorded    a cassette in one file, replayed
    recordings  record and replay as a mode: one file per golden, including requests of custom agents
    first_requests  digests of the first requests of custom agents, captured without asking a model
    prices      the cost of a call, from prices.json

    remote_agent   agents instead of models: http_agent (http:URL, with http_presets),
                exec_agent (exec:COMMAND) and a2a_agent (a2a:URL, with a2a_wire and a2a_reply);
                exchange, agent_reply: requests to and replies from such an agent

To add one: a file with a subclass of `Provider` and `make(model, options)`, its description in `resolver.SHELVES` and,
if it has a server, its row in `hosts.HOSTS`; or, from another package, an entry point in the group
`rightcall.providers`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.providers.base import (
        ModelReply as ModelReply,
        ModelRequest as ModelRequest,
        Prompt as Prompt,
        Provider as Provider,
        Settings as Settings,
        Stop as Stop,
    )
    from rightcall.providers.catalog import (
        ROLES as ROLES,
        ModelCatalog as ModelCatalog,
        Role as Role,
        bare_model as bare_model,
        line_to_add as line_to_add,
        project_models as project_models,
        read_models as read_models,
    )
    from rightcall.providers.endpoint import ModelEndpoint as ModelEndpoint, overlaid as overlaid
    from rightcall.providers.exchange import Exchange as Exchange
    from rightcall.providers.extraction import words as words
    from rightcall.providers.first_requests.listener import (
        captured_requests as captured_requests,
        watched_requests as watched_requests,
    )
    from rightcall.providers.first_requests.request_digest import (
        CapturedRequest as CapturedRequest,
        FirstRequest as FirstRequest,
        RequestDigester as RequestDigester,
        compared_requests as compared_requests,
        distinct_first_requests as distinct_first_requests,
        read_first_request as read_first_request,
    )
    from rightcall.providers.first_requests.trial import (
        TRIAL as TRIAL,
        CapturedTrial as CapturedTrial,
        WatchedTrial as WatchedTrial,
    )
    from rightcall.providers.hosts import (
        HOSTS as HOSTS,
        Host as Host,
        ServerAddress as ServerAddress,
        address_of as address_of,
        server_of as server_of,
        shown_host as shown_host,
    )
    from rightcall.providers.http import Network as Network, checked_url as checked_url
    from rightcall.providers.keyword import KeywordProvider as KeywordProvider
    from rightcall.providers.prices import (
        Price as Price,
        Prices as Prices,
        built_in_prices as built_in_prices,
        cost as cost,
        load_prices as load_prices,
        price_of as price_of,
    )
    from rightcall.providers.rate_limit import (
        RateLimit as RateLimit,
        TokenBucket as TokenBucket,
        shared_bucket as shared_bucket,
    )
    from rightcall.providers.recordings.canonical import scrubbed as scrubbed
    from rightcall.providers.recordings.case import CURRENT as CURRENT, TapedCase as TapedCase
    from rightcall.providers.recordings.cassette import RecordedTrial as RecordedTrial
    from rightcall.providers.recordings.hooks import HttpHooks as HttpHooks
    from rightcall.providers.recordings.library import (
        SERVED as SERVED,
        Recordings as Recordings,
        with_timings as with_timings,
    )
    from rightcall.providers.recordings.placeholder_keys import placeholder_keys as placeholder_keys
    from rightcall.providers.recordings.provider import TapedProvider as TapedProvider
    from rightcall.providers.recordings.proxy import RecordingProxy as RecordingProxy
    from rightcall.providers.recordings.settings import (
        RECORD_MODES as RECORD_MODES,
        RecordMode as RecordMode,
        RecordSettings as RecordSettings,
    )
    from rightcall.providers.remote import is_this_machine as is_this_machine
    from rightcall.providers.remote_agent import (
        AddressedAgent as AddressedAgent,
        addressed_agent as addressed_agent,
        command_of as command_of,
        is_address as is_address,
    )
    from rightcall.providers.resolver import (
        SHELVES as SHELVES,
        ProviderOptions as ProviderOptions,
        Shelf as Shelf,
        check as check,
        endpoint_of as endpoint_of,
        is_provider as is_provider,
        provider_names as provider_names,
        resolve as resolve,
    )
    from rightcall.providers.sdk_client import client_server as client_server, is_sdk_client as is_sdk_client
    from rightcall.providers.secrets import scrubber as scrubber
    from rightcall.providers.weights import (
        MODELS as MODELS,
        list_models as list_models,
        model_path as model_path,
        pull_model as pull_model,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "base": "ModelReply ModelRequest Prompt Provider Settings Stop",
            "catalog": "ModelCatalog ROLES Role bare_model line_to_add project_models read_models",
            "endpoint": "ModelEndpoint overlaid",
            "exchange": "Exchange",
            "extraction": "words",
            "first_requests.listener": "captured_requests watched_requests",
            "first_requests.request_digest": (
                "CapturedRequest FirstRequest RequestDigester compared_requests distinct_first_requests "
                "read_first_request"
            ),
            "first_requests.trial": "CapturedTrial TRIAL WatchedTrial",
            "hosts": "HOSTS Host ServerAddress address_of server_of shown_host",
            "http": "Network checked_url",
            "keyword": "KeywordProvider",
            "prices": "Price Prices built_in_prices cost load_prices price_of",
            "rate_limit": "RateLimit TokenBucket shared_bucket",
            "recordings.canonical": "scrubbed",
            "recordings.case": "CURRENT TapedCase",
            "recordings.cassette": "RecordedTrial",
            "recordings.hooks": "HttpHooks",
            "recordings.library": "Recordings SERVED with_timings",
            "recordings.placeholder_keys": "placeholder_keys",
            "recordings.provider": "TapedProvider",
            "recordings.proxy": "RecordingProxy",
            "recordings.settings": "RECORD_MODES RecordMode RecordSettings",
            "remote": "is_this_machine",
            "remote_agent": "AddressedAgent addressed_agent command_of is_address",
            "resolver": "ProviderOptions SHELVES Shelf check endpoint_of is_provider provider_names resolve",
            "sdk_client": "client_server is_sdk_client",
            "secrets": "scrubber",
            "weights": "MODELS list_models model_path pull_model",
        },
    )
