"""Domain Access over HTTP; nothing else here knows FastAPI (DESIGN 7).

application.py  the paths: create_app
edge.py         around every path: Host, HEAD, what a crash looks like, one log line a request
dialogues.py    GET and DELETE of a dialogue
bodies.py       the bytes of a request, within limits and not parsed
problems.py     the one error shape, RFC 9457
openapi.py      the description that /docs shows
logs.py         structured logs
server.py       the process: serve
"""

from app.serve_http.application import create_app
from app.serve_http.server import serve

__all__ = ["create_app", "serve"]
