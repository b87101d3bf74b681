"""LLM judges, for what exact expectations cannot express. Opt-in, and never used for anything deterministic.

frame         the judge's prompt, with all foreign text fenced off as data
question      several votes of a judge, each a structured verdict
vote          one answer as a vote, or the code of why it is none; verdict_text: the verdict in a text
form          what a judge is asked about a case, and who the judge is: stored with a run
rubric        custom and ready-made rubrics; conversation: those of conversations
bias          where a judge errs: leniency, length, position, its own family, kinds of cases, time
calibration   deprecated: counts of a judge's errors; `rightcall.judged_rate` takes its place
"""
