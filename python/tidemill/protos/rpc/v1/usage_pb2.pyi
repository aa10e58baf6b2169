from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Prices(_message.Message):
    __slots__ = ["currency", "device_hour", "gigabyte_sent", "gigabyte_stored_month", "processor_hour"]
    class DeviceHourEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    DEVICE_HOUR_FIELD_NUMBER: _ClassVar[int]
    GIGABYTE_SENT_FIELD_NUMBER: _ClassVar[int]
    GIGABYTE_STORED_MONTH_FIELD_NUMBER: _ClassVar[int]
    PROCESSOR_HOUR_FIELD_NUMBER: _ClassVar[int]
    currency: str
    device_hour: _containers.ScalarMap[str, float]
    gigabyte_sent: float
    gigabyte_stored_month: float
    processor_hour: float
    def __init__(self, currency: _Optional[str] = ..., processor_hour: _Optional[float] = ..., device_hour: _Optional[_Mapping[str, float]] = ..., gigabyte_sent: _Optional[float] = ..., gigabyte_stored_month: _Optional[float] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ["bytes_read", "bytes_sent", "bytes_stored", "device_nanos", "job_nanos", "service_nanos", "worker_nanos"]
    class DeviceNanosEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    BYTES_READ_FIELD_NUMBER: _ClassVar[int]
    BYTES_SENT_FIELD_NUMBER: _ClassVar[int]
    BYTES_STORED_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NANOS_FIELD_NUMBER: _ClassVar[int]
    JOB_NANOS_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NANOS_FIELD_NUMBER: _ClassVar[int]
    WORKER_NANOS_FIELD_NUMBER: _ClassVar[int]
    bytes_read: int
    bytes_sent: int
    bytes_stored: int
    device_nanos: _containers.ScalarMap[str, int]
    job_nanos: int
    service_nanos: int
    worker_nanos: int
    def __init__(self, job_nanos: _Optional[int] = ..., worker_nanos: _Optional[int] = ..., service_nanos: _Optional[int] = ..., device_nanos: _Optional[_Mapping[str, int]] = ..., bytes_read: _Optional[int] = ..., bytes_sent: _Optional[int] = ..., bytes_stored: _Optional[int] = ...) -> None: ...

class UsageTotal(_message.Message):
    __slots__ = ["name", "usage"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    name: str
    usage: Usage
    def __init__(self, name: _Optional[str] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ...) -> None: ...
