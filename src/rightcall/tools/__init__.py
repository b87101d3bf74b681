"""Tools: their definitions, and everything between a model's call and its result.

definitions/   function: @tool; source: files in any provider's format, modules and servers;
               validate: arguments and results against schemas; offer: which tools a golden offers
runtime/       toolbox: tools ready to be called, mocked or for real; pipeline: one call, stage by stage;
               errors: the error contract
idempotency/   running an operation once, on SQLite or PostgreSQL
faults/        fault plans, their injection, and how the agent coped
worlds/        simulated environments, one file each; state: comparing their states
mcp/           tools of MCP servers, and a toolbox as one

One call goes through the stages of `runtime/pipeline.py`. To add a world, add a file in worlds/; to add a fault, a
name in `faults.plan.FaultType` with its phase and its case in `faults.inject`.
"""
