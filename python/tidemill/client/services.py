"""Calls the services of a stack, with the token of its operator.

A method is named by its request: `GetRunRequest` of `supervisor.v1` goes to `SupervisorService.GetRun`, whose answer is a
`GetRunResponse`. tools/check_protos.py holds the protos to these names.
"""
from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Iterator
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from tidemill.client.address import Reach, is_local
from tidemill.errors import Conflict, Error, error_of_status

Answer = TypeVar("Answer", bound=Message)

_MAX_MESSAGE_BYTES = 16 << 20
# How long one attempt to connect may take. A service on a busy machine may need seconds to answer.
_CONNECT_MILLIS = 20_000
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_OPTIONS = [
    ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES), ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", _CONNECT_MILLIS), ("grpc.max_reconnect_backoff_ms", 2_000),
    # A proxy of the environment is no way to a service of a stack.
    ("grpc.enable_http_proxy", 0)]


def new_request_id() -> str:
    """A name that no other request has."""
    return secrets.token_hex(13)


class Services:
    """The services of one stack. Connects when a service is first called. Threads may share it."""

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self._lock = threading.Lock()
        self._channels: dict[str, grpc.Channel] = {}  # Guarded by the lock.

    def close(self) -> None:
        """Ends the connections. Later calls make new ones."""
        with self._lock:
            while self._channels:
                self._channels.popitem()[1].close()

    def ask(self, service: str, request: Message, response: type[Answer], *, of: str = "") -> Answer:
        """Returns the answer. Waits for a service that is away, up to the timeout of the address.

        `of`: the name of the gRPC service, where it is not that of the package.
        """
        method = self._channel(service).unary_unary(_method_of(request, of), type(request).SerializeToString, response.FromString)
        end = time.monotonic() + self.reach.timeout
        pause, tried_before = _FIRST_PAUSE, False
        while True:
            try:
                # gRPC attends to a connection only while a call waits for it.
                answer: Answer = method(request, metadata=self._metadata(), wait_for_ready=tried_before,
                                        timeout=max(0.001, end - time.monotonic()))
                return answer
            except grpc.RpcError as error:
                length = pause * (0.5 + random.random() / 2)
                if not _is_away(error) or time.monotonic() + length >= end:
                    raise self._error(service, error) from None
                time.sleep(length)
                pause, tried_before = min(2 * pause, _LONGEST_PAUSE), True

    def follow(self, service: str, request: Message, response: type[Answer], *, of: str = "") -> Iterator[Answer]:
        """Yields the messages of a stream. Ends the call when the iterator is closed."""
        path = _method_of(request, of)
        call = self._channel(service).unary_stream(path, type(request).SerializeToString, response.FromString)(
            request, metadata=self._metadata(), wait_for_ready=True)
        try:
            yield from call
        except grpc.RpcError as error:
            raise self._error(service, error) from None
        finally:
            call.cancel()  # type: ignore[no-untyped-call]

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.reach.token}"), ("x-request-id", new_request_id()))

    def _channel(self, service: str) -> grpc.Channel:
        endpoint = self.reach.endpoints.get(service)
        if endpoint is None:
            raise Conflict(f"the endpoint of {service} is unknown", advice="name a system configuration with `config`")
        with self._lock:
            if service not in self._channels:
                self._channels[service] = self._connected(service, endpoint)
            return self._channels[service]

    def _connected(self, service: str, endpoint: str) -> grpc.Channel:
        options: list[tuple[str, Any]] = list(_OPTIONS)
        tls = self.reach.tls
        if endpoint.startswith("unix:"):
            credentials = grpc.local_channel_credentials(grpc.LocalConnectionType.UDS)
        elif tls is not None:
            credentials = grpc.ssl_channel_credentials(tls.ca, tls.key, tls.certificate)
            if tls.by_service:
                options.append(("grpc.ssl_target_name_override", service.replace("_", "-")))
        else:
            assert is_local(endpoint)
            credentials = grpc.local_channel_credentials(grpc.LocalConnectionType.LOCAL_TCP)
        return grpc.secure_channel(endpoint, credentials, options=options)

    def _error(self, service: str, error: grpc.RpcError) -> Error:
        return error_of_status(error.code().name, error.details() or "no reason given",
                               peer=f"{service} at {self.reach.endpoints[service]}")


def _method_of(request: Message, of: str) -> str:
    descriptor = request.DESCRIPTOR
    package = descriptor.file.package
    service = of or "".join(word.capitalize() for word in package.split(".")[1].split("_")) + "Service"
    return f"/{package}.{service}/{descriptor.name.removesuffix('Request')}"


def _is_away(error: grpc.RpcError) -> bool:
    away = error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
    return away and "the disk is full" not in (error.details() or "")
