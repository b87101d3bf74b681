"""What hangs on the core and could be removed: each folder is one limb, entered through `rightcall.core.seam`."""
