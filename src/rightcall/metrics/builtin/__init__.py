"""The shelf of metrics, one file each: `my_metric.py` holds a frozen dataclass `MyMetric(Metric)`.

Its docstring is its page. A file here can be asked for by name; nothing else needs to be touched.
"""
