"""DeepEval's files: read as their authors meant them, written so that DeepEval reads the same.

    names     its fields in their order, and the names a user's file may have for them
    cells     what a cell of a table means: nothing is guessed
    reader    rows of JSON, JSON Lines and CSV files to goldens
    tools     its tool calls to ours and back
    writer    goldens to its files, with a refusal where that would lose something

What DeepEval has no field for (ids, categories, matchers, order, …) is written under `rightcall` in
`additional_metadata` and found again there, so a file keeps all of a golden and DeepEval can
still read it. Nothing is imported here: most files are not DeepEval's, and telling that takes `names` alone.
"""
