"""Reading and writing files; any problem with a file becomes one clear `InputError`.

    checked_read   a path to checked bytes (missing, a folder, empty, binary, UTF-16, byte order mark) or lines
    documents  items of a JSON or YAML document, each with the line where it begins; JSON pointers
    yaml_text  YAML read as JSON would be (007, NO and dates stay text), and written so that others agree
    python_object   `module:attribute`, wherever the module is
    atomic     files are replaced completely or not at all
    git_command   git, without programs that a repository names
    revision   the git branch and commit of a folder
    project_files   the files of a project, by name and hash
    opened_files    which of them a program opens while it runs
    read_variables  which environment variables its code reads
    program_reads   whether a program may read files that its sources do not name
    python_sources  what Python files import, read and name, without running them

Knows nothing about goldens, tools or suites.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.files.atomic import (
        NO_ROOM as NO_ROOM,
        atomic_write as atomic_write,
        reason as reason,
        write_file as write_file,
    )
    from rightcall.files.checked_read import (
        MAX_LINE_BYTES as MAX_LINE_BYTES,
        existing_file as existing_file,
        numbered_lines as numbered_lines,
        open_checked as open_checked,
        read_checked as read_checked,
        refuse_long_line as refuse_long_line,
        unchecked_lines as unchecked_lines,
    )
    from rightcall.files.current_folder import working_folder as working_folder
    from rightcall.files.documents import (
        DOCUMENT_SUFFIXES as DOCUMENT_SUFFIXES,
        DocumentItems as DocumentItems,
        JsonPath as JsonPath,
        at_pointer as at_pointer,
        pointer as pointer,
        pointer_parts as pointer_parts,
        read_document as read_document,
        read_items as read_items,
        refuse_other_format as refuse_other_format,
        value_of as value_of,
    )
    from rightcall.files.opened_files import (
        PROGRAMS as PROGRAMS,
        FileWatch as FileWatch,
        StartedProgram as StartedProgram,
    )
    from rightcall.files.program_reads import possible_reads as possible_reads
    from rightcall.files.project_files import (
        ABSENT as ABSENT,
        ProjectFiles as ProjectFiles,
        content_hash as content_hash,
    )
    from rightcall.files.python_object import (
        is_object_name as is_object_name,
        load_object as load_object,
        module_exists as module_exists,
        search_modules_in as search_modules_in,
    )
    from rightcall.files.python_sources import (
        OF_THE_MACHINE as OF_THE_MACHINE,
        named_files as named_files,
        named_variables as named_variables,
        program_entries as program_entries,
        source_closure as source_closure,
        source_facts as source_facts,
    )
    from rightcall.files.revision import (
        base_commit as base_commit,
        commit_named as commit_named,
        commits_between as commits_between,
        git_revision as git_revision,
        is_ancestor as is_ancestor,
        repository_root as repository_root,
        source_of as source_of,
        unpack_commit as unpack_commit,
    )
    from rightcall.files.yaml_text import (
        JSON_NUMBER as JSON_NUMBER,
        TAG as TAG,
        WORDS as WORDS,
        yaml_dumper as yaml_dumper,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "atomic": "NO_ROOM atomic_write reason write_file",
            "checked_read": (
                "MAX_LINE_BYTES existing_file numbered_lines open_checked read_checked refuse_long_line "
                "unchecked_lines"
            ),
            "documents": (
                "DOCUMENT_SUFFIXES DocumentItems JsonPath at_pointer pointer pointer_parts read_document "
                "read_items refuse_other_format value_of"
            ),
            "opened_files": "PROGRAMS FileWatch StartedProgram",
            "project_files": "ABSENT ProjectFiles content_hash",
            "current_folder": "working_folder",
            "python_object": "is_object_name load_object module_exists search_modules_in",
            "program_reads": "possible_reads",
            "python_sources": "OF_THE_MACHINE named_files named_variables program_entries source_closure source_facts",
            "revision": (
                "base_commit commit_named commits_between git_revision is_ancestor repository_root source_of "
                "unpack_commit"
            ),
            "yaml_text": "JSON_NUMBER TAG WORDS yaml_dumper",
        },
    )
