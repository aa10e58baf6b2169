from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.rpc.v1 import usage_pb2 as _usage_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

COMPRESSION_LZ4: Compression
COMPRESSION_UNSPECIFIED: Compression
COMPRESSION_ZSTD: Compression
DESCRIPTOR: _descriptor.FileDescriptor
WORKER_STATE_ALIVE: WorkerState
WORKER_STATE_DRAINING: WorkerState
WORKER_STATE_LOST: WorkerState
WORKER_STATE_UNSPECIFIED: WorkerState

class CreateJobRequest(_message.Message):
    __slots__ = ["command", "fitted", "lanes", "name", "samples", "spec", "split_batches"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    FITTED_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    SPLIT_BATCHES_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    fitted: bytes
    lanes: _containers.RepeatedCompositeFieldContainer[Lane]
    name: str
    samples: JobSamples
    spec: str
    split_batches: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., name: _Optional[str] = ..., spec: _Optional[str] = ..., fitted: _Optional[bytes] = ..., lanes: _Optional[_Iterable[_Union[Lane, _Mapping]]] = ..., split_batches: _Optional[int] = ..., samples: _Optional[_Union[JobSamples, _Mapping]] = ...) -> None: ...

class CreateJobResponse(_message.Message):
    __slots__ = ["job_id"]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    job_id: int
    def __init__(self, job_id: _Optional[int] = ...) -> None: ...

