"""The names of a vocabulary by each form in which they are looked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log
from statistics import fmean
from typing import Final, NamedTuple, TypeVar

from app.lexicon.entries import Entry, Evidence, Hit, NameKind, Span
from app.lexicon.slips import Nearest, agreement, is_slip
from app.lexicon.words import Word, base_language, content, is_inflection, only_function, stem, words, written

_Key = TypeVar("_Key", str, tuple[str, ...])

THRESHOLD: Final = 0.6
"""The score below which nothing is found, unless the caller says otherwise."""

_SCORES: Final = {
    Evidence.EXACT: 1.0,
    Evidence.NORMALISED: 0.95,
    Evidence.INFLECTED: 0.9,
    Evidence.WORDS: 0.8,
    Evidence.DERIVED: 0.7,
    Evidence.TYPING: 0.8,  # times the part of the letters that agree
    Evidence.PARTIAL: 0.8,  # times the part of the words that agree, rare words weighing more
}
_KIND_SCORES: Final = {NameKind.LABEL: 1.0, NameKind.LOCAL_NAME: 0.99, NameKind.SYNONYM: 0.98}
_RANKS: Final = {each: rank for rank, each in enumerate((*Evidence, *NameKind))}
_LONGER: Final = 4  # times the longest name: no text beyond it is one
_ALWAYS: Final = 64  # characters: a text up to here is looked at in any case
_SPAN_WORDS: Final = 12  # the longest name that is sought inside a sentence
_TINY: Final = 2  # letters: in a sentence, and for inflection, such words mean too many things


class _Name(NamedTuple):
    """A name and its forms."""

    entry: Entry
    words: tuple[str, ...]
    stems: tuple[str, ...]
    language: str

    @property
    def letters(self) -> str:
        return "".join(self.words)


class _Asked(NamedTuple):
    """A text and its forms; its stems depend on the language of what it is compared with."""

    text: str
    words: tuple[str, ...]

    @property
    def letters(self) -> str:
        return "".join(self.words)


class _Filter(NamedTuple):
    """Which names count: those of a language, and those of none; those of some terms."""

    language: str | None
    among: Container[str] | None

    def takes(self, entry: Entry) -> bool:
        """`en` takes en-GB, and en-GB takes en, of which it is a part; en-GB does not take en-US (RFC 4647)."""
        spoken = entry.language.lower()
        wanted = self.language
        return (self.among is None or entry.term in self.among) and (
            wanted is None or not spoken or f"{spoken}-".startswith(f"{wanted}-") or wanted.startswith(f"{spoken}-")
        )


@dataclass(frozen=True, slots=True)
class _Stems:
    """The names of one language by their stems."""

    joined: Mapping[str, tuple[_Name, ...]]
    bags: Mapping[tuple[str, ...], tuple[_Name, ...]]
    by_stem: Mapping[str, tuple[_Name, ...]]
    weights: Mapping[str, float]
    unknown: float
    near: Nearest


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Names by what is exactly written, by their letters, by their stems in each language. Frozen and thread-safe."""

    size: int
    _exact: Mapping[str, tuple[_Name, ...]]
    _letters: Mapping[str, tuple[_Name, ...]]
    _stems: Mapping[str, _Stems]
    _near: Nearest
    _longest: int
    _most_words: int

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Lexicon:
        """The Lexicon of these names; one without a visible character is left out. Their order does not matter."""
        names = [_name(entry) for entry in sorted(set(entries)) if written(entry.text)]
        languages = sorted({name.language for name in names})
        letters = _grouped((name.letters, name) for name in names if name.words)
        return cls(
            size=len(names),
            _exact=_grouped((written(name.entry.text), name) for name in names),
            _letters=letters,
            _stems={
                each: _stems_of([n for n in names if n.language == each and n.words], each) for each in languages
            },
            _near=Nearest.of(letters),
            _longest=max((len(name.entry.text) for name in names), default=0),
            _most_words=max((len(name.words) for name in names), default=0),
        )

    def find(
        self,
        text: str,
        language: str | None = None,
        *,
        limit: int = 5,
        threshold: float = THRESHOLD,
        among: Container[str] | None = None,
    ) -> tuple[Hit, ...]:
        """The terms that a text may mean, the best first, each once by its strongest evidence; empty where none.

        Weaker evidence is looked for only where there is no stronger one: the same name; the same words; a name with
        typing errors; most of the words. `language` is a BCP 47 tag: names in it and names of no language. `among`
        narrows to some terms.
        """
        said = written(text)
        if not said or len(said) > max(_LONGER * self._longest, _ALWAYS):
            return ()
        asked = _Asked(said, tuple(word.folded for word in words(said)))
        which = _Filter(_tag(language), among)
        for look in (self._same, self._same_words, self._mistyped, self._most):
            if found := _best(look(asked, which), threshold, which.language):
                return found[:limit]
        return ()

    def named(
        self, text: str, language: str | None = None, *, among: Container[str] | None = None
    ) -> tuple[Hit, ...]:
        """The terms of which a text surely is a name, the best first: `exact`, `normalised` and `inflected` alone."""
        said = written(text)
        if not said or len(said) > max(_LONGER * self._longest, _ALWAYS):
            return ()
        asked = _Asked(said, tuple(word.folded for word in words(said)))
        which = _Filter(language.lower() if language else None, among)
        return _best(self._same(asked, which), 0, which.language)

    def spans(self, sentence: str, language: str | None = None, *, limit: int = 5) -> tuple[Span, ...]:
        """The names inside a sentence, in its order, none over another: the longest first, of equals the leftmost.

        Only the evidence `exact`, `normalised` and `inflected` counts. Names of one or two letters, and of function
        words alone, only as they are written.
        """
        which = _Filter(_tag(language), None)
        found = words(sentence)
        taken = bytearray(len(found))
        spans = []
        for at, to in sorted(self._known(found), key=lambda w: (found[w[0]].start - found[w[1] - 1].end, w)):
            if any(taken[at:to]):
                continue
            start, end = found[at].start, found[to - 1].end
            asked = _Asked(written(sentence[start:end]), tuple(word.folded for word in found[at:to]))
            weak = len(asked.letters) <= _TINY or any(only_function(asked.words, each) for each in self._stems)
            hits = (hit for hit in self._same(asked, which) if not weak or hit.evidence is Evidence.EXACT)
            if best := _best(hits, 0, which.language):
                spans.append(Span(start, end, sentence[start:end], best[:limit]))
                taken[at:to] = b"\1" * (to - at)
        return tuple(sorted(spans))

    def _known(self, found: tuple[Word, ...]) -> Iterator[tuple[int, int]]:
        """The runs of words whose letters or stems are those of a name."""
        most = min(self._most_words + 1, _SPAN_WORDS)
        readings = [(self._letters, [word.folded for word in found])]
        readings += [(of.joined, [stem(word.folded, each) for word in found]) for each, of in self._stems.items()]
        for at in range(len(found)):
            for to in range(at + 1, min(at + most, len(found)) + 1):
                if any("".join(forms[at:to]) in known for known, forms in readings):
                    yield at, to

    def _same(self, asked: _Asked, which: _Filter) -> Iterator[Hit]:
        """The same name: exact, normalised, inflected."""
        for name in _taken(self._exact, asked.text, which):
            yield _hit(name, Evidence.EXACT, asked.text, name.entry.text)
        if not asked.words:
            return
        for name in _taken(self._letters, asked.letters, which):
            yield _hit(name, Evidence.NORMALISED, asked.letters, name.letters)
        for language, of in self._stems.items():
            stems = _stems_in(asked.words, language)
            for name in _taken(of.joined, "".join(stems), which):
                if _inflected(asked.words, name.words, language):
                    yield _hit(name, Evidence.INFLECTED, " ".join(stems), " ".join(name.stems))

    def _same_words(self, asked: _Asked, which: _Filter) -> Iterator[Hit]:
        """The same words in another order, or other words of the same stems."""
        for language, of in self._stems.items():
            yield from _in_any_order(asked, of, language, which)

    def _mistyped(self, asked: _Asked, which: _Filter) -> Iterator[Hit]:
        """Typing errors: in the whole name, else in single words of several in any order."""
        whole = False
        for letters in self._near.around(asked.letters):
            for name in _taken(self._letters, letters, which):
                if is_slip(asked.words, name.words):
                    whole = True
                    yield _hit(name, Evidence.TYPING, asked.letters, letters, agreement(asked.letters, letters))
        if whole or len(asked.words) < 2:
            return
        for language, of in self._stems.items():
            corrected = tuple(_corrected(word, of, language) for word in asked.words)
            if corrected != asked.words:
                agreeing = agreement(asked.letters, "".join(corrected))
                for hit in _in_any_order(_Asked(" ".join(corrected), corrected), of, language, which):
                    score = round(hit.score * agreeing, 4)
                    yield hit._replace(evidence=Evidence.TYPING, score=score, asked=" ".join(asked.words))

    def _most(self, asked: _Asked, which: _Filter) -> Iterator[Hit]:
        """Most of the words: twice the weight of those shared, over the weight of both."""
        for language, of in self._stems.items():
            stems = _stems_in(content(asked.words, language), language)
            if len(stems) < 2:
                continue
            weight = sum(of.weights.get(each, of.unknown) for each in stems)
            for name in dict.fromkeys(name for each in stems for name in of.by_stem.get(each, ())):
                if which.takes(name.entry):
                    own = _stems_in(content(name.words, language), language)
                    both = (Counter(stems) & Counter(own)).elements()
                    part = (
                        2 * sum(map(of.weights.__getitem__, both)) / (weight + sum(map(of.weights.__getitem__, own)))
                    )
                    yield _hit(name, Evidence.PARTIAL, " ".join(stems), " ".join(own), min(part, 1.0))


