"""Tools: from files and functions, and everything between a model's call and its result.

load       load_tools, save_tools: JSON and YAML, in any provider's spelling
offer      which tools a golden offers
validate   arguments against schemas
function   @tool: a function as a tool
toolbox    tools ready to be called, mocked or for real
"""

from rightcall.tools.load import load_tools, save_tools
from rightcall.tools.offer import offered_tools

__all__ = ["load_tools", "offered_tools", "save_tools"]
