"""DeepEval's files: read as their authors meant them, written so that DeepEval reads the same.

    names     its fields in their order, and the names a user's file may have for them
    cells     what a cell of a table means: nothing is guessed
    reading   a row to a golden            tools    its tool calls to ours and back
    rows      rows of JSON, JSON Lines and CSV files
    writing   goldens to its files, with a refusal where that would lose something

What DeepEval has no field for (ids, categories, matchers, order, …) is written under `rightcall` in
`additional_metadata` and found again there, so a file keeps all of a golden and DeepEval can still read it.
"""

from rightcall.datasets.deepeval.names import Names, is_deepeval
from rightcall.datasets.deepeval.reading import golden_of
from rightcall.datasets.deepeval.rows import read_deepeval
from rightcall.datasets.deepeval.writing import write_deepeval

__all__ = ["Names", "golden_of", "is_deepeval", "read_deepeval", "write_deepeval"]
