from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeleteSamplesRequest(_message.Message):
    __slots__ = ["command", "dataset_id", "sample_keys"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEYS_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    dataset_id: int
    sample_keys: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., dataset_id: _Optional[int] = ..., sample_keys: _Optional[_Iterable[int]] = ...) -> None: ...

class DeleteSamplesResponse(_message.Message):
    __slots__ = ["num_deleted"]
    NUM_DELETED_FIELD_NUMBER: _ClassVar[int]
    num_deleted: int
    def __init__(self, num_deleted: _Optional[int] = ...) -> None: ...

class DescribeSamplesRequest(_message.Message):
    __slots__ = ["dataset_id", "sample_keys"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEYS_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    sample_keys: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dataset_id: _Optional[int] = ..., sample_keys: _Optional[_Iterable[int]] = ...) -> None: ...

class DescribeSamplesResponse(_message.Message):
    __slots__ = ["batch", "files"]
    class File(_message.Message):
        __slots__ = ["file_id", "path"]
        FILE_ID_FIELD_NUMBER: _ClassVar[int]
        PATH_FIELD_NUMBER: _ClassVar[int]
        file_id: int
        path: str
        def __init__(self, file_id: _Optional[int] = ..., path: _Optional[str] = ...) -> None: ...
    BATCH_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    batch: bytes
    files: _containers.RepeatedCompositeFieldContainer[DescribeSamplesResponse.File]
    def __init__(self, batch: _Optional[bytes] = ..., files: _Optional[_Iterable[_Union[DescribeSamplesResponse.File, _Mapping]]] = ...) -> None: ...

class FindIdentitiesRequest(_message.Message):
    __slots__ = ["dataset_id", "sample_keys"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEYS_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    sample_keys: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dataset_id: _Optional[int] = ..., sample_keys: _Optional[_Iterable[int]] = ...) -> None: ...

class FindIdentitiesResponse(_message.Message):
    __slots__ = ["identities"]
    IDENTITIES_FIELD_NUMBER: _ClassVar[int]
    identities: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, identities: _Optional[_Iterable[int]] = ...) -> None: ...

class FindSamplesRequest(_message.Message):
    __slots__ = ["dataset_id", "places", "sample_keys"]
    class Place(_message.Message):
        __slots__ = ["path", "position"]
        PATH_FIELD_NUMBER: _ClassVar[int]
        POSITION_FIELD_NUMBER: _ClassVar[int]
        path: str
        position: int
        def __init__(self, path: _Optional[str] = ..., position: _Optional[int] = ...) -> None: ...
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEYS_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    places: _containers.RepeatedCompositeFieldContainer[FindSamplesRequest.Place]
    sample_keys: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dataset_id: _Optional[int] = ..., sample_keys: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[_Union[FindSamplesRequest.Place, _Mapping]]] = ...) -> None: ...

class FindSamplesResponse(_message.Message):
    __slots__ = ["deleted_keys", "files", "living_keys", "num_unknown", "unknown"]
    class FileCount(_message.Message):
        __slots__ = ["num_samples", "path"]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        PATH_FIELD_NUMBER: _ClassVar[int]
        num_samples: int
        path: str
        def __init__(self, path: _Optional[str] = ..., num_samples: _Optional[int] = ...) -> None: ...
    DELETED_KEYS_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    LIVING_KEYS_FIELD_NUMBER: _ClassVar[int]
    NUM_UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    deleted_keys: _containers.RepeatedScalarFieldContainer[int]
    files: _containers.RepeatedCompositeFieldContainer[FindSamplesResponse.FileCount]
    living_keys: _containers.RepeatedScalarFieldContainer[int]
    num_unknown: int
    unknown: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, living_keys: _Optional[_Iterable[int]] = ..., deleted_keys: _Optional[_Iterable[int]] = ..., files: _Optional[_Iterable[_Union[FindSamplesResponse.FileCount, _Mapping]]] = ..., num_unknown: _Optional[int] = ..., unknown: _Optional[_Iterable[str]] = ...) -> None: ...

