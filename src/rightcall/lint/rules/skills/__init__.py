"""Rules about skills: folders with a `SKILL.md`.

    front_matter  SK101–SK104, SK109, SK110: what a skill is chosen by, and what it is allowed
    body          SK105, SK106, SK111: what is loaded
    references    SK107, SK108: files that the body names
    danger        SK112: commands that destroy, steal or settle in
    hidden        SK113, SK114: text that a reviewer does not see, orders to the model
    overlap       SK115–SK117: skills that are mixed up, named alike, or made from one text

Examples are files of a folder: what they leave out is in order, `null` means that the file is missing.
"""