def _tag(language: str | None) -> str | None:
    """A language tag as it is compared; it_IT, as operating systems write it, is it-IT."""
    return language.lower().replace("_", "-") if language else None


def _name(entry: Entry) -> _Name:
    language = base_language(entry.language)
    found = tuple(word.folded for word in words(entry.text))
    return _Name(entry, found, _stems_in(found, language), language)


def _stems_in(found: tuple[str, ...], language: str) -> tuple[str, ...]:
    return tuple(stem(word, language) for word in found)


def _grouped(pairs: Iterable[tuple[_Key, _Name]]) -> dict[_Key, tuple[_Name, ...]]:
    found: dict[_Key, dict[_Name, None]] = {}
    for key, name in pairs:
        found.setdefault(key, {})[name] = None
    return {key: tuple(names) for key, names in found.items()}


def _stems_of(names: list[_Name], language: str) -> _Stems:
    bags = [(_stems_in(content(name.words, language), language), name) for name in names]
    by_stem = _grouped((each, name) for stems, name in bags for each in stems)
    weights = {each: log(1 + len(names) / len(having)) for each, having in by_stem.items()}
    return _Stems(
        joined=_grouped(("".join(name.stems), name) for name in names),
        bags=_grouped((tuple(sorted(stems)), name) for stems, name in bags),
        by_stem=by_stem,
        weights=weights,
        # a word no name has counts as an ordinary one: as the rarest it would outweigh more as names grow
        unknown=fmean(weights.values()) if weights else 0.0,
        near=Nearest.of(word for name in names for word in name.words),
    )


