from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
ENGINE_PHASE_ENDING: EnginePhase
ENGINE_PHASE_RUNNING: EnginePhase
ENGINE_PHASE_UNSPECIFIED: EnginePhase
ENGINE_PHASE_WAITING: EnginePhase

class EngineGroup(_message.Message):
    __slots__ = ["backend", "error", "last_end", "name", "processes", "wanted"]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LAST_END_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROCESSES_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    backend: str
    error: str
    last_end: str
    name: str
    processes: _containers.RepeatedCompositeFieldContainer[EngineProcess]
    wanted: int
    def __init__(self, name: _Optional[str] = ..., backend: _Optional[str] = ..., wanted: _Optional[int] = ..., processes: _Optional[_Iterable[_Union[EngineProcess, _Mapping]]] = ..., error: _Optional[str] = ..., last_end: _Optional[str] = ...) -> None: ...

class EngineProcess(_message.Message):
    __slots__ = ["host", "id", "member", "number", "phase", "reason", "since"]
    HOST_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    host: str
    id: str
    member: str
    number: int
    phase: EnginePhase
    reason: str
    since: _timestamp_pb2.Timestamp
    def __init__(self, number: _Optional[int] = ..., phase: _Optional[_Union[EnginePhase, str]] = ..., id: _Optional[str] = ..., reason: _Optional[str] = ..., host: _Optional[str] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., member: _Optional[str] = ...) -> None: ...

class EnginePhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
