"""A process that can reach nobody: sockets are refused by the kernel, whatever a query makes Oxigraph try.

Oxigraph follows SERVICE and LOAD to any address and cannot be told not to. Our reading of a query refuses both
(sparql.py); this holds where that reading should ever be wrong. Linux only: elsewhere the reading stands alone.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from typing import Final

_SOCKET_CALLS: Final = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""By machine: what the kernel calls its calling convention, and the number of socket(2)."""

_PR_SET_SECCOMP: Final = 22
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # of BPF
_KILL, _FAIL, _ALLOW = 0x80000000, 0x00050000 | errno.EACCES, 0x7FFF0000
_IO_URING_SETUP: Final = 425
"""By which sockets could be had without socket(2); its number is the same everywhere."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def without_network() -> bool:
    """Refuse this process and its threads to come every socket, for good. False where the system cannot."""
    if sys.platform != "linux" or platform.machine() not in _SOCKET_CALLS:
        return False
    convention, socket = _SOCKET_CALLS[platform.machine()]
    steps = (
        (_LOAD, 0, 0, 4),  # the calling convention
        (_JUMP_IF_EQUAL, 1, 0, convention),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),  # the number of the call
        (_JUMP_IF_EQUAL, 2, 0, socket),
        (_JUMP_IF_EQUAL, 1, 0, _IO_URING_SETUP),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FAIL),
    )
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Program(len(steps), code)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    refused: int = libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)
    return refused == 0
