"""The roles of a toolset, derived once for the linter, the guard and the attacks: from names, schemas and annotations.

derivation      `toolset_roles(tools, plan)`: sources, sinks and guarded tools, each with who said so; and the
                flows between them: external source → private source → send or egress sink
parameters      the class of each parameter: destination, credential, id, text, …; those run as a command, code or SQL;
                the words in names that several rooms look for; leaves of a schema, and which can hold free text
"""
