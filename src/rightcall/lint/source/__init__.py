"""Reads tool definitions with the location of every value, and writes fixes back.

edit        fixes as text edits, in the style of the file, keeping everything else
spellings   tools in a document, in any provider's format
tools       SourceTool, ToolSet: what the engine lints; plain tools and skills as such a set
read        from paths and folders to tool sets; rejects what parsers read differently
"""
