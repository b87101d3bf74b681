"""The command line. Verbs are the pipeline, nouns are the shelves; one file per command, listed in `main.MENU`.

collector        the garbage collector in a command's process
command_options  the options of a command from the class that declares them
drafts           drafts under review: those of a file, or the draft of a dataset in the store
driver_process   a command on Ray, in a child process whose end is always reported
interrupt        Ctrl-C, SIGTERM and SIGHUP: the first stops a command cleanly, the second immediately
judge_labels     labels of people for `rightcall judge`: label, settle, export and import them
output           how commands write to the terminal: text, JSON, hints and workflow commands
run_execution    one plan run by a command
"""
