"""The commands of `rightcall generate`."""
