"""Packs -> a static site that explains them: every class, use, rule and case, readable without server and network.

subject.py  a pack as it is shown: its terms, what is stated of them and what follows
site.py     all packs shown, and where each thing has its place; pages and the links between them
html.py     markup                     axioms.py  axioms in readable form
tree.py     classes as a tree          drawing.py a tree as a picture
frame.py    what is around every page  terms.py   what every term has
folder.py   the folder of a site: nothing that is not ours is touched

One file for each kind of page: front.py, overview.py, classes.py, class_page.py, properties.py, individuals.py,
rules.py, actions.py, worlds.py, questions.py, plans.py.
"""

from app.authoring.doc.folder import Written, refuse_foreign, write
from app.authoring.doc.pages import count, pages
from app.authoring.doc.subject import Subject, read_subject

__all__ = ["Subject", "Written", "count", "pages", "read_subject", "refuse_foreign", "write"]
