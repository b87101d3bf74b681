"""A file tree in memory: every file has a version, and writing asks for the version it is based on."""

from __future__ import annotations

from typing import Any

from rightcall.tools.definitions.function import tool
from rightcall.tools.worlds.base import World


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
