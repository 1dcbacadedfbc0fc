"""Laws of the lexicon, for any names and any text."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from app.lexicon import Entry, Evidence, Lexicon, NameKind

LANGUAGES = st.sampled_from(["en", "it", "", "en-GB", "de", "hi", "x-own"])
KINDS = st.sampled_from(list(NameKind))
LETTERS = st.text("aeilorstMPIà -'3", min_size=1, max_size=12)
TEXTS = st.one_of(LETTERS, st.text(max_size=30), st.text(st.characters(), max_size=30))
TERMS = st.integers(0, 5).map("urn:{}".format)
ENTRIES = st.builds(Entry, TERMS, TEXTS, LANGUAGES, KINDS)


@given(st.lists(ENTRIES, max_size=12))
@settings(max_examples=100)
def test_every_name_finds_its_own_term_by_exact_evidence_and_nothing_stronger_stands_before_it(
    entries: list[Entry],
) -> None:
    lexicon = Lexicon.of(entries)
    for entry in entries:
        if not entry.text.strip():
            continue
        hits = lexicon.find(entry.text, limit=100)
        (own,) = (hit for hit in hits if hit.term == entry.term)
        if entry.kind is NameKind.LABEL:
            assert (own.evidence, own.score) == (Evidence.EXACT, 1.0)
            assert all(hit.evidence is Evidence.EXACT for hit in hits[: hits.index(own)])
        assert own.evidence is Evidence.EXACT or own.score > 0.9


@given(st.lists(ENTRIES, min_size=1, max_size=8), TEXTS, LANGUAGES)
@settings(max_examples=100)
def test_another_term_never_changes_an_exact_hit(entries: list[Entry], text: str, language: str) -> None:
    asked = entries[0].text
    before = Lexicon.of(entries).find(asked, limit=100)
    after = Lexicon.of([*entries, Entry("urn:other", text, language)]).find(asked, limit=100)
    exact = [hit for hit in before if hit.evidence is Evidence.EXACT]
    assert [hit for hit in after if hit.evidence is Evidence.EXACT and hit.term != "urn:other"] == exact


@given(st.lists(ENTRIES, max_size=8), TEXTS, st.one_of(st.none(), LANGUAGES), st.floats(0, 1))
@settings(max_examples=200)
def test_any_text_gets_ranked_hits_above_the_threshold(
    entries: list[Entry], text: str, language: str | None, threshold: float
) -> None:
    hits = Lexicon.of(entries).find(text, language, limit=3, threshold=threshold)
    assert len(hits) <= 3
    assert len({hit.term for hit in hits}) == len(hits)
    assert all(threshold <= hit.score <= 1 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(Entry(hit.term, hit.text, hit.language, hit.kind) in entries for hit in hits)


@given(st.lists(ENTRIES, max_size=8).flatmap(lambda es: st.tuples(st.just(es), st.permutations(es))), TEXTS)
@settings(max_examples=100)
def test_the_order_of_the_names_does_not_matter(lists: tuple[list[Entry], list[Entry]], text: str) -> None:
    one, other = map(Lexicon.of, lists)
    assert one.find(text) == other.find(text)
    assert one.spans(text) == other.spans(text)


@given(st.lists(ENTRIES, max_size=8), st.lists(st.one_of(TEXTS, LETTERS), max_size=6).map(" ".join))
@settings(max_examples=100)
def test_spans_lie_in_the_sentence_in_order_and_never_overlap(entries: list[Entry], sentence: str) -> None:
    spans = Lexicon.of(entries).spans(sentence)
    assert all(sentence[span.start : span.end] == span.text and span.text and span.hits for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