class DistrustedWorker(_message.Message):
    __slots__ = ["incarnation", "reason"]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    incarnation: WorkerIncarnation
    reason: str
    def __init__(self, incarnation: _Optional[_Union[WorkerIncarnation, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class DrainWorkerRequest(_message.Message):
    __slots__ = ["command", "worker_id"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    worker_id: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., worker_id: _Optional[int] = ...) -> None: ...

class DrainWorkerResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FinishJobRequest(_message.Message):
    __slots__ = ["command", "job_id"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    job_id: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., job_id: _Optional[int] = ...) -> None: ...

class FinishJobResponse(_message.Message):
    __slots__ = ["usage"]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    usage: _usage_pb2.Usage
    def __init__(self, usage: _Optional[_Union[_usage_pb2.Usage, _Mapping]] = ...) -> None: ...

class GetJobRequest(_message.Message):
    __slots__ = ["job_id"]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    job_id: int
    def __init__(self, job_id: _Optional[int] = ...) -> None: ...

class GetJobResponse(_message.Message):
    __slots__ = ["fitted", "name", "samples", "scope", "spec"]
    FITTED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    fitted: bytes
    name: str
    samples: JobSamples
    scope: _rpc_pb2.JobClaims
    spec: str
    def __init__(self, name: _Optional[str] = ..., spec: _Optional[str] = ..., fitted: _Optional[bytes] = ..., samples: _Optional[_Union[JobSamples, _Mapping]] = ..., scope: _Optional[_Union[_rpc_pb2.JobClaims, _Mapping]] = ...) -> None: ...

class Job(_message.Message):
    __slots__ = ["created_at", "job_id", "name", "num_batches", "num_consumers", "num_done", "num_issued", "num_leased", "num_reissued", "wait_share", "work"]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_BATCHES_FIELD_NUMBER: _ClassVar[int]
    NUM_CONSUMERS_FIELD_NUMBER: _ClassVar[int]
    NUM_DONE_FIELD_NUMBER: _ClassVar[int]
    NUM_ISSUED_FIELD_NUMBER: _ClassVar[int]
    NUM_LEASED_FIELD_NUMBER: _ClassVar[int]
    NUM_REISSUED_FIELD_NUMBER: _ClassVar[int]
    WAIT_SHARE_FIELD_NUMBER: _ClassVar[int]
    WORK_FIELD_NUMBER: _ClassVar[int]
    created_at: int
    job_id: int
    name: str
    num_batches: int
    num_consumers: int
    num_done: int
    num_issued: int
    num_leased: int
    num_reissued: int
    wait_share: float
    work: _rpc_pb2.PathWork
    def __init__(self, job_id: _Optional[int] = ..., name: _Optional[str] = ..., created_at: _Optional[int] = ..., num_batches: _Optional[int] = ..., num_issued: _Optional[int] = ..., num_done: _Optional[int] = ..., num_leased: _Optional[int] = ..., num_reissued: _Optional[int] = ..., wait_share: _Optional[float] = ..., num_consumers: _Optional[int] = ..., work: _Optional[_Union[_rpc_pb2.PathWork, _Mapping]] = ...) -> None: ...

class JobSamples(_message.Message):
    __slots__ = ["key_steps", "ordinal_steps", "weights"]
    KEY_STEPS_FIELD_NUMBER: _ClassVar[int]
    ORDINAL_STEPS_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    key_steps: _containers.RepeatedScalarFieldContainer[int]
    ordinal_steps: _containers.RepeatedScalarFieldContainer[int]
    weights: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, key_steps: _Optional[_Iterable[int]] = ..., ordinal_steps: _Optional[_Iterable[int]] = ..., weights: _Optional[_Iterable[float]] = ...) -> None: ...

class Lane(_message.Message):
    __slots__ = ["end_batch", "first_batch", "shard"]
    END_BATCH_FIELD_NUMBER: _ClassVar[int]
    FIRST_BATCH_FIELD_NUMBER: _ClassVar[int]
    SHARD_FIELD_NUMBER: _ClassVar[int]
    end_batch: int
    first_batch: int
    shard: int
    def __init__(self, first_batch: _Optional[int] = ..., end_batch: _Optional[int] = ..., shard: _Optional[int] = ...) -> None: ...

class LaneProgress(_message.Message):
    __slots__ = ["done_before", "lane", "missed", "own", "window"]
    DONE_BEFORE_FIELD_NUMBER: _ClassVar[int]
    LANE_FIELD_NUMBER: _ClassVar[int]
    MISSED_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    done_before: int
    lane: int
    missed: _containers.RepeatedScalarFieldContainer[int]
    own: _containers.RepeatedScalarFieldContainer[int]
    window: int
    def __init__(self, lane: _Optional[int] = ..., done_before: _Optional[int] = ..., window: _Optional[int] = ..., own: _Optional[_Iterable[int]] = ..., missed: _Optional[_Iterable[int]] = ...) -> None: ...

class LeaseSplitsRequest(_message.Message):
    __slots__ = ["command", "job_ids", "max_splits", "num_batches", "num_bytes", "wait_millis", "work", "worker"]
    class JobWork(_message.Message):
        __slots__ = ["job_id", "usage", "work"]
        JOB_ID_FIELD_NUMBER: _ClassVar[int]
        USAGE_FIELD_NUMBER: _ClassVar[int]
        WORK_FIELD_NUMBER: _ClassVar[int]
        job_id: int
        usage: _usage_pb2.Usage
        work: _rpc_pb2.PathWork
        def __init__(self, job_id: _Optional[int] = ..., work: _Optional[_Union[_rpc_pb2.PathWork, _Mapping]] = ..., usage: _Optional[_Union[_usage_pb2.Usage, _Mapping]] = ...) -> None: ...
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    MAX_SPLITS_FIELD_NUMBER: _ClassVar[int]
    NUM_BATCHES_FIELD_NUMBER: _ClassVar[int]
    NUM_BYTES_FIELD_NUMBER: _ClassVar[int]
    WAIT_MILLIS_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    WORK_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    job_ids: _containers.RepeatedScalarFieldContainer[int]
    max_splits: int
    num_batches: int
    num_bytes: int
    wait_millis: int
    work: _containers.RepeatedCompositeFieldContainer[LeaseSplitsRequest.JobWork]
    worker: WorkerIncarnation
    def __init__(self, worker: _Optional[_Union[WorkerIncarnation, _Mapping]] = ..., max_splits: _Optional[int] = ..., wait_millis: _Optional[int] = ..., job_ids: _Optional[_Iterable[int]] = ..., num_batches: _Optional[int] = ..., num_bytes: _Optional[int] = ..., work: _Optional[_Iterable[_Union[LeaseSplitsRequest.JobWork, _Mapping]]] = ..., command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ...) -> None: ...

class LeaseSplitsResponse(_message.Message):
    __slots__ = ["draining", "finished_job_ids", "splits"]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    FINISHED_JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    SPLITS_FIELD_NUMBER: _ClassVar[int]
    draining: bool
    finished_job_ids: _containers.RepeatedScalarFieldContainer[int]
    splits: _containers.RepeatedCompositeFieldContainer[Split]
    def __init__(self, splits: _Optional[_Iterable[_Union[Split, _Mapping]]] = ..., finished_job_ids: _Optional[_Iterable[int]] = ..., draining: bool = ...) -> None: ...

class ListJobsRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListJobsResponse(_message.Message):
    __slots__ = ["jobs"]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[Job]
    def __init__(self, jobs: _Optional[_Iterable[_Union[Job, _Mapping]]] = ...) -> None: ...

class ListWorkersRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListWorkersResponse(_message.Message):
    __slots__ = ["workers"]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    workers: _containers.RepeatedCompositeFieldContainer[Worker]
    def __init__(self, workers: _Optional[_Iterable[_Union[Worker, _Mapping]]] = ...) -> None: ...

class ReadBatchesRequest(_message.Message):
    __slots__ = ["credit_bytes", "open", "wanted"]
    class Open(_message.Message):
        __slots__ = ["accepts", "job_id", "lanes", "worker"]
        ACCEPTS_FIELD_NUMBER: _ClassVar[int]
        JOB_ID_FIELD_NUMBER: _ClassVar[int]
        LANES_FIELD_NUMBER: _ClassVar[int]
        WORKER_FIELD_NUMBER: _ClassVar[int]
        accepts: _containers.RepeatedScalarFieldContainer[Compression]
        job_id: int
        lanes: _containers.RepeatedScalarFieldContainer[int]
        worker: WorkerIncarnation
        def __init__(self, job_id: _Optional[int] = ..., lanes: _Optional[_Iterable[int]] = ..., worker: _Optional[_Union[WorkerIncarnation, _Mapping]] = ..., accepts: _Optional[_Iterable[_Union[Compression, str]]] = ...) -> None: ...
    CREDIT_BYTES_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    credit_bytes: int
    open: ReadBatchesRequest.Open
    wanted: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, open: _Optional[_Union[ReadBatchesRequest.Open, _Mapping]] = ..., credit_bytes: _Optional[int] = ..., wanted: _Optional[_Iterable[int]] = ...) -> None: ...

class ReadBatchesResponse(_message.Message):
    __slots__ = ["attempt", "batch", "compression", "lane", "num_bytes", "num_filtered", "num_skipped", "number", "reason"]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    COMPRESSION_FIELD_NUMBER: _ClassVar[int]
    LANE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NUM_BYTES_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_SKIPPED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    batch: bytes
    compression: Compression
    lane: int
    num_bytes: int
    num_filtered: int
    num_skipped: int
    number: int
    reason: str
    def __init__(self, batch: _Optional[bytes] = ..., lane: _Optional[int] = ..., number: _Optional[int] = ..., attempt: _Optional[int] = ..., num_skipped: _Optional[int] = ..., reason: _Optional[str] = ..., compression: _Optional[_Union[Compression, str]] = ..., num_bytes: _Optional[int] = ..., num_filtered: _Optional[int] = ...) -> None: ...

class RegisterWorkerRequest(_message.Message):
    __slots__ = ["boot_id", "command", "continues", "endpoint", "host", "name", "num_threads", "ring_socket", "started_as"]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    CONTINUES_FIELD_NUMBER: _ClassVar[int]
    ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_THREADS_FIELD_NUMBER: _ClassVar[int]
    RING_SOCKET_FIELD_NUMBER: _ClassVar[int]
    STARTED_AS_FIELD_NUMBER: _ClassVar[int]
    boot_id: str
    command: _rpc_pb2.Command
    continues: WorkerIncarnation
    endpoint: str
    host: str
    name: str
    num_threads: int
    ring_socket: str
    started_as: str
    def __init__(self, name: _Optional[str] = ..., endpoint: _Optional[str] = ..., boot_id: _Optional[str] = ..., ring_socket: _Optional[str] = ..., num_threads: _Optional[int] = ..., command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., host: _Optional[str] = ..., continues: _Optional[_Union[WorkerIncarnation, _Mapping]] = ..., started_as: _Optional[str] = ...) -> None: ...

class RegisterWorkerResponse(_message.Message):
    __slots__ = ["incarnation", "worker_id"]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    incarnation: int
    worker_id: int
    def __init__(self, worker_id: _Optional[int] = ..., incarnation: _Optional[int] = ...) -> None: ...

class ReportProgressRequest(_message.Message):
    __slots__ = ["broken", "command", "connected", "consumer", "distrusted", "job_id", "lanes", "wait_share"]
    BROKEN_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_FIELD_NUMBER: _ClassVar[int]
    DISTRUSTED_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    WAIT_SHARE_FIELD_NUMBER: _ClassVar[int]
    broken: _containers.RepeatedCompositeFieldContainer[WorkerIncarnation]
    command: _rpc_pb2.Command
    connected: _containers.RepeatedCompositeFieldContainer[WorkerIncarnation]
    consumer: str
    distrusted: _containers.RepeatedCompositeFieldContainer[DistrustedWorker]
    job_id: int
    lanes: _containers.RepeatedCompositeFieldContainer[LaneProgress]
    wait_share: float
    def __init__(self, job_id: _Optional[int] = ..., consumer: _Optional[str] = ..., lanes: _Optional[_Iterable[_Union[LaneProgress, _Mapping]]] = ..., connected: _Optional[_Iterable[_Union[WorkerIncarnation, _Mapping]]] = ..., broken: _Optional[_Iterable[_Union[WorkerIncarnation, _Mapping]]] = ..., wait_share: _Optional[float] = ..., command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., distrusted: _Optional[_Iterable[_Union[DistrustedWorker, _Mapping]]] = ...) -> None: ...

class ReportProgressResponse(_message.Message):
    __slots__ = ["usage", "work", "workers"]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    WORK_FIELD_NUMBER: _ClassVar[int]
    usage: _usage_pb2.Usage
    work: _rpc_pb2.PathWork
    workers: _containers.RepeatedCompositeFieldContainer[Worker]
    def __init__(self, workers: _Optional[_Iterable[_Union[Worker, _Mapping]]] = ..., work: _Optional[_Union[_rpc_pb2.PathWork, _Mapping]] = ..., usage: _Optional[_Union[_usage_pb2.Usage, _Mapping]] = ...) -> None: ...

class Split(_message.Message):
    __slots__ = ["attempt", "from_batch", "job_id", "lane", "to_batch"]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    FROM_BATCH_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    LANE_FIELD_NUMBER: _ClassVar[int]
    TO_BATCH_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    from_batch: int
    job_id: int
    lane: int
    to_batch: int
    def __init__(self, job_id: _Optional[int] = ..., lane: _Optional[int] = ..., from_batch: _Optional[int] = ..., to_batch: _Optional[int] = ..., attempt: _Optional[int] = ...) -> None: ...

class Worker(_message.Message):
    __slots__ = ["boot_id", "endpoint", "incarnation", "last_seen", "lost_because", "name", "num_batches", "num_bytes", "num_leased", "num_threads", "ring_socket", "started_as", "state"]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_FIELD_NUMBER: _ClassVar[int]
    LOST_BECAUSE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_BATCHES_FIELD_NUMBER: _ClassVar[int]
    NUM_BYTES_FIELD_NUMBER: _ClassVar[int]
    NUM_LEASED_FIELD_NUMBER: _ClassVar[int]
    NUM_THREADS_FIELD_NUMBER: _ClassVar[int]
    RING_SOCKET_FIELD_NUMBER: _ClassVar[int]
    STARTED_AS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    boot_id: str
    endpoint: str
    incarnation: WorkerIncarnation
    last_seen: int
    lost_because: str
    name: str
    num_batches: int
    num_bytes: int
    num_leased: int
    num_threads: int
    ring_socket: str
    started_as: str
    state: WorkerState
    def __init__(self, incarnation: _Optional[_Union[WorkerIncarnation, _Mapping]] = ..., name: _Optional[str] = ..., endpoint: _Optional[str] = ..., boot_id: _Optional[str] = ..., ring_socket: _Optional[str] = ..., num_threads: _Optional[int] = ..., state: _Optional[_Union[WorkerState, str]] = ..., last_seen: _Optional[int] = ..., num_leased: _Optional[int] = ..., num_batches: _Optional[int] = ..., num_bytes: _Optional[int] = ..., lost_because: _Optional[str] = ..., started_as: _Optional[str] = ...) -> None: ...

class WorkerIncarnation(_message.Message):
    __slots__ = ["incarnation", "worker_id"]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    incarnation: int
    worker_id: int
    def __init__(self, worker_id: _Optional[int] = ..., incarnation: _Optional[int] = ...) -> None: ...

class WorkerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Compression(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
