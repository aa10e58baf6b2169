from tidemill.protos.rpc.v1 import endpoints_pb2 as _endpoints_pb2
from tidemill.protos.trainer_server.v1 import trainer_server_pb2 as _trainer_server_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FitJob(_message.Message):
    __slots__ = ["endpoints", "least_ranks", "preparation", "ranks", "request"]
    ENDPOINTS_FIELD_NUMBER: _ClassVar[int]
    LEAST_RANKS_FIELD_NUMBER: _ClassVar[int]
    PREPARATION_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    endpoints: _endpoints_pb2.Endpoints
    least_ranks: int
    preparation: Preparation
    ranks: int
    request: _trainer_server_pb2.FitGraphRequest
    def __init__(self, request: _Optional[_Union[_trainer_server_pb2.FitGraphRequest, _Mapping]] = ..., endpoints: _Optional[_Union[_endpoints_pb2.Endpoints, _Mapping]] = ..., preparation: _Optional[_Union[Preparation, _Mapping]] = ..., ranks: _Optional[int] = ..., least_ranks: _Optional[int] = ...) -> None: ...

class FitWarnings(_message.Message):
    __slots__ = ["warnings"]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class FoundThreads(_message.Message):
    __slots__ = ["threads"]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    threads: int
    def __init__(self, threads: _Optional[int] = ...) -> None: ...

class KnownThreads(_message.Message):
    __slots__ = ["kinds"]
    class Kind(_message.Message):
        __slots__ = ["kind", "threads"]
        KIND_FIELD_NUMBER: _ClassVar[int]
        THREADS_FIELD_NUMBER: _ClassVar[int]
        kind: str
        threads: int
        def __init__(self, kind: _Optional[str] = ..., threads: _Optional[int] = ...) -> None: ...
    KINDS_FIELD_NUMBER: _ClassVar[int]
    kinds: _containers.RepeatedCompositeFieldContainer[KnownThreads.Kind]
    def __init__(self, kinds: _Optional[_Iterable[_Union[KnownThreads.Kind, _Mapping]]] = ...) -> None: ...

class Preparation(_message.Message):
    __slots__ = ["bytes_ahead", "known_threads", "most_threads", "prepared", "share_bytes", "share_folder", "threads"]
    BYTES_AHEAD_FIELD_NUMBER: _ClassVar[int]
    KNOWN_THREADS_FIELD_NUMBER: _ClassVar[int]
    MOST_THREADS_FIELD_NUMBER: _ClassVar[int]
    PREPARED_FIELD_NUMBER: _ClassVar[int]
    SHARE_BYTES_FIELD_NUMBER: _ClassVar[int]
    SHARE_FOLDER_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    bytes_ahead: int
    known_threads: int
    most_threads: int
    prepared: PreparedStore
    share_bytes: int
    share_folder: str
    threads: int
    def __init__(self, threads: _Optional[int] = ..., most_threads: _Optional[int] = ..., known_threads: _Optional[int] = ..., bytes_ahead: _Optional[int] = ..., share_folder: _Optional[str] = ..., share_bytes: _Optional[int] = ..., prepared: _Optional[_Union[PreparedStore, _Mapping]] = ...) -> None: ...

class PreparedStore(_message.Message):
    __slots__ = ["disk_bytes", "disk_folder", "keep_unused_micros", "memory_bytes", "memory_folder", "object_store", "object_store_bytes"]
    DISK_BYTES_FIELD_NUMBER: _ClassVar[int]
    DISK_FOLDER_FIELD_NUMBER: _ClassVar[int]
    KEEP_UNUSED_MICROS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FOLDER_FIELD_NUMBER: _ClassVar[int]
    OBJECT_STORE_BYTES_FIELD_NUMBER: _ClassVar[int]
    OBJECT_STORE_FIELD_NUMBER: _ClassVar[int]
    disk_bytes: int
    disk_folder: str
    keep_unused_micros: int
    memory_bytes: int
    memory_folder: str
    object_store: str
    object_store_bytes: int
    def __init__(self, memory_folder: _Optional[str] = ..., memory_bytes: _Optional[int] = ..., disk_folder: _Optional[str] = ..., disk_bytes: _Optional[int] = ..., keep_unused_micros: _Optional[int] = ..., object_store: _Optional[str] = ..., object_store_bytes: _Optional[int] = ...) -> None: ...

class TrainingJob(_message.Message):
    __slots__ = ["endpoints", "least_ranks", "preparation", "ranks", "request"]
    ENDPOINTS_FIELD_NUMBER: _ClassVar[int]
    LEAST_RANKS_FIELD_NUMBER: _ClassVar[int]
    PREPARATION_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    endpoints: _endpoints_pb2.Endpoints
    least_ranks: int
    preparation: Preparation
    ranks: int
    request: _trainer_server_pb2.StartTrainingRequest
    def __init__(self, request: _Optional[_Union[_trainer_server_pb2.StartTrainingRequest, _Mapping]] = ..., endpoints: _Optional[_Union[_endpoints_pb2.Endpoints, _Mapping]] = ..., preparation: _Optional[_Union[Preparation, _Mapping]] = ..., ranks: _Optional[int] = ..., least_ranks: _Optional[int] = ...) -> None: ...

class TrainingMachine(_message.Message):
    __slots__ = ["processor", "program", "torch"]
    PROCESSOR_FIELD_NUMBER: _ClassVar[int]
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    TORCH_FIELD_NUMBER: _ClassVar[int]
    processor: str
    program: str
    torch: str
    def __init__(self, program: _Optional[str] = ..., torch: _Optional[str] = ..., processor: _Optional[str] = ...) -> None: ...
