"""Reading tool definitions with the place of every value, and writing corrections back.

document    a file: its value, the place of a value in it, line and column
json_places where the values of a JSON text stand, looked up only when asked for
yaml_places the same for YAML
edit        corrections as changes of the text, in its style, keeping everything else as it was
spellings   tools in a document, in the spelling of any provider
openapi     operations of an OpenAPI document as tools
openapi_schemas   the schemas of such a document, each standing alone
tools       SourceTool, ToolSet: what the engine lints
folders     the files of a folder that may hold tools
read        from paths to tool sets; refuses what others would read otherwise
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.lint.source.read import joined as joined, tool_set as tool_set
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "read": "joined tool_set",
        },
    )
