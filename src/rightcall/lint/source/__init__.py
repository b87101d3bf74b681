"""Reads tool definitions with the location of every value, and writes fixes back.

document    a file: its value, and the line and column of each value
json_places locations of values in JSON text, computed on demand
yaml_places the same for YAML
edit        fixes as text edits, in the style of the file, keeping everything else
spellings   tools in a document, in any provider's format
openapi     operations of an OpenAPI document as tools, with self-contained schemas
tools       SourceTool, ToolSet: what the engine lints; plain tools and skills as such a set
read        from paths and folders to tool sets; rejects what parsers read differently
"""
