"""Markup, written so that what an author wrote can only ever be text.

`tag` makes an element; every child that is no `Html` is escaped, and so is every value of an attribute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Final, TypeAlias

from app.model import Text

_VOID: Final = {"meta", "link", "input", "img", "br", "hr"}
_LINES: Final = {
    "p",
    "dt",
    "dd",
    "li",
    "tr",
    "h1",
    "h2",
    "h3",
    "article",
    "section",
    "nav",
    "header",
    "meta",
    "path",
    "g",
}
"""Elements that end a line, so that two versions of a site can be compared."""
_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What HTML has no place for, escaped or not."""
_QUOTED: Final = re.compile(r"`([^`\n]+)`")


class Html(str):
    """A text that is markup already."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"


def tag(name: str, /, *children: Child, **attributes: str | bool | int | None) -> Html:
    """An element. `class_` is the attribute `class`, `aria_label` is `aria-label`; False and None leave one out."""
    said = "".join(_attribute(key, value) for key, value in attributes.items())
    opened = f"<{name}{said}>"
    end = "\n" if name in _LINES else ""
    return Html(opened + end if name in _VOID else f"{opened}{join(*children)}</{name}>{end}")


def join(*children: Child) -> Html:
    """Some children one after the other."""
    return Html("".join(_written(child) for child in children))


def between(separator: Child, children: Iterable[Child]) -> Html:
    """Children with something between each two."""
    written = [join(child) for child in children]
    return Html(join(separator).join(written))


def prose(text: str) -> Html:
    """A sentence as authors write them: what is in backticks is code."""
    return join(tag("code", part) if number % 2 else part for number, part in enumerate(_QUOTED.split(text)) if part)


def in_language(text: Text) -> Html:
    """A text marked with its language, so that it is read and laid out as one."""
    return tag("span", text.value, lang=text.lang or None, dir="auto")


def _attribute(key: str, value: str | bool | int | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_fit(str(value))}"'


def _written(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, str):
        return child if isinstance(child, Html) else _fit(child)
    return "".join(_written(each) for each in child)


def _fit(text: str) -> str:
    return escape(text if text.isprintable() else _UNFIT.sub("\ufffd", text))
