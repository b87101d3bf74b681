"""The commands of `rightcall attacks`, one file each; `attacks` is their group."""
