"""The command line. Verbs are the pipeline, nouns are the shelves; one file a command, listed in `main.MENU`."""
