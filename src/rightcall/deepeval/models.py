"""DeepEval's classes of models have no equivalent: a model is named, with its server, and asked by its name."""

from rightcall.deepeval.names import refuse_names

INSTEAD = (
    'pass model="provider:model", or name the model and its server under [tool.rightcall.models] in pyproject.toml '
    "and pass that name"
)
NAMES = """
DeepEvalBaseLLM DeepEvalBaseEmbeddingModel DeepEvalBaseMLLM GPTModel AzureOpenAIModel AnthropicModel GeminiModel
OllamaModel LocalModel AmazonBedrockModel LiteLLMModel OpenRouterModel GrokModel DeepSeekModel KimiModel
"""

__getattr__ = refuse_names(__name__, dict.fromkeys(NAMES.split(), INSTEAD))
