from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import engine_pb2 as _engine_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetScalingRequest(_message.Message):
    __slots__ = ["most_decisions"]
    MOST_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    most_decisions: int
    def __init__(self, most_decisions: _Optional[int] = ...) -> None: ...

class GetScalingResponse(_message.Message):
    __slots__ = ["decisions", "engine", "scales", "wanted"]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    SCALES_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[ScalingDecision]
    engine: _engine_pb2.EngineGroup
    scales: bool
    wanted: int
    def __init__(self, scales: bool = ..., wanted: _Optional[int] = ..., engine: _Optional[_Union[_engine_pb2.EngineGroup, _Mapping]] = ..., decisions: _Optional[_Iterable[_Union[ScalingDecision, _Mapping]]] = ...) -> None: ...

class JobNeed(_message.Message):
    __slots__ = ["batches_per_second", "job_id", "name", "seconds_per_batch", "threads", "wait_share"]
    BATCHES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SECONDS_PER_BATCH_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    WAIT_SHARE_FIELD_NUMBER: _ClassVar[int]
    batches_per_second: float
    job_id: int
    name: str
    seconds_per_batch: float
    threads: float
    wait_share: float
    def __init__(self, job_id: _Optional[int] = ..., name: _Optional[str] = ..., batches_per_second: _Optional[float] = ..., seconds_per_batch: _Optional[float] = ..., wait_share: _Optional[float] = ..., threads: _Optional[float] = ...) -> None: ...

class ScalingDecision(_message.Message):
    __slots__ = ["at", "before", "jobs", "reason", "threads_per_worker", "wanted"]
    AT_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    THREADS_PER_WORKER_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    before: int
    jobs: _containers.RepeatedCompositeFieldContainer[JobNeed]
    reason: str
    threads_per_worker: float
    wanted: int
    def __init__(self, at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., before: _Optional[int] = ..., wanted: _Optional[int] = ..., threads_per_worker: _Optional[float] = ..., jobs: _Optional[_Iterable[_Union[JobNeed, _Mapping]]] = ..., reason: _Optional[str] = ...) -> None: ...
