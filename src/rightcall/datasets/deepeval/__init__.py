"""DeepEval's files: read as DeepEval reads them, written so that DeepEval reads the same values.

    names     its fields in their order, and the names a user's file may have for them; the values of table cells
    reader    rows of JSON, JSON Lines and CSV files to goldens
    tools     its tool calls to ours and back
    writer    goldens to its files, with a refusal where that would lose something

What DeepEval has no field for (ids, categories, matchers, order, …) is written under `rightcall` in
`additional_metadata` and read back from there, so a file keeps the whole golden and DeepEval can
still read it. Nothing is imported here: most files are not DeepEval's, and `names` is enough to find out.
"""
