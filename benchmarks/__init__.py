"""Benchmarks. `python -m benchmarks` lists them; `python -m benchmarks NAME …` runs one.

A benchmark is a file with a docstring and a `main()`; what is common to several lives in files without one. Machines
differ and are seldom idle, so each figure is shown with a ratio: the same work against a bare loop over the bare
operation, in the same process and the same minute. Compare ratios between machines, not seconds.
"""
