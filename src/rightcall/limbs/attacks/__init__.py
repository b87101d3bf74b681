"""What an attacker could reach through the agent's tools.

subject       a suite, or tools: what an attack is made from
attack_plan   `rightcall/attacks/1`: carriers, templates with their texts, goals and roles of a plan
suite_key     `attacks` of a suite
attacked_plan a plan of a run with attempts, and what makes them; `rc.attacks`
attempts      attempts: carrier × goal × template × placement; sites: where; goals: what for
canary        values that occur nowhere else, shaped for their place
twins         benign twins: what an agent must still do; requests that must be refused, and attacks written by hand
command       `rightcall attacks`, with roles and flows for the terminal and as JSON

Roles themselves are derived in `schema/roles/`, which the linter and the guard use too.
"""
