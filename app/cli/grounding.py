"""`domain-access ground`: which classes words mean in an M-Instance, and by which evidence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from app.cli import ANSWERED, AS_JSON, NOT_FEASIBLE

if TYPE_CHECKING:
    from app.knowledge import Knowledge
    from app.lexicon import Hit


@click.command()
@click.argument("terms", metavar="TERM...", nargs=-1, required=True)
@click.option(
    "--m-instance", default="MI1", show_default=True, help="The M-Instance whose packs say what words mean."
)
@click.option("--language", metavar="TAG", help="Only names in this language, as en or it, and names of none.")
@click.option("--limit", default=3, show_default=True, type=click.IntRange(1, 100), help="Classes shown for a term.")
@click.option("--url", metavar="URL", help="The server to ask; without it the configured one, if it runs.")
@click.option("--json", "as_json", is_flag=True, help="Print the hits as JSON, with the forms that were compared.")
@click.pass_context
def ground(
    ctx: click.Context,
    terms: tuple[str, ...],
    m_instance: str,
    language: str | None,
    limit: int,
    url: str | None,
    as_json: bool,
) -> None:
    """Find the classes that words mean: by labels, synonyms and local names, inflected or mistyped.

    \b
    Examples:
      domain-access ground 'm location' Plcae
      domain-access ground --language it utenti 'profilo personale'
      domain-access ground --json R-Items

    A score orders the evidence and is no probability. A term that nothing is near enough to is told as such: the
    exit code is 0 where every term was grounded, 1 where one was not.
    """
    from app.cli.served import served
    from app.knowledge import load

    ctx.meta[AS_JSON] = as_json
    found_there = served(m_instance, url)
    knowledge = load(found_there.edition, found_there.packs)
    found = {
        term: knowledge.lexicon.find(term, language, limit=limit, among=knowledge.classes)
        for term in dict.fromkeys(terms)
    }
    if as_json:
        shown = {term: [_members(hit, knowledge) for hit in hits] for term, hits in found.items()}
        click.echo(json.dumps(shown, indent=2))  # ASCII: a term may hold what no terminal takes
    else:
        from app.cli.show import show_rows

        rows = [row for term, hits in found.items() for row in _rows(term, hits, knowledge)]
        show_rows(("Term", "Class", "Label", "Evidence", "Score"), rows)
    ctx.exit(ANSWERED if all(found.values()) else NOT_FEASIBLE)


def _rows(term: str, hits: tuple[Hit, ...], knowledge: Knowledge) -> list[tuple[str, ...]]:
    if not hits:
        return [(_short(term), "none", "", "nothing is near enough", "")]
    return [
        (
            "" if at else _short(term),
            _prefixed(hit.term),
            knowledge.label(hit.term),
            _said(hit),
            f"{hit.score:.2f}",
        )
        for at, hit in enumerate(hits)
    ]


def _said(hit: Hit) -> str:
    language = f" ({hit.language})" if hit.language else ""
    return f"{hit.evidence}: {hit.kind} `{hit.text}`{language}"


def _prefixed(iri: str) -> str:
    from app.vocab import PREFIXES

    prefix = next((p for p, namespace in PREFIXES.items() if iri.startswith(namespace)), None)
    return f"{prefix}:{iri.removeprefix(PREFIXES[prefix])}" if prefix else iri


def _short(term: str) -> str:
    return term if len(term) <= 60 else f"{term[:57]}..."


def _members(hit: Hit, knowledge: Knowledge) -> dict[str, Any]:
    return {
        "class": hit.term,
        "label": knowledge.label(hit.term),
        "name": hit.text,
        "language": hit.language,
        "kind": hit.kind.value,
        "evidence": hit.evidence.value,
        "score": hit.score,
        "compared": [hit.asked, hit.compared],
    }
