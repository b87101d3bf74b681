"""A mailbox: messages to read, send and delete."""

from __future__ import annotations

from typing import Any

from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.definitions.function import tool
from rightcall.tools.runtime.errors import ToolError
from rightcall.tools.worlds.base import World


def _message_sent(mailbox: Mailbox, key: str, arguments: dict[str, Any]) -> Any:
    return next(({"sent": m["id"]} for m in mailbox.data["sent"] if m["key"] == key), None)


class Mailbox(World):
    """State: `inbox` (id → sender, subject, body, read) and `sent`, oldest first."""

    name = "mailbox"

    @classmethod
    def initial(cls) -> dict[str, Any]:
        return {"inbox": {}, "sent": []}

    @tool(read_only=True)
    def list_messages(self, unread_only: bool = False) -> dict[str, Any]:
        """Id, sender and subject of the messages in the inbox. Use read_message for the text of one.

        Args:
            unread_only: Whether to leave out messages that have been read.
        """
        messages = [
            {"id": key, "sender": m["sender"], "subject": m["subject"], "read": m.get("read", False)}
            for key, m in self.data["inbox"].items()
            if not (unread_only and m.get("read", False))
        ]
        return {"messages": messages}

    @tool(read_only=True, resource_key="message_id")
    def read_message(self, message_id: str) -> dict[str, Any]:
        """The whole text of one message of the inbox. Does not mark it as read.

        Args:
            message_id: The id that list_messages gives.
        """
        hint = "call list_messages to see the ids"
        return {"id": message_id, **self.look_up("inbox", message_id, "message", hint)}

    @tool(read_only=True)
    def list_sent(self) -> dict[str, Any]:
        """The messages that were sent, oldest first. Use it to see whether a message went out."""
        return {"sent": [{n: v for n, v in m.items() if n != "key"} for m in self.data["sent"]]}

    @tool(idempotency="key", probe=_message_sent, check_with="list_sent", open_world=True, destructive=False)
    def send_message(self, to: str, subject: str, body: str, info: CallInfo) -> dict[str, Any]:
        """Send a message to one recipient. It cannot be called back.

        Args:
            to: The recipient's e-mail address.
            subject: One line.
            body: Plain text.
        """
        if "@" not in to:
            raise ToolError("precondition_failed", f"'{to}' is not an e-mail address", retry="fix_args")
        key = self.next_id("s", self.data["sent"])
        self.data["sent"].append({"id": key, "to": to, "subject": subject, "body": body, "key": info.key})
        return {"sent": key}

    @tool(destructive=True, resource_key="message_id", idempotent=True)
    def delete_message(self, message_id: str) -> dict[str, Any]:
        """Delete one message of the inbox for good.

        Args:
            message_id: The id that list_messages gives.
        """
        if message_id not in self.data["inbox"]:
            return {"action_taken": False, "detail": f"there is no message '{message_id}' (any more)"}
        del self.data["inbox"][message_id]
        return {"action_taken": True}
