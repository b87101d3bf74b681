"""Two worlds of tests: users whose accounts can be deleted, and files with versions."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.tools.definitions.function import tool
from rightcall.tools.worlds.base import World


def _what_is_lost(world: Accounts, arguments: dict[str, Any]) -> str:
    user = world._user(arguments["user_id"])
    return f"the account of {user['name']} ({user['email']}) and all its data would be deleted for good"


class Accounts(World):
    """State: `users` (id → name, email, status, sessions) and `audit`, oldest first."""

    name = "accounts"

    @classmethod
    def initial(cls) -> dict[str, Any]:
        return {"users": {}, "audit": []}

    @tool(read_only=True)
    def find_users(self, text: str = "") -> dict[str, Any]:
        """Users whose name or e-mail address holds a text. Use it to find the id of a user.

        Args:
            text: Part of a name or an address; empty for all users.
        """
        folded_text = text.casefold()
        users = [
            {"user_id": key, "name": user["name"], "email": user["email"]}
            for key, user in self.data["users"].items()
            if folded_text in f"{user['name']} {user['email']}".casefold()
        ]
        return {"users": users}

    @tool(read_only=True, resource_key="user_id")
    def get_user(self, user_id: str) -> dict[str, Any]:
        """Name, e-mail address, status and number of open sessions of one user.

        Args:
            user_id: The id that find_users gives, such as "usr_001".
        """
        return {"user_id": user_id, **self._user(user_id)}

    @tool(destructive=False, idempotent=True, resource_key="user_id")
    def deactivate_user_session(
        self, user_id: str, reason: Literal["user_request", "security_incident", "admin_action"]
    ) -> dict[str, Any]:
        """End all sessions of a user, who has to log in again. The account and its data stay as they are.

        Use it to log a user out or to lock out an intruder. Do not use it to delete anything.

        Args:
            user_id: The id that find_users gives.
            reason: Why, for the audit log.
        """
        user = self._user(user_id)
        if not user.get("sessions", 0):
            return {"action_taken": False, "detail": "the user has no open session"}
        user["sessions"] = 0
        self.data["audit"].append({"action": "sessions_ended", "user_id": user_id, "reason": reason})
        return {"action_taken": True}

    @tool(destructive=True, resource_key="user_id", confirmation="preview", preview=_what_is_lost)
    def permanently_delete_account(self, user_id: str) -> dict[str, Any]:
        """Delete a user's account and all its data for good. PERMANENT: nothing can be restored.

        Use it only when the user has asked for the deletion of the account and confirmed it. Do not use it
        to log a user out or to take away access for a time: use deactivate_user_session.

        Args:
            user_id: The id that find_users gives.
        """
        self._user(user_id)
        del self.data["users"][user_id]
        self.data["audit"].append({"action": "account_deleted", "user_id": user_id})
        return {"action_taken": True}

    def _user(self, user_id: str) -> Any:
        hint = "call find_users with part of the name or the e-mail address to find the id"
        return self.look_up("users", user_id, "user", hint)


def _version(tree: FileTree, arguments: dict[str, Any]) -> int:
    """0 for a path never used. Versions only grow, so a file changed and changed back is not the same."""
    return int(tree.data["versions"].get(arguments["path"], 0))


class FileTree(World):
    """State: `files` (path → text) and `versions` (path → how often it was changed)."""

    name = "file_tree"

    @classmethod
    def initial(cls) -> dict[str, Any]:
        return {"files": {}, "versions": {}}

    @tool(read_only=True)
    def list_files(self, folder: str = "") -> dict[str, Any]:
        """The paths of all files in a folder and below it.

        Args:
            folder: Such as "notes/"; empty for all.
        """
        return {"files": sorted(path for path in self.data["files"] if path.startswith(folder))}

    @tool(read_only=True, resource_key="path")
    def read_file(self, path: str) -> dict[str, Any]:
        """The text of a file and its version, which write_file asks for.

        Args:
            path: Such as "notes/todo.txt".
        """
        text = self.look_up("files", path, "file", "call list_files to see the paths")
        return {"path": path, "text": str(text), "version": self.data["versions"].get(path, 0)}

    @tool(destructive=True, resource_key="path", current_version=_version)
    def write_file(self, path: str, text: str, expected_version: int) -> dict[str, Any]:
        """Write a whole file, making it if there is none. Refused when the file has changed meanwhile.

        Args:
            path: Such as "notes/todo.txt".
            text: The new text of the whole file.
            expected_version: The version that read_file gave; 0 for a new file.
        """
        if self.data["files"].get(path) == text:
            return {"action_taken": False, "version": expected_version}
        self.data["files"][path] = text
        return {"action_taken": True, "version": self._next_version(path)}

    @tool(destructive=True, idempotent=True, resource_key="path")
    def delete_file(self, path: str) -> dict[str, Any]:
        """Delete one file for good.

        Args:
            path: The file to delete.
        """
        if path not in self.data["files"]:
            return {"action_taken": False, "detail": f"there is no file '{path}' (any more)"}
        del self.data["files"][path]
        self._next_version(path)
        return {"action_taken": True}

    def _next_version(self, path: str) -> int:
        self.data["versions"][path] = int(self.data["versions"].get(path, 0)) + 1
        return int(self.data["versions"][path])
