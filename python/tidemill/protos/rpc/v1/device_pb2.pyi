from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class JobDevice(_message.Message):
    __slots__ = ["device", "id", "is_pretended", "memory_bytes", "name"]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    IS_PRETENDED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    device: str
    id: str
    is_pretended: bool
    memory_bytes: int
    name: str
    def __init__(self, device: _Optional[str] = ..., id: _Optional[str] = ..., name: _Optional[str] = ..., memory_bytes: _Optional[int] = ..., is_pretended: bool = ...) -> None: ...

class Slot(_message.Message):
    __slots__ = ["busy_share", "device", "id", "is_pretended", "job", "memory_bytes", "name", "used_bytes"]
    BUSY_SHARE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    IS_PRETENDED_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    USED_BYTES_FIELD_NUMBER: _ClassVar[int]
    busy_share: float
    device: str
    id: str
    is_pretended: bool
    job: str
    memory_bytes: int
    name: str
    used_bytes: int
    def __init__(self, device: _Optional[str] = ..., id: _Optional[str] = ..., name: _Optional[str] = ..., memory_bytes: _Optional[int] = ..., used_bytes: _Optional[int] = ..., busy_share: _Optional[float] = ..., job: _Optional[str] = ..., is_pretended: bool = ...) -> None: ...
