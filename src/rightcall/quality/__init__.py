"""Is a dataset good enough to test with? Nothing here runs an agent.

check            goldens against the tools they speak of: unknown tools, impossible arguments, contradictions
dataset_quality  too easy, leaked into a prompt, contradicting each other, covering too little
near_duplicates  texts that say the same
seen_ids         where each id was first used
statistics       what a dataset holds
"""

from rightcall.quality.check import check_goldens
from rightcall.quality.dataset_quality import Quality, QualityCheck
from rightcall.quality.statistics import dataset_statistics

__all__ = ["Quality", "QualityCheck", "check_goldens", "dataset_statistics"]
