"""The process that serves: listens at once, loads beside it, stops without dropping a request."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
from collections.abc import Callable
from contextlib import nullcontext
from queue import SimpleQueue
from time import perf_counter
from typing import TypeAlias

import uvicorn
from anyio.to_thread import run_sync
from fastapi import FastAPI

from app.errors import Code, Fault, StateError
from app.serve_http.application import Mount, create_app
from app.serve_http.logs import configure_logs
from app.service import Service
from app.service.releases import Call, Calls
from app.settings import Settings

Opening: TypeAlias = Callable[[Service, str], None]
"""What is done with the loaded service before the first request; the text is the address served on."""

_STOP_S = 10  # seconds that requests under way are given at the end


def serve(
    settings: Settings, *, opening: Opening | None = None, mount: Mount | None = None, begun: float | None = None
) -> None:
    """Serve until SIGTERM or SIGINT; SIGHUP activates the newest releases. `begun` is the perf_counter from which the
    time to readiness is told.

    Raises SettingsError before anything is opened, StateError where the address cannot be had, and what loading
    raises.
    """
    since = perf_counter() if begun is None else begun
    app = create_app(None, settings, mount)
    with listen(settings.host, settings.port) as listener:
        configure_logs(settings)
        config = uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_STOP_S,
        )
        server = uvicorn.Server(config)
        calls: Calls = SimpleQueue()

        def stop(*_: object) -> None:
            server.should_exit = True

        before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, lambda *_: calls.put(Call.NEWEST))
        try:
            with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
                runner.run(_run(server, listener, app, settings, opening, since, calls))
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; callers wait in its queue until they are served. Raises StateError, saying why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family, backlog=1024)
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
        hint = f"another: `domain-access serve --port {port + 1 if port < 65535 else 0}`, or `--port 0` for any"
        message = f"port {port} of `{host}` cannot be had: {reason}"
        raise StateError(Fault(Code.PORT_UNAVAILABLE, message, where="DOMAIN_ACCESS_PORT", hint=hint)) from error


def address_of(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _run(
    server: uvicorn.Server,
    listener: socket.socket,
    app: FastAPI,
    settings: Settings,
    opening: Opening | None,
    since: float,
    calls: Calls,
) -> None:
    address = address_of(listener)
    opened: list[Service] = []

    async def load() -> None:
        try:
            opened.append(await run_sync(Service.open, settings))
            gc.freeze()  # what is loaded stays: collections need not look at it again
            if opening is not None and not server.should_exit:
                await run_sync(opening, opened[0], address)
            app.state.service = opened[0]
            opened[0].releases.start_following(calls)
            while not server.started and not server.should_exit:
                await asyncio.sleep(0.005)
            if not server.should_exit:
                print(f"ready on {address} in {perf_counter() - since:.1f} s", flush=True)
        except BaseException:
            server.should_exit = True
            raise

    loading = asyncio.create_task(load())
    try:
        async with app.state.running() if hasattr(app.state, "running") else nullcontext():
            await server.serve(sockets=[listener])
        await loading
    finally:
        for service in opened:
            service.close()
