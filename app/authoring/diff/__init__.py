"""What changed between two states of the packs, and which answers flip (DESIGN 8).

sides        what OLD and NEW name                    statements   Turtle compared by content
renames, terms, facts, files   typed changes          said         axioms for readers
consequences what follows otherwise                   asked        the cases of both states
scenes, probes   questions that nobody wrote down     queries      a question, and how a state answers it
answer, flips    two answers compared                 trials, responsible   which change makes an answer flip
written      as JSON and Markdown                     difference   what it all comes to
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from app.authoring.answering import Answering, answering
from app.authoring.diff.asked import Progress, cases_of
from app.authoring.diff.changes import Stated, stated
from app.authoring.diff.consequences import consequences
from app.authoring.diff.difference import Asked, Change, Consequence, Difference, Flip, FlipKind, Part
from app.authoring.diff.files import alters_answers
from app.authoring.diff.flips import Asking, as_flip, involved
from app.authoring.diff.probes import MOST_STATEMENTS, Touched, kind_probes, statement_probes
from app.authoring.diff.responsible import Trials
from app.authoring.diff.scenes import scenes
from app.authoring.diff.sides import Side, side
from app.edition import CORE, Edition, in_order
from app.errors import Code, Fault, PackError
from app.knowledge import load as load_knowledge
from app.knowledge import read_pack
from app.nearest import did_you_mean

__all__ = ["Change", "Difference", "Flip", "FlipKind", "Part", "Side", "compare", "side"]


def compare(
    old: Edition,
    new: Edition,
    packs: Iterable[str],
    *,
    progress: Progress = lambda _: None,
    names: tuple[str, str] = ("OLD", "NEW"),
    answers: bool = True,
    probes: int = MOST_STATEMENTS,
) -> Difference:
    """What differs between two states of some packs, of all where none is named: in them and in what they require.

    `answers` says whether both are asked, `probes` how many statements nobody wrote down are among what is asked.
    Raises PackError where a pack is unknown to both, or a state cannot be read or loaded.
    """
    chosen = _chosen(old, new, packs)
    told = Difference(*names, chosen)
    concerned = [name for name in _all(old, new) if name in _required((old, new), chosen)]
    if all(_digest(old, name) == _digest(new, name) for name in concerned):
        return told
    progress("comparing what is stated")
    found = stated(old, new, concerned)
    told = Difference(*names, chosen, tuple(found.changes))
    changed = {change.pack for change in found.changes if alters_answers(change)}
    affected = [name for name in chosen if changed & _required((old, new), [name])]
    if not affected:
        return told
    with answering(old) as before, answering(new) as after:
        states = (before, after)
        inferred = [
            each
            for name in affected
            if any(change.part in (Part.TERM, Part.AXIOM) for change in found.changes)
            and name in old.names()
            and name in new.names()
            for each in _consequences(name, states, found)
        ]
        if not answers:
            return Difference(*names, chosen, told.changes, tuple(dict.fromkeys(inferred)))
        asking, left_out = _asked(states, affected, found, probes, progress)
    for each in asking.found:
        each.involved = involved(each, found.changes)
    trials = Trials(old, new, found.changes, found.files, progress)
    trials.seek(asking.found)
    flips = sorted((as_flip(each) for each in asking.found), key=lambda flip: (flip.kind.rank, flip.source))
    rules = [change for change in found.changes if change.part is Part.RULE and alters_answers(change)]
    return Difference(
        *names,
        chosen,
        told.changes,
        tuple(dict.fromkeys(inferred)),
        tuple(flips),
        Asked(
            counts=tuple(sorted(asking.counts.items())),
            one_sided=tuple(sorted(asking.one_sided)),
            not_reached=tuple(sorted({change.subject for change in rules} - asking.fired)),
            left_out=left_out,
            untried=sum(not each.asked for each in asking.found),
        ),
    )


def _asked(
    states: tuple[Answering, Answering],
    packs: Sequence[str],
    found: Stated,
    most: int,
    progress: Progress,
) -> tuple[Asking, int]:
    """Every case and probe, asked of both states; and how many probes were left out."""
    asking = Asking()
    progress("reading the cases of both states")
    asking.ask(cases_of(states, packs), states, progress)
    there = list(scenes(states, packs))
    changes = found.changes
    ruled = {change.subject for change in changes if change.part is Part.RULE}
    domains = [world.domain for scene in there for world in scene.worlds]
    actions = {
        name for domain in domains for rule in domain.rules.values() if rule.id in ruled for name in rule.actions
    }
    actions |= {change.subject for change in changes if change.part is Part.ACTION}
    touched = Touched.of(changes, actions, found.files)
    questions, left_out = kind_probes(there, touched)
    asking.ask(questions, states, progress)
    asking.ask(statement_probes(there, touched, most), states, progress)
    return asking, left_out


def _consequences(name: str, states: tuple[Answering, Answering], found: Stated) -> Iterable[Consequence]:
    before, after = (load_knowledge(state.edition, [name]) for state in states)
    return consequences(before, after, found.changes, found.names)


def _all(old: Edition, new: Edition) -> list[str]:
    """Every pack of either, core first."""
    return sorted({*old.names(), *new.names()}, key=lambda name: (name != CORE, name))


def _chosen(old: Edition, new: Edition, packs: Iterable[str]) -> tuple[str, ...]:
    known = _all(old, new)
    wanted = list(packs)
    faults = [
        Fault(
            Code.PACK_UNREADABLE,
            f"neither state has a pack `{name}`",
            where="PACK",
            hint=did_you_mean(name, known, f"known: {', '.join(known)}"),
        )
        for name in dict.fromkeys(wanted)
        if name not in known
    ]
    if faults:
        raise PackError(*faults)
    return tuple(name for name in known if not wanted or name in wanted)


def _required(editions: Iterable[Edition], packs: Iterable[str]) -> set[str]:
    """Some packs, core, and all that they require in one of some states."""
    wanted = (CORE, *packs)
    return {name for edition in editions for name in in_order(wanted, partial(_requires, edition))}


def _requires(edition: Edition, name: str) -> tuple[str, ...]:
    return read_pack(edition.folder(name), name).requires if name in edition.names() else ()


def _digest(edition: Edition, pack: str) -> str:
    """Equal for equal files of a pack and, of core, of its rules."""
    digest = sha256()
    for root in dict.fromkeys((edition.folder(pack), edition.rules_of(pack))):
        for path in sorted(_files(root)):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]
