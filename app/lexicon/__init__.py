"""Words -> terms: labels, synonyms and local names of the vocabulary, and how what was written is found among them.

    entries.py   what goes in and what comes out: Entry, Hit, Span
    words.py     the forms in which texts are compared: words, folded letters, stems
    slips.py     which differences between two words a typing error explains
    index.py     Lexicon: the names by each of their forms

A Hit says by which evidence it was found and which forms were compared. Its score orders evidence; it is no
probability. Where nothing is near enough the answer is empty: a wrong term costs the one who asks more than none.
"""

from app.lexicon.entries import Entry, Evidence, Hit, NameKind, Span
from app.lexicon.index import THRESHOLD, Lexicon

__all__ = ["THRESHOLD", "Entry", "Evidence", "Hit", "Lexicon", "NameKind", "Span"]
