"""Reading and writing files; any problem with a file becomes one clear `InputError`.

    checked_read   a path to checked bytes (missing, a folder, empty, binary, UTF-16, byte order mark) or lines
    documents  items of a JSON or YAML document, each with the line where it begins; JSON pointers
    places     a JSON or YAML document with the place of every value in its text
    yaml_text  YAML read as JSON would be (007, NO and dates stay text), and written so that others agree
    python_object   `module:attribute`, wherever the module is
    atomic     files are replaced completely or not at all
    ci_report  remarks at lines of files for CI servers: SARIF, GitHub, GitLab
    revision   git, without programs that a repository names; the branch and commit of a folder
    project_files   the files of a project, by name and hash
    file_digests    a digest of what a file means, equal for edits that cannot change what a program does
    local_names     names of local variables made equal, for `file_digests`
    source_use      what a program reads of its source, for `file_digests`
    opened_files    which of them a program opens while it runs, and which environment variables its code reads
    python_sources  what files import and name, without running them; syntax trees, also in threads
    skill_text      front matter and body of a `SKILL.md`
    agent_instructions   skills, commands, agents and notes in the usual places of a project
    skill_folder    folders with a `SKILL.md`, found and read; links are not followed

Knows nothing about goldens, tools or suites.
"""
