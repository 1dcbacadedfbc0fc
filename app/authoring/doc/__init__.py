"""Packs -> a static site that explains them: every class, use, rule and case, readable without server and network.

subject.py   a pack as it is shown       stated.py   what its files state     worlds_read.py  its worlds
site.py      where each thing has its place, and links                        concerns.py     properties by class
html.py      markup                      axioms.py   axioms in words          named.py        terms in patterns
tree.py      classes as a tree           drawing.py  a tree as a picture      terms.py        what every term has
frame.py     what is around every page   style.css                            folder.py       the folder written to

One file for each kind of page: front.py, overview.py, classes.py, class_page.py, properties.py, individuals.py,
rules.py, actions.py, worlds.py, questions.py, plans.py; pages.py makes them all.
"""

from app.authoring.doc.folder import Written, refuse_foreign, write
from app.authoring.doc.pages import count, pages
from app.authoring.doc.subject import Subject, read_subject

__all__ = ["Subject", "Written", "count", "pages", "read_subject", "refuse_foreign", "write"]
