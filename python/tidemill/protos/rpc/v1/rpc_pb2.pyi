from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

ALLOWED_FIELD_NUMBER: _ClassVar[int]
DESCRIPTOR: _descriptor.FileDescriptor
ROLE_JOB: Role
ROLE_OPERATOR: Role
ROLE_READER: Role
ROLE_SERVICE: Role
ROLE_UNSPECIFIED: Role
SCOPE_DATASET: Scope
SCOPE_FIELD_NUMBER: _ClassVar[int]
SCOPE_FILE: Scope
SCOPE_MODEL: Scope
SCOPE_RUN: Scope
SCOPE_TRIGGER: Scope
SCOPE_UNSPECIFIED: Scope
allowed: _descriptor.FieldDescriptor
scope: _descriptor.FieldDescriptor

class Command(_message.Message):
    __slots__ = ["request_id", "run_epoch", "run_id"]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_EPOCH_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    run_epoch: int
    run_id: int
    def __init__(self, request_id: _Optional[str] = ..., run_id: _Optional[int] = ..., run_epoch: _Optional[int] = ...) -> None: ...

class Cut(_message.Message):
    __slots__ = ["event_time", "sample_key"]
    EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEY_FIELD_NUMBER: _ClassVar[int]
    event_time: int
    sample_key: int
    def __init__(self, event_time: _Optional[int] = ..., sample_key: _Optional[int] = ...) -> None: ...

class Horizon(_message.Message):
    __slots__ = ["before", "committed_key"]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_KEY_FIELD_NUMBER: _ClassVar[int]
    before: Cut
    committed_key: int
    def __init__(self, before: _Optional[_Union[Cut, _Mapping]] = ..., committed_key: _Optional[int] = ...) -> None: ...

class JobClaims(_message.Message):
    __slots__ = ["dataset_ids", "expires_at", "file_digests", "holder", "model_ids", "models_of_run", "run_id", "triggers"]
    DATASET_IDS_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    FILE_DIGESTS_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    MODELS_OF_RUN_FIELD_NUMBER: _ClassVar[int]
    MODEL_IDS_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    dataset_ids: _containers.RepeatedScalarFieldContainer[int]
    expires_at: int
    file_digests: _containers.RepeatedScalarFieldContainer[str]
    holder: str
    model_ids: _containers.RepeatedScalarFieldContainer[int]
    models_of_run: bool
    run_id: int
    triggers: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, holder: _Optional[str] = ..., expires_at: _Optional[int] = ..., run_id: _Optional[int] = ..., triggers: _Optional[_Iterable[int]] = ..., dataset_ids: _Optional[_Iterable[int]] = ..., model_ids: _Optional[_Iterable[int]] = ..., models_of_run: bool = ..., file_digests: _Optional[_Iterable[str]] = ...) -> None: ...

class OpWork(_message.Message):
    __slots__ = ["bytes", "cpu_nanos", "rejected", "rows", "runs", "type", "unknown", "wall_nanos"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    CPU_NANOS_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    WALL_NANOS_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    cpu_nanos: int
    rejected: int
    rows: int
    runs: int
    type: str
    unknown: int
    wall_nanos: int
    def __init__(self, type: _Optional[str] = ..., runs: _Optional[int] = ..., rows: _Optional[int] = ..., rejected: _Optional[int] = ..., bytes: _Optional[int] = ..., cpu_nanos: _Optional[int] = ..., wall_nanos: _Optional[int] = ..., unknown: _Optional[int] = ...) -> None: ...

class PathWork(_message.Message):
    __slots__ = ["batches", "busy_nanos", "bytes", "capacity_nanos", "cpu_nanos", "find_nanos", "found", "link_busy_nanos", "link_nanos", "ops", "process_nanos", "processors_busy_nanos", "processors_nanos", "queue_nanos", "read_nanos", "rows", "shared"]
    BATCHES_FIELD_NUMBER: _ClassVar[int]
    BUSY_NANOS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_NANOS_FIELD_NUMBER: _ClassVar[int]
    CPU_NANOS_FIELD_NUMBER: _ClassVar[int]
    FIND_NANOS_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    LINK_BUSY_NANOS_FIELD_NUMBER: _ClassVar[int]
    LINK_NANOS_FIELD_NUMBER: _ClassVar[int]
    OPS_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_BUSY_NANOS_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_NANOS_FIELD_NUMBER: _ClassVar[int]
    PROCESS_NANOS_FIELD_NUMBER: _ClassVar[int]
    QUEUE_NANOS_FIELD_NUMBER: _ClassVar[int]
    READ_NANOS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    SHARED_FIELD_NUMBER: _ClassVar[int]
    batches: int
    busy_nanos: int
    bytes: int
    capacity_nanos: int
    cpu_nanos: int
    find_nanos: int
    found: int
    link_busy_nanos: int
    link_nanos: int
    ops: _containers.RepeatedCompositeFieldContainer[OpWork]
    process_nanos: int
    processors_busy_nanos: int
    processors_nanos: int
    queue_nanos: int
    read_nanos: int
    rows: int
    shared: SharedWork
    def __init__(self, batches: _Optional[int] = ..., rows: _Optional[int] = ..., bytes: _Optional[int] = ..., busy_nanos: _Optional[int] = ..., cpu_nanos: _Optional[int] = ..., queue_nanos: _Optional[int] = ..., read_nanos: _Optional[int] = ..., capacity_nanos: _Optional[int] = ..., link_busy_nanos: _Optional[int] = ..., link_nanos: _Optional[int] = ..., ops: _Optional[_Iterable[_Union[OpWork, _Mapping]]] = ..., processors_nanos: _Optional[int] = ..., processors_busy_nanos: _Optional[int] = ..., process_nanos: _Optional[int] = ..., shared: _Optional[_Union[SharedWork, _Mapping]] = ..., found: _Optional[int] = ..., find_nanos: _Optional[int] = ...) -> None: ...

class SharedWork(_message.Message):
    __slots__ = ["again", "failed", "made", "taken", "wait_nanos"]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    WAIT_NANOS_FIELD_NUMBER: _ClassVar[int]
    again: int
    failed: int
    made: int
    taken: int
    wait_nanos: int
    def __init__(self, made: _Optional[int] = ..., taken: _Optional[int] = ..., again: _Optional[int] = ..., failed: _Optional[int] = ..., wait_nanos: _Optional[int] = ...) -> None: ...

class Snapshot(_message.Message):
    __slots__ = ["committed_key", "dataset_id", "horizons", "tombstone_sequence"]
    COMMITTED_KEY_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    HORIZONS_FIELD_NUMBER: _ClassVar[int]
    TOMBSTONE_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    committed_key: int
    dataset_id: int
    horizons: _containers.RepeatedCompositeFieldContainer[Horizon]
    tombstone_sequence: int
    def __init__(self, dataset_id: _Optional[int] = ..., committed_key: _Optional[int] = ..., tombstone_sequence: _Optional[int] = ..., horizons: _Optional[_Iterable[_Union[Horizon, _Mapping]]] = ...) -> None: ...

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Scope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
