"""What stored runs teach.

tool_evidence    which tools were confused and which parameters filled wrongly, and how often
confusion_count  which tool was called where another was expected: the one count that reports and the linter show
rule_evidence    lint rules ranked by what went wrong with the tools they speak of
fault_effects    what faults changed
changed_tools    what became of tool definitions from one run to the next
"""
