"""Domain Access as a tool of any agent, over the Model Context Protocol (DESIGN 7).

server.py     the handlers            tools.py      a tool for each Kind, and the raw exchange
bridge.py     a call -> a Request     arguments.py  plain arguments       results.py  plain answers, within a budget
resources.py  what may be read first  prompts.py    ways to work          schemas.py    short schemas
transport.py  /mcp over HTTP          stdio.py      stdin and stdout: answered here, or passed on
"""

from app.serve_mcp.server import create_server
from app.serve_mcp.stdio import pass_on, serve_stdio
from app.serve_mcp.transport import add_mcp

__all__ = ["add_mcp", "create_server", "pass_on", "serve_stdio"]
