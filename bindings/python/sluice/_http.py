"""Requests and answers as bytes, without sockets."""
from __future__ import annotations

import json

from ._errors import Refused, SluiceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Tuple

    Json = Dict[str, Any]

MOST_HEADER = 16 * 1024
_ALIEN = "the answer is not from a sluice daemon"


def request(method: str, target: str, body: Optional[Json] = None) -> bytes:
    if body is None:
        return f"{method} {target} HTTP/1.1\r\nHost: sluice\r\n\r\n".encode()
    sent = _encode(body).encode()
    return (f"{method} {target} HTTP/1.1\r\nHost: sluice\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(sent)}\r\n\r\n").encode() + sent


_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def taken(received: bytes) -> Optional[Tuple[int, bytes]]:
    """The status and the body of a complete answer; None if some of it is missing."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        if len(received) > MOST_HEADER:
            raise SluiceError(_ALIEN)
        return None
    at = received.find(b"\r\nContent-Length: ", 0, end)
    if at < 0 or not received.startswith(b"HTTP/1.1 "):
        raise SluiceError(_ALIEN)
    try:
        status = int(received[9:12])
        length = int(received[at + 18:max(received.find(b"\r\n", at + 18), 0)])
    except ValueError:
        raise SluiceError(_ALIEN) from None
    if len(received) < end + 4 + length:
        return None
    if len(received) > end + 4 + length:
        # The rest would be taken for the next answer: whoever receives this closes the connection.
        raise SluiceError(_ALIEN)
    return status, received[end + 4:end + 4 + length]


def understood(status: int, body: bytes) -> Json:
    """The answer's object; raises Refused for an error."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise SluiceError(_ALIEN)
    if status < 300:
        return answer
    error = answer.get("error")
    if not isinstance(error, dict):
        raise SluiceError(_ALIEN)
    raise Refused(str(error.get("message", "")), str(error.get("code", "")), answer)
