"""Judging by a model: for what no exact expectation can say. Opt-in, and never needed for anything deterministic.

framing       what the judge is asked, with everything foreign fenced off as data
asking        several votes of a judge, each a structured verdict
cache         verdicts by content and version, so that the same question is paid for once
rubric        a rubric of one's own, and ready ones; conversation: those of conversations
calibration   a judge against people: sensitivity, specificity, the rate that is behind a judged one
"""
