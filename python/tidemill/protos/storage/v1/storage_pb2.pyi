from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import ledger_pb2 as _ledger_pb2
from tidemill.protos.rpc.v1 import left_out_pb2 as _left_out_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.storage.v1 import dataset_versions_pb2 as _dataset_versions_pb2
from tidemill.protos.storage.v1 import records_pb2 as _records_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CheckDatasetRequest(_message.Message):
    __slots__ = ["dataset_id"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    def __init__(self, dataset_id: _Optional[int] = ...) -> None: ...

class CheckDatasetResponse(_message.Message):
    __slots__ = ["damaged", "num_column_files", "num_column_files_made_again", "num_samples", "num_samples_done"]
    DAMAGED_FIELD_NUMBER: _ClassVar[int]
    NUM_COLUMN_FILES_FIELD_NUMBER: _ClassVar[int]
    NUM_COLUMN_FILES_MADE_AGAIN_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_DONE_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    damaged: _containers.RepeatedCompositeFieldContainer[_records_pb2.MissingSample]
    num_column_files: int
    num_column_files_made_again: int
    num_samples: int
    num_samples_done: int
    def __init__(self, num_samples_done: _Optional[int] = ..., num_samples: _Optional[int] = ..., damaged: _Optional[_Iterable[_Union[_records_pb2.MissingSample, _Mapping]]] = ..., num_column_files: _Optional[int] = ..., num_column_files_made_again: _Optional[int] = ...) -> None: ...

class Dataset(_message.Message):
    __slots__ = ["created_at", "dataset_id", "first_event_time", "last_event_time", "ledger", "left_out", "name", "namespace", "num_bad_samples", "num_deleted", "num_deleted_on_request", "num_files", "num_quarantined", "num_samples", "snapshot", "spec", "superseded", "unreachable"]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    LEDGER_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_BAD_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_DELETED_FIELD_NUMBER: _ClassVar[int]
    NUM_DELETED_ON_REQUEST_FIELD_NUMBER: _ClassVar[int]
    NUM_FILES_FIELD_NUMBER: _ClassVar[int]
    NUM_QUARANTINED_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    UNREACHABLE_FIELD_NUMBER: _ClassVar[int]
    created_at: _timestamp_pb2.Timestamp
    dataset_id: int
    first_event_time: int
    last_event_time: int
    ledger: _ledger_pb2.Ledger
    left_out: _left_out_pb2.LeftOut
    name: str
    namespace: str
    num_bad_samples: int
    num_deleted: int
    num_deleted_on_request: int
    num_files: int
    num_quarantined: int
    num_samples: int
    snapshot: _rpc_pb2.Snapshot
    spec: str
    superseded: bool
    unreachable: str
    def __init__(self, dataset_id: _Optional[int] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., spec: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., num_samples: _Optional[int] = ..., num_files: _Optional[int] = ..., num_quarantined: _Optional[int] = ..., num_deleted: _Optional[int] = ..., first_event_time: _Optional[int] = ..., last_event_time: _Optional[int] = ..., snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., left_out: _Optional[_Union[_left_out_pb2.LeftOut, _Mapping]] = ..., ledger: _Optional[_Union[_ledger_pb2.Ledger, _Mapping]] = ..., num_bad_samples: _Optional[int] = ..., num_deleted_on_request: _Optional[int] = ..., superseded: bool = ..., unreachable: _Optional[str] = ...) -> None: ...

class DeleteDatasetRequest(_message.Message):
    __slots__ = ["command", "name", "namespace"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    name: str
    namespace: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class DeleteDatasetResponse(_message.Message):
    __slots__ = ["existed"]
    EXISTED_FIELD_NUMBER: _ClassVar[int]
    existed: bool
    def __init__(self, existed: bool = ...) -> None: ...

class GetDatasetRequest(_message.Message):
    __slots__ = ["name", "namespace"]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    namespace: str
    def __init__(self, namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class GetDatasetResponse(_message.Message):
    __slots__ = ["dataset"]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    dataset: Dataset
    def __init__(self, dataset: _Optional[_Union[Dataset, _Mapping]] = ...) -> None: ...

class GetDatasetStatisticsRequest(_message.Message):
    __slots__ = ["dataset_id", "num_intervals"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    NUM_INTERVALS_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    num_intervals: int
    def __init__(self, dataset_id: _Optional[int] = ..., num_intervals: _Optional[int] = ...) -> None: ...

class GetDatasetStatisticsResponse(_message.Message):
    __slots__ = ["classes", "dataset", "files", "intervals", "real_labels", "size_bytes"]
    class ClassCount(_message.Message):
        __slots__ = ["class_label", "num_samples"]
        CLASS_LABEL_FIELD_NUMBER: _ClassVar[int]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        class_label: int
        num_samples: int
        def __init__(self, class_label: _Optional[int] = ..., num_samples: _Optional[int] = ...) -> None: ...
    class FileCount(_message.Message):
        __slots__ = ["num_filtered", "num_samples", "path", "size_bytes"]
        NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        PATH_FIELD_NUMBER: _ClassVar[int]
        SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
        num_filtered: int
        num_samples: int
        path: str
        size_bytes: int
        def __init__(self, path: _Optional[str] = ..., num_samples: _Optional[int] = ..., size_bytes: _Optional[int] = ..., num_filtered: _Optional[int] = ...) -> None: ...
    class IntervalCount(_message.Message):
        __slots__ = ["num_samples", "to"]
        FROM_FIELD_NUMBER: _ClassVar[int]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        TO_FIELD_NUMBER: _ClassVar[int]
        num_samples: int
        to: int
        def __init__(self, to: _Optional[int] = ..., num_samples: _Optional[int] = ..., **kwargs) -> None: ...
    class RealLabels(_message.Message):
        __slots__ = ["max", "mean", "min", "num_samples", "standard_deviation"]
        MAX_FIELD_NUMBER: _ClassVar[int]
        MEAN_FIELD_NUMBER: _ClassVar[int]
        MIN_FIELD_NUMBER: _ClassVar[int]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        STANDARD_DEVIATION_FIELD_NUMBER: _ClassVar[int]
        max: float
        mean: float
        min: float
        num_samples: int
        standard_deviation: float
        def __init__(self, num_samples: _Optional[int] = ..., min: _Optional[float] = ..., max: _Optional[float] = ..., mean: _Optional[float] = ..., standard_deviation: _Optional[float] = ...) -> None: ...
    CLASSES_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    INTERVALS_FIELD_NUMBER: _ClassVar[int]
    REAL_LABELS_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    classes: _containers.RepeatedCompositeFieldContainer[GetDatasetStatisticsResponse.ClassCount]
    dataset: Dataset
    files: _containers.RepeatedCompositeFieldContainer[GetDatasetStatisticsResponse.FileCount]
    intervals: _containers.RepeatedCompositeFieldContainer[GetDatasetStatisticsResponse.IntervalCount]
    real_labels: GetDatasetStatisticsResponse.RealLabels
    size_bytes: int
    def __init__(self, dataset: _Optional[_Union[Dataset, _Mapping]] = ..., classes: _Optional[_Iterable[_Union[GetDatasetStatisticsResponse.ClassCount, _Mapping]]] = ..., intervals: _Optional[_Iterable[_Union[GetDatasetStatisticsResponse.IntervalCount, _Mapping]]] = ..., real_labels: _Optional[_Union[GetDatasetStatisticsResponse.RealLabels, _Mapping]] = ..., files: _Optional[_Iterable[_Union[GetDatasetStatisticsResponse.FileCount, _Mapping]]] = ..., size_bytes: _Optional[int] = ...) -> None: ...

class ListDatasetsRequest(_message.Message):
    __slots__ = ["namespace"]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    def __init__(self, namespace: _Optional[str] = ...) -> None: ...

class ListDatasetsResponse(_message.Message):
    __slots__ = ["datasets"]
    DATASETS_FIELD_NUMBER: _ClassVar[int]
    datasets: _containers.RepeatedCompositeFieldContainer[Dataset]
    def __init__(self, datasets: _Optional[_Iterable[_Union[Dataset, _Mapping]]] = ...) -> None: ...

class ListQuarantineRequest(_message.Message):
    __slots__ = ["dataset_id", "limit"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    limit: int
    def __init__(self, dataset_id: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListQuarantineResponse(_message.Message):
    __slots__ = ["entry"]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: QuarantineEntry
    def __init__(self, entry: _Optional[_Union[QuarantineEntry, _Mapping]] = ...) -> None: ...

class ListSamplesRequest(_message.Message):
    __slots__ = ["after_key", "num_workers", "snapshot", "to", "where", "with_labels", "worker_index"]
    AFTER_KEY_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    NUM_WORKERS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    WITH_LABELS_FIELD_NUMBER: _ClassVar[int]
    WORKER_INDEX_FIELD_NUMBER: _ClassVar[int]
    after_key: int
    num_workers: int
    snapshot: _rpc_pb2.Snapshot
    to: _rpc_pb2.Cut
    where: str
    with_labels: bool
    worker_index: int
    def __init__(self, snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., to: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., with_labels: bool = ..., num_workers: _Optional[int] = ..., worker_index: _Optional[int] = ..., after_key: _Optional[int] = ..., where: _Optional[str] = ..., **kwargs) -> None: ...

class ListSamplesResponse(_message.Message):
    __slots__ = ["batch"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    batch: bytes
    def __init__(self, batch: _Optional[bytes] = ...) -> None: ...

class QuarantineEntry(_message.Message):
    __slots__ = ["at", "is_remark", "path", "position", "reason", "sample_key"]
    AT_FIELD_NUMBER: _ClassVar[int]
    IS_REMARK_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEY_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    is_remark: bool
    path: str
    position: int
    reason: str
    sample_key: int
    def __init__(self, path: _Optional[str] = ..., position: _Optional[int] = ..., reason: _Optional[str] = ..., at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., sample_key: _Optional[int] = ..., is_remark: bool = ...) -> None: ...

class QuarantineSamplesRequest(_message.Message):
    __slots__ = ["command", "dataset_id", "reasons", "sample_keys"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEYS_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    dataset_id: int
    reasons: _containers.RepeatedScalarFieldContainer[str]
    sample_keys: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., dataset_id: _Optional[int] = ..., sample_keys: _Optional[_Iterable[int]] = ..., reasons: _Optional[_Iterable[str]] = ...) -> None: ...

class QuarantineSamplesResponse(_message.Message):
    __slots__ = ["num_recorded"]
    NUM_RECORDED_FIELD_NUMBER: _ClassVar[int]
    num_recorded: int
    def __init__(self, num_recorded: _Optional[int] = ...) -> None: ...

class ReadDatasetHeadRequest(_message.Message):
    __slots__ = ["spec"]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    spec: str
    def __init__(self, spec: _Optional[str] = ...) -> None: ...

class ReadDatasetHeadResponse(_message.Message):
    __slots__ = ["first_file", "head"]
    FIRST_FILE_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    first_file: str
    head: bytes
    def __init__(self, first_file: _Optional[str] = ..., head: _Optional[bytes] = ...) -> None: ...

class ReadSamplesRequest(_message.Message):
    __slots__ = ["dataset_id", "sample_keys"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEYS_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    sample_keys: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dataset_id: _Optional[int] = ..., sample_keys: _Optional[_Iterable[int]] = ...) -> None: ...

class ReadSamplesResponse(_message.Message):
    __slots__ = ["batch", "missing"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    batch: bytes
    missing: _containers.RepeatedCompositeFieldContainer[_records_pb2.MissingSample]
    def __init__(self, batch: _Optional[bytes] = ..., missing: _Optional[_Iterable[_Union[_records_pb2.MissingSample, _Mapping]]] = ...) -> None: ...

class RegisterDatasetRequest(_message.Message):
    __slots__ = ["command", "name", "namespace", "on_other_spec", "spec"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ON_OTHER_SPEC_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    name: str
    namespace: str
    on_other_spec: _dataset_versions_pb2.OnOtherSpec
    spec: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., spec: _Optional[str] = ..., on_other_spec: _Optional[_Union[_dataset_versions_pb2.OnOtherSpec, str]] = ...) -> None: ...

class RegisterDatasetResponse(_message.Message):
    __slots__ = ["created", "dataset_id", "earlier_version"]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    EARLIER_VERSION_FIELD_NUMBER: _ClassVar[int]
    created: bool
    dataset_id: int
    earlier_version: str
    def __init__(self, dataset_id: _Optional[int] = ..., created: bool = ..., earlier_version: _Optional[str] = ...) -> None: ...

class SyncDatasetRequest(_message.Message):
    __slots__ = ["dataset_id", "max_wait"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_WAIT_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    max_wait: int
    def __init__(self, dataset_id: _Optional[int] = ..., max_wait: _Optional[int] = ...) -> None: ...

class SyncDatasetResponse(_message.Message):
    __slots__ = ["first_passed_over", "not_taken", "num_awaited", "num_deleted", "num_files_done", "num_files_found", "num_passed_over", "num_quarantined", "num_replaced", "num_samples", "snapshot"]
    FIRST_PASSED_OVER_FIELD_NUMBER: _ClassVar[int]
    NOT_TAKEN_FIELD_NUMBER: _ClassVar[int]
    NUM_AWAITED_FIELD_NUMBER: _ClassVar[int]
    NUM_DELETED_FIELD_NUMBER: _ClassVar[int]
    NUM_FILES_DONE_FIELD_NUMBER: _ClassVar[int]
    NUM_FILES_FOUND_FIELD_NUMBER: _ClassVar[int]
    NUM_PASSED_OVER_FIELD_NUMBER: _ClassVar[int]
    NUM_QUARANTINED_FIELD_NUMBER: _ClassVar[int]
    NUM_REPLACED_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    first_passed_over: str
    not_taken: _left_out_pb2.FilesNotTaken
    num_awaited: int
    num_deleted: int
    num_files_done: int
    num_files_found: int
    num_passed_over: int
    num_quarantined: int
    num_replaced: int
    num_samples: int
    snapshot: _rpc_pb2.Snapshot
    def __init__(self, num_files_done: _Optional[int] = ..., num_files_found: _Optional[int] = ..., num_samples: _Optional[int] = ..., num_quarantined: _Optional[int] = ..., snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., num_deleted: _Optional[int] = ..., num_passed_over: _Optional[int] = ..., first_passed_over: _Optional[str] = ..., num_awaited: _Optional[int] = ..., not_taken: _Optional[_Union[_left_out_pb2.FilesNotTaken, _Mapping]] = ..., num_replaced: _Optional[int] = ...) -> None: ...
