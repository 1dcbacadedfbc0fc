"""The steps of reasoners, for a pack and for an ontology that is none: logic.py, profile.py."""

from __future__ import annotations

from collections.abc import Iterator

from app.authoring.check import logic, profile
from app.authoring.check.subject import ONTOLOGY_FILES, Subject, ontology_file
from app.authoring.logic.axioms import Source, read_source
from app.authoring.problems import Step


def logic_stage(name: str, subject: Subject) -> Iterator[Step]:
    """Consistent, and every class can have members."""
    if _read_by_serving(subject):
        yield from logic.logic_steps(subject.edition, subject.pack)
    elif not subject.ontology.usable:
        yield _unread(name, subject)
    else:
        yield from logic.steps_of(subject.pack, _sources(subject))


def profile_stage(name: str, subject: Subject) -> Iterator[Step]:
    """Within OWL 2 DL, and what of it is beyond OWL 2 RL."""
    if _read_by_serving(subject):
        yield from profile.profile_steps(subject.edition, subject.pack)
    elif not subject.ontology.usable:
        yield _unread(name, subject)
    else:
        sources = _sources(subject)
        yield from profile.steps_of(subject.pack, sources, sources[-1:])


def _read_by_serving(subject: Subject) -> bool:
    """Whether the ontology is where serving reads it; in another syntax it is handed over as it was read here."""
    return subject.file is None and subject.ontology.path.name == ONTOLOGY_FILES[0]


def _unread(name: str, subject: Subject) -> Step:
    return Step(
        subject.pack, name, not_done=subject.ontology.unread or f"{subject.ontology.path.name} cannot be read"
    )


def _sources(subject: Subject) -> tuple[Source, ...]:
    """The ontology with those of the packs it requires, as reasoners read them; its own is the last."""
    own = subject.ontology
    below = (read_source(ontology_file(subject.edition.folder(name))) for name in subject.required)
    return (*below, read_source(own.path, own.rdf, own.base))
