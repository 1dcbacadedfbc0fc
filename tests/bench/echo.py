"""The least an endpoint of the exchange can do: validate a Request and send it back. The server stack is the same."""

from __future__ import annotations

import gc

import uvicorn
from anyio.to_thread import run_sync
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from app.exchange import read_request
from app.serve_http.bodies import read_body
from app.serve_http.server import address_of, listen

THREAD, LOOP = "/thread", "/loop"


def create_echo() -> FastAPI:
    """THREAD validates in a thread, as the service does; LOOP on the event loop: cheaper, and others wait."""
    app = FastAPI()

    @app.post(THREAD)
    async def in_thread(request: Request) -> Response:
        raw = await read_body(request)
        await run_sync(read_request, raw)
        return Response(raw, media_type="application/json")

    @app.post(LOOP)
    async def on_loop(request: Request) -> Response:
        raw = await read_body(request)
        read_request(raw)
        return Response(raw, media_type="application/json")

    return app


def main() -> None:
    """Serve on a free port of loopback until SIGTERM."""
    with listen("127.0.0.1", 0) as listener:
        config = uvicorn.Config(
            create_echo(),
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
        )
        gc.freeze()
        print(f"ready on {address_of(listener)}", flush=True)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
