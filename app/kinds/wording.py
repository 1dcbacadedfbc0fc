"""How the Kinds speak: labels and phrases in the language of the answer, in English where there are none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.evaluate import Names
from app.facts import Facts
from app.kinds.phrases import PHRASES
from app.knowledge import Knowledge
from app.lexicon.words import function_words, words
from app.model import Term, Text
from app.vocab import TYPE

_ITALIAN: Final = """
che cosa quale quali chi come dove quando perche posso puo puoi devo si mi e sono fare significa questo questa questi
queste quello quella mio mia c qui non quanto quanta quanti quante costa vietato permesso ci comporto comporta
"""
_ENGLISH: Final = """
what which who how where when why can may could do does is are i me my you it these those mean means should there here
not please much many must allowed behave
"""
_OF_QUESTIONS: Final = {"en": frozenset(_ENGLISH.split()), "it": frozenset(_ITALIAN.split())}
"""Little words of Questions, besides articles and prepositions."""

SHOWN: Final = 10
"""Things a sentence lists before it only counts the rest."""


@dataclass(frozen=True, slots=True)
class Speech:
    """How terms are said in one language; `facts` tell what kind of thing an entity is."""

    language: str
    knowledge: Knowledge
    names: Names
    facts: Facts

    def label(self, term: str) -> str:
        """The label of a vocabulary term in the language, in English where there is none, else its local name."""
        return self.knowledge.label(term, self.language)

    def name(self, term: Term) -> str:
        """Identifier of an entity, label of a term, value of a literal."""
        if isinstance(term, str) and term in self.knowledge.vocabulary:
            return self.label(term)
        return self.names.name(term, self.facts)

    def kind(self, entity: str) -> str:
        """The most specific classes of an entity, by label."""
        found = narrowest(self.facts.objects(entity, TYPE), self.knowledge)
        return self.listing((self.label(each) for each in found), quoted=False) or "?"

    def say(self, phrase: str, **values: object) -> str:
        """A sentence of PHRASES with its places filled."""
        spoken = PHRASES.get(self.language, PHRASES["en"]).get(phrase) or PHRASES["en"][phrase]
        return spoken.format(**values)

    def listing(self, names: Iterable[str], *, quoted: bool = True, joint: str = "and", most: int = SHOWN) -> str:
        """Some names as a list in words; of many only the first, and how many more."""
        said = [f"`{name}`" if quoted else name for name in names]
        if len(said) > most:
            said = [*said[:most], self.say("more", n=len(said) - most)]
        if len(said) < 2:
            return "".join(said)
        return f"{', '.join(said[:-1])} {self.say(joint)} {said[-1]}"

    def near(self, names: Iterable[str]) -> str:
        """The end of a sentence: `; did you mean ...?`, a full stop where no name is near."""
        said = self.listing(names, joint="or")
        return self.say("near", names=said) if said else "."


def in_language(texts: Iterable[Term], language: str) -> str:
    """The text in a language, else in English, else in none, else the first; empty where there is no text."""
    found = [text for text in texts if isinstance(text, Text)]
    for wanted in (language, "en", ""):
        for text in found:
            if text.lang.split("-", 1)[0] == wanted:
                return text.value
    return found[0].value if found else ""


def narrowest(classes: Iterable[Term], knowledge: Knowledge) -> tuple[str, ...]:
    """The named classes that none of the others is below; equivalent ones, which are below each other, all."""
    found = [c for c in classes if isinstance(c, str) and c in knowledge.classes]
    is_a = knowledge.is_a
    return tuple(c for c in found if not any(is_a(d, c) and not is_a(c, d) for d in found))


def language_of(question: str | None, default: str) -> str:
    """The language of a Question by its little words; `default` (a BCP 47 tag) where they do not tell."""
    base = default.split("-", 1)[0].lower()
    if not question:
        return base
    found = [word.folded for word in words(question)]
    counted = {
        each: sum(word in function_words(each) or word in _OF_QUESTIONS.get(each, ()) for word in found)
        for each in PHRASES
    }
    best = max(counted, key=lambda each: (counted[each], each == base))
    return best if counted[best] > counted.get(base, 0) else base
