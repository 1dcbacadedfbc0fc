"""What a pack must be able to answer: competency questions with the rows expected."""

from __future__ import annotations

from app.authoring.doc.frame import filter_box
from app.authoring.doc.html import Html, join, tag
from app.authoring.doc.site import Leaf
from app.authoring.questions import Question

_MOST_ROWS = 60


def questions_page(leaf: Leaf) -> Html:
    """Every question, file by file."""
    several = len(leaf.subject.questions) > 1
    files = [
        join(
            tag("h2", name) if several else None, [_question(each, "h3" if several else "h2", leaf) for each in found]
        )
        for name, found in leaf.subject.questions.items()
    ]
    lead = "Competency questions: what the pack must be able to answer, and the answer expected."
    return join(tag("h1", "Questions"), tag("p", lead, class_="lead"), filter_box("questions"), files)


def _question(question: Question, heading: str, leaf: Leaf) -> Html:
    where = ["asked of the world ", leaf.world(question.world)] if question.world else "asked of the vocabulary"
    return tag(
        "article",
        tag(heading, question.ask),
        tag("p", where, class_="names"),
        leaf.block(question.query),
        tag("p", f"{len(question.rows)} rows expected:" if question.rows else "No row is expected."),
        _rows(question, leaf),
        class_="item",
        data_item=True,
    )


def _rows(question: Question, leaf: Leaf) -> Html | None:
    rows = [tag("tr", [tag("td", leaf.pattern(cell)) for cell in row]) for row in question.rows[:_MOST_ROWS]]
    if len(question.rows) > _MOST_ROWS:
        rows.append(tag("tr", tag("td", f"and {len(question.rows) - _MOST_ROWS} more")))
    if not rows:
        return None
    label = f"Rows expected: {question.ask}"
    return tag("div", tag("table", tag("tbody", rows)), class_="wide", tabindex=0, role="region", aria_label=label)
