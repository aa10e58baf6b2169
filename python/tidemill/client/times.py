"""Times of messages as times of Python, all in UTC."""
from __future__ import annotations

import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from tidemill.protos.rpc.v1.rpc_pb2 import Cut

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def of_micros(micros: int) -> datetime.datetime | None:
    """None for the ends of time, which Python has no value for."""
    try:
        return _EPOCH + datetime.timedelta(microseconds=micros)
    except OverflowError:
        return None


def of_cut(cut: Cut) -> datetime.datetime | None:
    """The event time of a position in a stream."""
    return of_micros(cut.event_time)


def of_timestamp(timestamp: Timestamp) -> datetime.datetime | None:
    """A time of the clock; None where the message has none."""
    if timestamp.seconds == 0 and timestamp.nanos == 0:
        return None
    return of_micros(timestamp.seconds * 1_000_000 + timestamp.nanos // 1_000)


def shown(time: datetime.datetime | None) -> str:
    """A time for people: the day alone where it begins one."""
    return "-" if time is None else time.strftime("%Y-%m-%d %H:%M:%S").removesuffix(" 00:00:00")