class ListRecordsRequest(_message.Message):
    __slots__ = ["condition", "dataset_id", "limit"]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    condition: str
    dataset_id: int
    limit: int
    def __init__(self, dataset_id: _Optional[int] = ..., condition: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListRecordsResponse(_message.Message):
    __slots__ = ["column_counts", "columns", "first_unreadable", "is_cut", "num_matches", "num_samples", "num_samples_done", "num_undecided", "num_unreadable", "others", "records"]
    class ColumnCounts(_message.Message):
        __slots__ = ["first_unfit", "num_lacking", "num_null", "num_unfit"]
        FIRST_UNFIT_FIELD_NUMBER: _ClassVar[int]
        NUM_LACKING_FIELD_NUMBER: _ClassVar[int]
        NUM_NULL_FIELD_NUMBER: _ClassVar[int]
        NUM_UNFIT_FIELD_NUMBER: _ClassVar[int]
        first_unfit: str
        num_lacking: int
        num_null: int
        num_unfit: int
        def __init__(self, num_lacking: _Optional[int] = ..., num_null: _Optional[int] = ..., num_unfit: _Optional[int] = ..., first_unfit: _Optional[str] = ...) -> None: ...
    class Field(_message.Message):
        __slots__ = ["text"]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        text: str
        def __init__(self, text: _Optional[str] = ...) -> None: ...
    class Record(_message.Message):
        __slots__ = ["class_label", "event_time", "fields", "path", "position", "real_label", "sample_key"]
        CLASS_LABEL_FIELD_NUMBER: _ClassVar[int]
        EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
        FIELDS_FIELD_NUMBER: _ClassVar[int]
        PATH_FIELD_NUMBER: _ClassVar[int]
        POSITION_FIELD_NUMBER: _ClassVar[int]
        REAL_LABEL_FIELD_NUMBER: _ClassVar[int]
        SAMPLE_KEY_FIELD_NUMBER: _ClassVar[int]
        class_label: int
        event_time: int
        fields: _containers.RepeatedCompositeFieldContainer[ListRecordsResponse.Field]
        path: str
        position: int
        real_label: float
        sample_key: int
        def __init__(self, sample_key: _Optional[int] = ..., path: _Optional[str] = ..., position: _Optional[int] = ..., event_time: _Optional[int] = ..., class_label: _Optional[int] = ..., real_label: _Optional[float] = ..., fields: _Optional[_Iterable[_Union[ListRecordsResponse.Field, _Mapping]]] = ...) -> None: ...
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    COLUMN_COUNTS_FIELD_NUMBER: _ClassVar[int]
    FIRST_UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    IS_CUT_FIELD_NUMBER: _ClassVar[int]
    NUM_MATCHES_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_DONE_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_UNDECIDED_FIELD_NUMBER: _ClassVar[int]
    NUM_UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    OTHERS_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    column_counts: _containers.RepeatedCompositeFieldContainer[ListRecordsResponse.ColumnCounts]
    columns: _containers.RepeatedScalarFieldContainer[str]
    first_unreadable: MissingSample
    is_cut: bool
    num_matches: int
    num_samples: int
    num_samples_done: int
    num_undecided: int
    num_unreadable: int
    others: _containers.RepeatedCompositeFieldContainer[ListRecordsResponse.Record]
    records: _containers.RepeatedCompositeFieldContainer[ListRecordsResponse.Record]
    def __init__(self, records: _Optional[_Iterable[_Union[ListRecordsResponse.Record, _Mapping]]] = ..., columns: _Optional[_Iterable[str]] = ..., num_samples_done: _Optional[int] = ..., num_samples: _Optional[int] = ..., num_matches: _Optional[int] = ..., num_unreadable: _Optional[int] = ..., first_unreadable: _Optional[_Union[MissingSample, _Mapping]] = ..., column_counts: _Optional[_Iterable[_Union[ListRecordsResponse.ColumnCounts, _Mapping]]] = ..., num_undecided: _Optional[int] = ..., others: _Optional[_Iterable[_Union[ListRecordsResponse.Record, _Mapping]]] = ..., is_cut: bool = ...) -> None: ...

class MissingSample(_message.Message):
    __slots__ = ["deleted", "reason", "sample_key"]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEY_FIELD_NUMBER: _ClassVar[int]
    deleted: bool
    reason: str
    sample_key: int
    def __init__(self, sample_key: _Optional[int] = ..., reason: _Optional[str] = ..., deleted: bool = ...) -> None: ...
