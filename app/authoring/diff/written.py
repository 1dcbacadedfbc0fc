"""A Difference for programs (JSON) and for a pull request (Markdown); app/cli/comparing.py writes it for readers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from app.authoring.diff.difference import Change, Consequence, Difference, Flip, FlipKind
from app.authoring.diff.said import prefixed

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_MOST_SHOWN: Final = 200
"""Lines of one folded list: a pull request takes 65,536 characters."""
_LARGEST: Final = 60_000


@dataclass(frozen=True, slots=True)
class Group:
    """Flips that are one for a reader: the same question, in several plans, with the same answers and cause."""

    first: Flip
    others: tuple[Flip, ...] = ()

    @property
    def source(self) -> str:
        """Where it is asked."""
        more = f" and {len(self.others)} more" if self.others else ""
        return f"{'a probe' if self.first.source.startswith('probe:') else self.first.source}{more}"


def grouped(flips: Iterable[Flip]) -> list[Group]:
    """The flips, those that are one for a reader together, the weightiest first."""
    found: dict[tuple[object, ...], list[Flip]] = {}
    for flip in flips:
        key = (flip.kind, flip.place, flip.question, flip.old, flip.new, flip.rules, flip.responsible, flip.involved)
        found.setdefault(key, []).append(flip)
    return [Group(some[0], tuple(some[1:])) for some in found.values()]


def counted(difference: Difference) -> list[tuple[FlipKind, int, int]]:
    """For each kind of flip how many there are, as readers count them and in all."""
    every = Counter(flip.kind for flip in difference.flips)
    groups = Counter(group.first.kind for group in grouped(difference.flips))
    return [(kind, groups[kind], every[kind]) for kind in FlipKind if every[kind]]


def because(flip: Flip, changes: Sequence[Change]) -> str:
    """What makes an answer flip, in a line; empty where nothing is known."""
    if flip.responsible:
        titles = "; ".join(changes[n].title for n in flip.responsible)
        return f"responsible: {titles} ({flip.how})"
    if flip.involved:
        return f"involved: {'; '.join(changes[n].title for n in flip.involved)}"
    return ""


def changes_counted(number: int) -> str:
    """How many changes there are."""
    return "1 change" if number == 1 else f"{number:,} changes"


def consequence_text(each: Consequence, changes: Sequence[Change]) -> str:
    """A consequence in a line."""
    said = f"{prefixed(each.narrow)} is {'now' if each.appears else 'no longer'} below {prefixed(each.wide)}"
    return f"{said}, by {'; '.join(changes[n].title for n in each.because)}" if each.because else said


def as_json(difference: Difference, *, axioms: bool = True, answers: bool = True) -> str:
    """All of it; flips name changes by their number. What has no value is left out."""
    told: dict[str, Any] = {
        "command": "diff",
        "old": difference.old,
        "new": difference.new,
        "packs": list(difference.packs),
        "changes": [{"number": n, **_change(change)} for n, change in enumerate(difference.changes)],
    }
    if axioms:
        told["consequences"] = [_members(each) for each in difference.consequences]
    if answers:
        told["summary"] = {kind.name.lower(): number for kind, _, number in counted(difference)}
        told["flips"] = [{**_members(flip), "kind": flip.kind.name.lower()} for flip in difference.flips]
        told["asked"] = {**_members(difference.asked), "counts": dict(difference.asked.counts)}
    return json.dumps(told, ensure_ascii=False, indent=2)


def as_markdown(difference: Difference, *, axioms: bool = True, answers: bool = True) -> str:
    """A summary table, then what differs, folded; at most as much as a comment of a pull request takes."""
    lines = [f"### Domain Access: {_md(difference.old)} → {_md(difference.new)}", ""]
    lines += _summary(difference, axioms, answers)
    sections: list[tuple[str, list[str]]] = []
    if answers:
        groups = grouped(difference.flips)
        for kind, number, _ in counted(difference):
            some = [group for group in groups if group.first.kind is kind]
            title = f"{kind.value[:1].upper()}{kind.value[1:]}: {number}"
            sections.append((title, [line for each in some for line in _flip(each, difference.changes)]))
    if axioms:
        for pack in difference.packs_changed:
            changes = [change for _, change in difference.changes_of(pack)]
            told = [line for change in changes for line in _stated(change)]
            sections.append((f"What {pack} states: {changes_counted(len(changes))}", told))
        if difference.consequences:
            told = [f"- {_md(consequence_text(each, difference.changes))}" for each in difference.consequences]
            sections.append((f"What follows otherwise: {len(told)}", told))
    for title, held in sections:
        shown = held[:_MOST_SHOWN]
        left = [f"- and {len(held) - len(shown)} lines more"] if len(held) > len(shown) else []
        part = ["", "<details>", f"<summary>{_md(title)}</summary>", "", *shown, *left, "", "</details>"]
        if sum(map(len, lines)) + sum(map(len, part)) > _LARGEST:
            lines += ["", f"{_md(title)}: left out, for the length; `--format json` has all."]
        else:
            lines += part
    return "\n".join(lines)


FORMATS: Final[Mapping[str, Callable[..., str]]] = {"json": as_json, "markdown": as_markdown}
"""How a program, or a code host, reads a Difference."""


def asked_lines(difference: Difference) -> Iterator[str]:
    """How much was asked, and what was not."""
    asked = difference.asked
    if asked.counts:
        yield "asked of both: " + ", ".join(f"{number:,} {what}" for what, number in asked.counts)
    if asked.one_sided:
        yield "asked of one only, the other has no such world or pack: " + ", ".join(asked.one_sided)
    if asked.not_reached:
        yield "no question came to these changed rules: " + ", ".join(asked.not_reached)
    if asked.left_out:
        yield f"left out: {asked.left_out:,} probes of the Kinds"
    if asked.untried:
        yield f"not tried for what is responsible, the trials being bounded: {asked.untried:,} flips"


def _summary(difference: Difference, axioms: bool, answers: bool) -> Iterator[str]:
    rows: list[tuple[str, str]] = []
    if answers:
        for kind, number, every in counted(difference):
            again = f" ({every} with variants of plans)" if every > number else ""
            rows.append((kind.value, f"{number}{again}"))
        if not difference.flips:
            rows.append(("answers that flip", "none"))
    if axioms:
        acts = Counter(change.what for change in difference.changes)
        rows += [(what, str(number)) for what, number in acts.items()] or [("changes of what is stated", "none")]
    yield "| what | how many |"
    yield "|---|---|"
    yield from (f"| {_md(what)} | {_md(number)} |" for what, number in rows)
    told = list(asked_lines(difference)) if answers else []
    if told:
        yield ""
        yield "<br>".join(_md(line) for line in told)


def _flip(group: Group, changes: Sequence[Change]) -> Iterator[str]:
    flip = group.first
    yield f"- {_md(flip.question)} ({_md(flip.place)}): **{_md(flip.old)}** → **{_md(flip.new)}**"
    told = [because(flip, changes), f"rules: {', '.join(flip.rules)}" if flip.rules else "", *flip.facts[:4]]
    if flip.kind in (FlipKind.WORDING, FlipKind.REPAIR):
        told += [f"before: {flip.old_text}", f"after: {flip.new_text}"]
    told.append(f"in: {group.source}")
    yield from (f"  - {_md(line)}" for line in told if line)


def _stated(change: Change) -> Iterator[str]:
    evidence = f" ({_md(change.evidence)})" if change.evidence else ""
    yield f"- {_md(change.title)}{evidence}"
    yield from (f"  - {'before' if mark == '-' else 'after'}: {_md(said)}" for mark, said in change.lines)


def _change(change: Change) -> dict[str, Any]:
    keys = {each.key: {"old": each.old, "new": each.new} for each in change.keys}
    return {"title": change.title, **_members(change), **({"keys": keys} if keys else {})}


def _members(value: Any) -> dict[str, Any]:
    held = {each.name: getattr(value, each.name) for each in fields(value) if each.name != "patches"}
    return {
        name: list(held) if isinstance(held, tuple) else held for name, held in held.items() if held not in ("", ())
    }


def _md(text: str) -> str:
    """A text as Markdown shows it: in one line, nothing of it read as Markdown or HTML."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("\\<", "&lt;").replace("\\&", "&amp;")
