"""DeepEval's files: read as their authors meant them, written so that DeepEval reads the same values.

    names     its fields in their order, and the names a user's file may have for them
    cells     the values of table cells, without guessing
    reading   a row to a golden            tools    its tool calls, to and from RightCall's
    rows      rows of JSON, JSON Lines and CSV files
    writing   goldens to its files, with an error where data would be lost

What DeepEval has no field for (ids, categories, matchers, order, …) is written under `rightcall` in
`additional_metadata` and read back from there, so a file keeps the whole golden and DeepEval can
still read it. Nothing is imported here: most files are not DeepEval's, and `names` is enough to tell.
"""
