"""Reading tool definitions with the place of every value, and writing corrections back.

document    a file: its value, the place of a value in it, line and column
json_places where the values of a JSON text stand, looked up only when asked for
yaml_places the same for YAML
edit        corrections as changes of the text, keeping everything else as it was
spellings   tools in a document, in the spelling of any provider
openapi     operations of an OpenAPI document as tools
openapi_schemas   the schemas of such a document, each standing alone
tools       SourceTool, ToolSet: what the engine lints
unclear     what would be passed over in silence, or read otherwise by others
folders     the files of a folder that may hold tools
read        from paths to tool sets
joining     files of one tool each as one set
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
