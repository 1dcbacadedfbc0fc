"""A Request in, a Response out; a world in, a world out.

service.py  Requests, sessions, explanations: the composition root     access.py  who may do and see what
releases.py releases of packs, activated, followed, taken back: sets.py, domains.py; at_rest.py where nobody serves
operator.py worlds read, changed, queried, for whoever runs an M-Instance
"""

from app.errors import DomainAccessError
from app.service.service import Service

__all__ = ["DomainAccessError", "Service"]
