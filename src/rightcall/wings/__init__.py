"""What hangs on the core and could be removed: each folder is one wing, entered through `rightcall.core.seam`."""
