"""The SHACL shapes of the packs as sentences: in their author's words, else by what each component says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from app.facts import BoundReached
from app.kinds.wording import Speech, in_language
from app.model import Term
from app.shapes import TARGET_CLASS, TARGET_NODE, TARGET_OBJECTS, TARGET_SUBJECTS, Shape, Stated

_RANGES: Final = (("minCount", "maxCount", "count"), ("qualifiedMinCount", "qualifiedMaxCount", "qualifiedCount"))
"""What is said at once where the least is the most."""
_MOST_LISTED: Final = 100
_ALL_AT_ONCE: Final = frozenset({"in", "languageIn", "hasValue", "or", "and", "xone"})
"""Components whose values are told as one list."""


def of_class(shapes: Iterable[Stated], classes: Iterable[str]) -> Iterator[Stated]:
    """The shapes that are about the members of some classes, those of the first class first."""
    stated = tuple(shapes)
    for each in classes:
        yield from (shape for shape in stated if shape.of == TARGET_CLASS and shape.target == each)


def of_thing(shapes: Iterable[Stated], thing: str, classes: Iterable[str], speech: Speech) -> Iterator[Stated]:
    """The shapes that are about a thing: by its classes, itself, or what is said of it and with it."""
    stated = tuple(shapes)
    yield from of_class(stated, classes)
    yield from (shape for shape in stated if shape.of == TARGET_NODE and shape.target == thing)
    for shape in stated:
        has = shape.of == TARGET_SUBJECTS and speech.facts.objects(thing, shape.target)
        if has or (shape.of == TARGET_OBJECTS and _is_object(thing, shape.target, speech)):
            yield shape


def _is_object(thing: str, predicate: str, speech: Speech) -> bool:
    """Whether a property leads to a thing."""
    try:
        return bool(speech.facts.some_subjects(predicate, thing)[0])
    except BoundReached:
        return True


def sentences(stated: Stated, speech: Speech) -> Iterator[str]:
    """What a shape and the shapes of its properties say, a sentence each."""
    about = {
        TARGET_CLASS: lambda: speech.label(stated.target),
        TARGET_NODE: lambda: f"`{speech.name(stated.target)}`",
        TARGET_SUBJECTS: lambda: speech.say("shape_subjects", property=speech.name(stated.target)),
        TARGET_OBJECTS: lambda: speech.say("shape_objects", property=speech.name(stated.target)),
    }[stated.of]()
    yield from _of(stated.shape, about, speech)


def _of(shape: Shape, about: str, speech: Speech) -> Iterator[str]:
    if shape.messages:
        yield _sentence(in_language(shape.messages, speech.language))
    elif shape.limits:
        yield _sentence(f"{about}: {_described(shape, speech)}")
    for each in shape.properties:
        yield from _of(each, about, speech)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _described(shape: Shape, speech: Speech) -> str:
    """Its property, and what its components say, in one line."""
    path = f'"{" / ".join(map(speech.name, shape.path))}" ' if shape.path else ""
    return path + ", ".join(_parts(shape, speech))


def _parts(shape: Shape, speech: Speech) -> Iterator[str]:
    given = {each.component: each.values for each in shape.limits}
    what = _listed(given.pop("qualifiedValueShape", ()), speech, "and")
    for least, most, both in _RANGES:
        if given.get(least) == given.get(most) and least in given:
            given = {both: given.pop(least), **given}
            del given[most]
    for component, values in given.items():
        yield from _component(component, values, what, speech)


def _component(component: str, values: Iterable[Term | Shape], what: str, speech: Speech) -> Iterator[str]:
    name = f"shape_{component}"
    if component in _ALL_AT_ONCE:
        joint = "and" if component in ("and", "hasValue") else "or"
        yield speech.say(name, values=_listed(values, speech, joint))
    else:
        yield from (speech.say(name, value=_term(value, speech), what=what) for value in values)


def _listed(values: Iterable[Term | Shape], speech: Speech, joint: str) -> str:
    return speech.listing((_term(value, speech) for value in values), quoted=False, joint=joint, most=_MOST_LISTED)


def _term(value: Term | Shape, speech: Speech) -> str:
    if not isinstance(value, Shape):
        return speech.name(value)
    inner = (_described(each, speech) for each in value.properties)
    own = _described(value, speech) if value.limits or value.path else ""
    return f"({'; '.join(each for each in (own, *inner) if each)})"
