"""The dashboard: `rightcall view` serves the contents of a store.

    command     `rightcall view`
    access      who may see it, and which requests may change data
    page_renderer   templates with everything escaped, and the words and numbers in them
    views       what was computed for a run, cached until the run changes
    links       URLs of pages, and the fields of forms
    server      make_app: routes, checks on every request, headers on every response; address, port, Ctrl-C
    pages/      one file per page
    templates/, static/   HTML, CSS and ES modules; nothing is built, nothing is fetched from elsewhere

To add a page: a file in `pages/` with its `routes`, a template, and its link in `templates/base.html`. Pages compute no
numbers: they show what `show.view` and the store return.
"""
