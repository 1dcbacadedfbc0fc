"""The table of Actions in `rules/README.md`, written anew from their files: `python -m app.authoring.actions`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from app.edition import Edition
from app.knowledge import Knowledge
from app.model import PAStatus, Preposition
from app.rules import Domain, load
from app.rules.forms import Action, ComplementForm, EffectForm
from app.rules.syntax import Match, Node, Var
from app.vocab import PREFIXES, TYPE

ROOT = Path(__file__).parents[2]
BEGIN = "<!-- actions: from the files of actions/, written by `make tables` -->\n"
END = "<!-- end of actions -->\n"
_SIGNS = {"add": "+", "remove": "−", "increase": "↑", "decrease": "↓"}
_COMMON = ("rights", "spm")
"""Roles that nearly every Action takes: said once, above the table."""


def table(domain: Domain) -> str:
    """One row for each Action: service, complements, needs, PA Status published and ours, effect."""
    lines = [
        "| Action | service | complements | needs | published | ours | effect |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for action in sorted(domain.actions.values(), key=lambda each: each.name):
        older = f"<br>(older: {', '.join(action.older)})" if action.older else ""
        cells = (
            f"**{action.name}**{older}",
            action.service,
            "<br>".join(_complements(action, domain.knowledge)),
            "<br>".join(_needs(action)) or "none",
            " ".join(_ordered(action.published)),
            " ".join(_ordered(action.ours)),
            "<br>".join(_effects(action)) or "none",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def with_table(text: str, domain: Domain) -> str:
    """A README with its table replaced. Raises ValueError where it has no place for one."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"no place for the table: {BEGIN.strip()} ... {END.strip()}")
    return before + BEGIN + "\n" + table(domain) + "\n" + END + after


def write(root: Path = ROOT) -> None:
    """Write the table of `rules/README.md` anew."""
    edition = Edition(root / "ontologies", root / "rules")
    path = edition.rules / "README.md"
    path.write_text(with_table(path.read_text(encoding="utf-8"), load(edition, [])), encoding="utf-8")


def _complements(action: Action, knowledge: Knowledge) -> list[str]:
    """What it takes after each preposition; what a form of V2.2 needs is bold, older and further forms in italics."""
    said = []
    for form in action.complements:
        if form.role not in _COMMON or form.required or form.preposition is not Preposition.WITH:
            said.append(_complement(form, knowledge))
    further = {form.role for form in action.complements if form.preposition is Preposition.WITH and not form.required}
    common = [role for role in _COMMON if role in further]
    return [*dict.fromkeys(said), *(["+ " + " ".join(common)] if common else [])]


def _complement(form: ComplementForm, knowledge: Knowledge) -> str:
    kinds = " or ".join(kind if kind in {"text", "number"} else knowledge.label(kind) for kind in form.kinds)
    text = f"{form.preposition} {kinds}" + (" ..." if form.repeatable else "")
    notes = [word for word, marked in (("new", form.introduces), ("a kind", form.type)) if marked]
    text += f" ({', '.join(notes)})" if notes else ""
    if form.required:
        return f"**{text}**"
    return text if form.source.startswith("V2.2") else f"*{text}*"


def _needs(action: Action) -> Iterable[str]:
    for need in dict.fromkeys(form.need for form in action.complements if form.need):
        prepositions = dict.fromkeys(form.preposition.value for form in action.complements if form.need == need)
        yield f"{need}: {', '.join(prepositions)}"


def _ordered(statuses: Iterable[PAStatus]) -> list[str]:
    return [status.value for status in sorted(statuses, key=lambda status: status.rank)]


def _effects(action: Action) -> list[str]:
    """The triples of each effect with their sign; `*` where the file says when."""
    said = [line for effect in action.effects for line in _effect(effect)]
    if action.rights_to:
        more = ", withdrawing the opposite" if action.withdraws else ""
        said.append(f"Rights carried: to `?{action.rights_to}`{more}")
    return list(dict.fromkeys(said))


def _effect(effect: EffectForm) -> Iterable[str]:
    mark = "" if effect.when is None and not effect.without and not effect.written else " *"
    for key, triples in effect.says.items():
        for triple in triples:
            yield f"{_SIGNS[key]} `{_triple(triple)}`{mark}"


def _triple(match: Match) -> str:
    predicate = match.path.links[0].predicate
    return f"{_node(match.s)} {'a' if predicate == TYPE else _short(predicate)} {_node(match.o)}"


def _node(node: Node) -> str:
    if isinstance(node, Var):
        return f"?{node.name}"
    return _short(node.term) if isinstance(node.term, str) else str(getattr(node.term, "lexical", node.term))


def _short(iri: str) -> str:
    for prefix, space in PREFIXES.items():
        if iri.startswith(space):
            return f"{prefix}:{iri[len(space) :]}"
    return f"<{iri}>"


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:2]))
