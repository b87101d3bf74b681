"""A custom metric by its base class: measured alone, in `evaluate` and in `assert_test`."""

from deepeval import assert_test, evaluate
from deepeval.evaluate import DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase


class PolitenessMetric(BaseMetric):
    def __init__(self, threshold: float = 0.5, strict_mode: bool = False, async_mode: bool = True):
        self.threshold = 1 if strict_mode else threshold
        self.strict_mode = strict_mode
        self.async_mode = async_mode
        self.include_reason = True

    def measure(self, test_case: LLMTestCase, *args, **kwargs) -> float:
        try:
            self.score = self.share_of_polite_words(test_case.actual_output)
            self.reason = f"{self.score:.2f} of the polite words"
            self.success = self.score >= self.threshold
            return self.score
        except Exception as error:
            self.error = str(error)
            raise

    async def a_measure(self, test_case: LLMTestCase, *args, **kwargs) -> float:
        return self.measure(test_case)

    def share_of_polite_words(self, text):
        return sum(word in text.lower() for word in ("please", "thank")) / 2

    def is_successful(self) -> bool:
        if self.error is not None:
            self.success = False
        return self.success

    @property
    def __name__(self):
        return "Politeness"


metric = PolitenessMetric(threshold=0.6)
case = LLMTestCase(input="Bye", actual_output="Thank you.")
metric.measure(case)
print("RESULT", metric.score, metric.reason, metric.is_successful(), metric.__name__)

answers = ["Please wait. Thank you.", "Please wait.", "Go away."]
cases = [LLMTestCase(input=str(number), actual_output=text) for number, text in enumerate(answers)]
display = DisplayConfig(print_results=False, show_indicator=False)
result = evaluate(cases, [PolitenessMetric(), PolitenessMetric(async_mode=False)][:1], display_config=display)
for found in sorted(result.test_results, key=lambda one: one.input):
    (data,) = found.metrics_data
    print("RESULT", found.success, data.name, data.score, data.success, data.reason)

assert_test(cases[0], [PolitenessMetric(strict_mode=True)])
for run_async in (True, False):
    try:
        assert_test(cases[2], [PolitenessMetric()], run_async=run_async)
        print("RESULT passed")
    except AssertionError as error:
        print("RESULT failed", "Politeness" in str(error))
