"""LLM judges, for what exact expectations cannot express. Opt-in, and never used for anything deterministic.

form          what a judge is asked about a case, with all foreign text fenced off as data, and who the judge is
vote          several votes of a judge, each a verdict or the code of why it is none; the verdict in a text
rubric        custom and ready-made rubrics, also of conversations
bias          where a judge errs: leniency, length, its own family, kinds of cases, time

"""
