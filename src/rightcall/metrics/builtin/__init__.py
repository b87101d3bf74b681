"""The built-in metrics, one file for each family: a metric is a frozen dataclass `MyMetric(Metric)`.

Its docstring is its page. Adding the class to the file of its family, or to a new file, is enough to make the metric
available by name. Each standard dimension is a number of one verdict.

calls        single calls: arguments, schemas, how many
tool_choice  which tools were called
dimensions   the standard dimensions
dialogue     turns, how a conversation ended, what the user was told, and whether it has a source
consent      confirmations and permissions
effects      what the tools did, and what the agent said about it
skills       skills that were loaded, and followed
attacks      what an attack achieved
"""
