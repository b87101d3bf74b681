"""The built-in metrics, one file each: `my_metric.py` defines a frozen dataclass `MyMetric(Metric)`.

Its docstring is its page. Adding a file here is enough to make the metric available by name. The standard dimensions,
which are numbers of one verdict, are together in `dimensions.py`.
"""
