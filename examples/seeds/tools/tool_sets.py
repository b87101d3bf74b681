"""Twenty tools of 200 tokens each are 4,000 tokens in every request. Offer each task only the set it needs.

The agent has all tools, `tool_sets` gives sets of them a name, and a golden names one. The model sees the tools of
that set and no others; scoring holds the agent to the same set.
"""

import rightcall as rc

DOMAINS = {"orders": ("list", "find", "cancel", "refund"), "users": ("list", "find", "invite", "lock")}


def definition(verb, domain):
    return {
        "name": f"{verb}_{domain}",
        "description": f"{verb.capitalize()} {domain} of the shop. Use it for {domain} only. Returns a list of ids.",
        "input_schema": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": f"Words that {domain} should match."}},
            "required": ["query"],
        },
    }


tools = [definition(verb, domain) for domain, verbs in DOMAINS.items() for verb in verbs]
tool_sets = {domain: [f"{verb}_{domain}" for verb in verbs] for domain, verbs in DOMAINS.items()}


def first_tool_offered(request):
    """In place of a model: takes the first tool it can see, and says how many there are."""
    offered = request.prompt.tools
    return rc.Message("assistant", f"{len(offered)} tools", (rc.ToolCall(offered[0].name, {"query": "x"}),))


agent = rc.Agent(rc.scripted(first_tool_offered), tools=tools, tool_sets=tool_sets)
goldens = [
    rc.Golden("Which orders are late?", tool_set="orders", expected_calls=(rc.ExpectedCall("list_orders"),)),
    rc.Golden("Who joined today?", tool_set="users", expected_calls=(rc.ExpectedCall("list_users"),)),
]
run = rc.evaluate(agent, goldens)
for result in run.results:
    print(result.golden_id, result.trajectory.output, [call.name for call in result.trajectory.calls])
assert run.passed and {result.trajectory.output for result in run.results} == {"4 tools"}


def tokens(names):
    return rc.lint([rc.Tool.read(tool) for tool in tools if tool["name"] in names]).tokens


every = tokens([tool["name"] for tool in tools])
one = tokens(tool_sets["orders"])
print(f"{every} tokens in every request, {one} with a set of the tools")
assert one < 0.6 * every
