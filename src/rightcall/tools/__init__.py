"""Tools: from files.

load    load_tools, save_tools: JSON and YAML, in any provider's spelling
"""

from rightcall.tools.load import load_tools, save_tools

__all__ = ["load_tools", "save_tools"]
