"""Whether a dataset is good enough to test with. Nothing here runs an agent.

check            goldens checked against their tools: unknown tools, invalid arguments, contradictions
dataset_quality  too easy, leaked into a prompt, contradicting each other, covering too little
duplicates       texts that are almost the same, and ids used twice
request_templates  requests that are one template filled with other values
statistics       what a dataset holds
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.quality.check import DatasetFinding as DatasetFinding, check_goldens as check_goldens
    from rightcall.quality.dataset_quality import Quality as Quality, QualityCheck as QualityCheck
    from rightcall.quality.duplicates import NearTexts as NearTexts, normalized as normalized
    from rightcall.quality.request_templates import (
        TemplateGroup as TemplateGroup,
        template_clusters as template_clusters,
        template_groups as template_groups,
        template_notice as template_notice,
        with_template_clusters as with_template_clusters,
    )
    from rightcall.quality.statistics import dataset_statistics as dataset_statistics
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "check": "DatasetFinding check_goldens",
            "dataset_quality": "Quality QualityCheck",
            "duplicates": "NearTexts normalized",
            "request_templates": (
                "TemplateGroup template_clusters template_groups template_notice with_template_clusters"
            ),
            "statistics": "dataset_statistics",
        },
    )
