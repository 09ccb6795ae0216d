"""No test reaches the network: whoever connects beyond this machine fails, and the message names the test.

A test marked `network` may. Watched is this process only: pip, kernels and browsers are processes of their own.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest

_running = "the collection of tests"
_permitted = False


@contextmanager
def during(test: str, *, permitted: bool) -> Iterator[None]:
    """Name `test` in messages; let it connect anywhere if `permitted`."""
    global _running, _permitted
    before = _running, _permitted
    _running, _permitted = test, permitted
    try:
        yield
    finally:
        _running, _permitted = before


def block() -> None:
    """Guard Python's sockets for as long as this process lives."""
    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    resolve = socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **named: Any) -> Any:
        # To read an address written in digits takes no network.
        if not (_permitted or _is_local(host) or _address(host)):
            _refuse(f"asked for the address of {host!r}")
        return resolve(host, *arguments, **named)

    socket.getaddrinfo = getaddrinfo


def _guarded(original: Any) -> Any:
    def guarded(self: socket.socket, *arguments: Any) -> Any:
        address = arguments[-1]
        # A datagram socket sends nothing when it connects: Dask learns this machine's own address in that way.
        harmless = self.type == socket.SOCK_DGRAM and original.__name__ != "sendto"
        if self.family in (socket.AF_INET, socket.AF_INET6) and not (_permitted or harmless or _is_local(address[0])):
            self.close()  # create_connection closes it for an Exception only
            _refuse(f"connected to {address[0]}, port {address[1]}")
        return original(self, *arguments)

    return guarded


def _refuse(what: str) -> NoReturn:
    # Not an Exception: code that forgives a failed download must not hide that it tried.
    pytest.fail(f"{_running} {what}: tests run without a network; mark the test `network` if it needs one")


def _address(host: Any) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else host)
    except ValueError:
        return None


def _is_local(host: Any) -> bool:
    if host in (None, "", b"", "localhost", b"localhost", socket.gethostname()):
        return True
    address = _address(host)
    return address is not None and (address.is_loopback or address.is_unspecified)