def _in_any_order(asked: _Asked, of: _Stems, language: str, which: _Filter) -> Iterator[Hit]:
    stems = _stems_in(content(asked.words, language), language)
    for name in _taken(of.bags, tuple(sorted(stems)), which):
        evidence = Evidence.WORDS if _inflected_each(asked.words, name.words, language) else Evidence.DERIVED
        yield _hit(name, evidence, " ".join(stems), " ".join(name.stems))
    stems = _stems_in(asked.words, language)
    for name in _taken(of.joined, "".join(stems), which):
        yield _hit(name, Evidence.DERIVED, " ".join(stems), " ".join(name.stems))


def _inflected(asked: tuple[str, ...], name: tuple[str, ...], language: str) -> bool:
    """Whether words of the same stems in the same order differ by inflection alone."""
    pairs = zip(asked, name, strict=True) if len(asked) == len(name) else [("".join(asked), "".join(name))]
    return all(is_inflection(one, other, language) for one, other in pairs)


def _inflected_each(asked: tuple[str, ...], name: tuple[str, ...], language: str) -> bool:
    """The same in any order, for the words that count."""
    one, other = (sorted(content(each, language), key=lambda w: (stem(w, language), w)) for each in (asked, name))
    return _inflected(tuple(one), tuple(other), language)


def _corrected(word: str, of: _Stems, language: str) -> str:
    """The nearest known word that a typing error explains; the word itself where it is known, or none is near."""
    if stem(word, language) in of.by_stem:
        return word
    near = (each for each in of.near.around(word) if is_slip((word,), (each,), among_others=True))
    return max(near, key=lambda each: (agreement(word, each), each), default=word)


def _taken(names: Mapping[_Key, tuple[_Name, ...]], key: _Key, which: _Filter) -> Iterator[_Name]:
    return (name for name in names.get(key, ()) if which.takes(name.entry))


def _hit(name: _Name, evidence: Evidence, asked: str, compared: str, part: float = 1.0) -> Hit:
    entry = name.entry
    score = round(_SCORES[evidence] * _KIND_SCORES[entry.kind] * part, 4)
    return Hit(entry.term, entry.text, entry.language, entry.kind, evidence, score, asked, compared)


def _best(hits: Iterable[Hit], threshold: float, language: str | None) -> tuple[Hit, ...]:
    """The strongest hit of each term, the best first; the order is total."""

    def order(hit: Hit) -> tuple[object, ...]:
        foreign = base_language(hit.language) != base_language(language or "")
        return (-hit.score, _RANKS[hit.evidence], _RANKS[hit.kind], foreign, hit.text, hit.language, hit.term)

    found: dict[str, Hit] = {}
    for hit in sorted((hit for hit in hits if hit.score >= threshold), key=order):
        found.setdefault(hit.term, hit)
    return tuple(found.values())
