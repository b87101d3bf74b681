"""DeepEval's goldens and datasets."""

from typing import Any

from rightcall.deepeval.evaluation_dataset import EvaluationDataset
from rightcall.deepeval.names import refuse_names
from rightcall.model.golden import ConversationalGolden, Expectations, Golden

__all__ = ["ConversationalGolden", "EvaluationDataset", "Expectations", "Golden", "Persona"]


class GoldenPersona(dict[str, Any]):
    """Who the user of a conversation is: a mapping, as a golden stores it, that can be read by attribute too."""

    def __init__(
        self, characteristics: str, name: str | None = None, metadata: dict[str, Any] | None = None
    ) -> None:
        fields = {"characteristics": characteristics, "name": name, "metadata": metadata}
        super().__init__({field: value for field, value in fields.items() if value is not None})

    def __getattr__(self, field: str) -> Any:
        if field in ("characteristics", "name", "metadata"):
            return self.get(field)
        raise AttributeError(field)


Persona = GoldenPersona

__getattr__ = refuse_names(
    __name__,
    dict.fromkeys(("BackgroundNoiseSettings", "InterruptionBehavior"), "only text is simulated")
    | {"get_current_golden": "the loop over evals_iterator() gives it"},
)
