"""The built-in metrics that are measured when named, one file for each family.

A metric is a frozen dataclass `MyMetric(Metric)`; its docstring is its page. Adding the class to the file of its family,
or to a new file, is enough to make it available by name.

calls     which tools were called, with which arguments, how often
dialogue  turns, how a conversation ended, what the user was told, and whether it has a source
consent   confirmations and permissions
effects   what the tools did, and what the agent said about it
skills    skills that were loaded, and followed
attacks   what an attack achieved
"""
