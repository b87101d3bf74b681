"""Suites with a known defect, and an agent that reacts to it: does `analyze` name the defect?

domains    tools and requests of six subjects; three to tune on, three to report on
reader     the scripted agent: it reads the definitions as they are and errs where they mislead
defects    fifteen ways to spoil a suite
trial      one suite: planted, run, scored and analysed
"""
