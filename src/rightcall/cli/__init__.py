"""The command line. Verbs are the pipeline, nouns are the shelves; one file per command, listed in `main.MENU`."""
