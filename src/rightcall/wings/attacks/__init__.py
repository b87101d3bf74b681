"""What an attacker could reach through the agent's tools.

subject       a suite, or tools: what an attack is made from
role_text     roles and flows for the terminal and as JSON
commands/     `rightcall attacks`: one file for each command

Roles themselves are derived in `schema/roles/`, which the linter and the guard use too.
"""
