"""A definition has three parts: a name, a description and a schema. The linter reads all three like a model.

The name says what is done to what. The description says when to use the tool, when not, and what it does to the
world. Each parameter is described, a closed list of values is an enum, and only what is always needed is required.
"""

import rightcall as rc

SEND_EMAIL = {
    "name": "send_email",
    "description": (
        "Send one transactional e-mail to one recipient. Use it for messages that an event in the system triggers: a "
        "password reset, an order confirmation. Do not use it for newsletters or several recipients. Once sent, an "
        "e-mail cannot be taken back. Returns the id of the message."
    ),
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "to": {"type": "string", "format": "email", "description": "Address, such as lan@example.com."},
            "subject": {"type": "string", "maxLength": 60, "description": "Subject line, at most 60 characters."},
            "body": {"type": "string", "description": "Plain text without HTML tags."},
            "template_id": {
                "type": "string",
                "enum": ["password_reset", "order_confirm", "welcome"],
                "description": "A prepared text that replaces subject and body. Leave it out to send your own text.",
            },
            "idempotency_key": {
                "type": "string",
                "description": "The same for every attempt to send this e-mail, such as order_confirm_A-7.",
            },
        },
        "required": ["to", "subject", "body", "idempotency_key"],
    },
}  # fmt: skip

VAGUE = {
    "name": "email",
    "description": "Email.",
    "input_schema": {
        "type": "object",
        "properties": {"to": {}, "template_id": {}},
        "required": ["to", "template_id"],
    },
}

good = [found for found in rc.lint([rc.Tool.read(SEND_EMAIL)]).diagnostics if found.severity == "error"]
bad = {found.rule for found in rc.lint([rc.Tool.read(VAGUE)]).diagnostics}

print("send_email:", good or "no errors")
print("email:", ", ".join(sorted(bad)))
assert not good
assert {"no-verb", "param-no-description"} <= bad
