"""`rightcall attacks list`: carriers, goals, templates, places and wraps."""

from __future__ import annotations

import click

from rightcall.cli.options import json_option
from rightcall.cli.output import console, print_json


@click.command("list")
@json_option
def list_attacks(as_json: bool) -> None:
    """List carriers, goals, templates, places and wraps: what an attack is made of."""
    from rightcall.model.safety import CARRIERS, FAMILIES, GOALS, PLACEMENTS, WRAPS
    from rightcall.wings.attacks.attack_plan import AUTO_CARRIERS, MADE
    from rightcall.wings.attacks.templates import DEFAULTS, text_templates

    templates = {
        name: {"carriers": list(template.carriers), "default": name in DEFAULTS, "text": template.text}
        for name, template in text_templates().items()
    }
    carriers = {name: {"default": name in AUTO_CARRIERS, "generated": name in MADE} for name in CARRIERS}
    if as_json:
        parts = {"families": FAMILIES, "carriers": carriers, "goals": GOALS, "templates": templates}
        print_json({**parts, "places": PLACEMENTS, "wraps": WRAPS})
        return
    out = console()
    marks = {name: "" if facts["default"] else " (on request)" for name, facts in carriers.items()}
    marks |= {name: " (only in goldens)" for name, facts in carriers.items() if not facts["generated"]}
    for title, names in (
        ("carriers", [f"{name}{marks[name]}" for name in carriers]),
        ("goals", GOALS),
        ("places", PLACEMENTS),
        ("wraps", WRAPS),
        ("families", FAMILIES),
    ):
        out.say("[bold]{}[/bold]  {}", f"{title:<9}", ", ".join(names), soft_wrap=True)
    out.say("[bold]templates[/bold]")
    for name, facts in templates.items():
        out.say("  [bold]{}[/bold]  {}", f"{name:<13}", facts["text"], soft_wrap=True)
