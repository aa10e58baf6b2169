from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.rpc.v1 import training_result_pb2 as _training_result_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
JOB_KIND_FIT: JobKind
JOB_KIND_TRAINING: JobKind
JOB_KIND_UNSPECIFIED: JobKind
MODEL_ORDER_DURATION: ModelOrder
MODEL_ORDER_MODEL: ModelOrder
MODEL_ORDER_RUN: ModelOrder
MODEL_ORDER_SAMPLES: ModelOrder
MODEL_ORDER_TRIGGER: ModelOrder
MODEL_ORDER_UNSPECIFIED: ModelOrder
MODEL_STATE_KEPT: ModelState
MODEL_STATE_REMOVED: ModelState
MODEL_STATE_UNSPECIFIED: ModelState

class DeleteRunRequest(_message.Message):
    __slots__ = ["command"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ...) -> None: ...

class DeleteRunResponse(_message.Message):
    __slots__ = ["num_deleted"]
    NUM_DELETED_FIELD_NUMBER: _ClassVar[int]
    num_deleted: int
    def __init__(self, num_deleted: _Optional[int] = ...) -> None: ...

class FindModelRequest(_message.Message):
    __slots__ = ["training_digest"]
    TRAINING_DIGEST_FIELD_NUMBER: _ClassVar[int]
    training_digest: str
    def __init__(self, training_digest: _Optional[str] = ...) -> None: ...

class FindModelResponse(_message.Message):
    __slots__ = ["model"]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    model: Model
    def __init__(self, model: _Optional[_Union[Model, _Mapping]] = ...) -> None: ...

class GetFileRequest(_message.Message):
    __slots__ = ["digest"]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    digest: str
    def __init__(self, digest: _Optional[str] = ...) -> None: ...

class GetFileResponse(_message.Message):
    __slots__ = ["size_bytes"]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    size_bytes: int
    def __init__(self, size_bytes: _Optional[int] = ...) -> None: ...

class GetKeptJobRequest(_message.Message):
    __slots__ = ["kind", "run_id", "trigger"]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    kind: JobKind
    run_id: int
    trigger: int
    def __init__(self, run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., kind: _Optional[_Union[JobKind, str]] = ...) -> None: ...

class GetKeptJobResponse(_message.Message):
    __slots__ = ["attempt", "files", "position", "run_epoch"]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    RUN_EPOCH_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    files: _containers.RepeatedCompositeFieldContainer[JobFile]
    position: int
    run_epoch: int
    def __init__(self, run_epoch: _Optional[int] = ..., attempt: _Optional[int] = ..., position: _Optional[int] = ..., files: _Optional[_Iterable[_Union[JobFile, _Mapping]]] = ...) -> None: ...

class GetModelRequest(_message.Message):
    __slots__ = ["model_id"]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    model_id: int
    def __init__(self, model_id: _Optional[int] = ...) -> None: ...

class GetModelResponse(_message.Message):
    __slots__ = ["model"]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    model: Model
    def __init__(self, model: _Optional[_Union[Model, _Mapping]] = ...) -> None: ...

class GetStoredBytesRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class GetStoredBytesResponse(_message.Message):
    __slots__ = ["jobs", "models", "pipelines", "unnamed"]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    MODELS_FIELD_NUMBER: _ClassVar[int]
    PIPELINES_FIELD_NUMBER: _ClassVar[int]
    UNNAMED_FIELD_NUMBER: _ClassVar[int]
    jobs: int
    models: int
    pipelines: int
    unnamed: int
    def __init__(self, models: _Optional[int] = ..., jobs: _Optional[int] = ..., pipelines: _Optional[int] = ..., unnamed: _Optional[int] = ...) -> None: ...

class JobFile(_message.Message):
    __slots__ = ["digest", "name", "size_bytes"]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    digest: str
    name: str
    size_bytes: int
    def __init__(self, name: _Optional[str] = ..., size_bytes: _Optional[int] = ..., digest: _Optional[str] = ...) -> None: ...

class KeepJobRequest(_message.Message):
    __slots__ = ["attempt", "command", "files", "kind", "position", "trigger"]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    command: _rpc_pb2.Command
    files: _containers.RepeatedCompositeFieldContainer[JobFile]
    kind: JobKind
    position: int
    trigger: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., trigger: _Optional[int] = ..., kind: _Optional[_Union[JobKind, str]] = ..., attempt: _Optional[int] = ..., position: _Optional[int] = ..., files: _Optional[_Iterable[_Union[JobFile, _Mapping]]] = ...) -> None: ...

class KeepJobResponse(_message.Message):
    __slots__ = ["is_latest"]
    IS_LATEST_FIELD_NUMBER: _ClassVar[int]
    is_latest: bool
    def __init__(self, is_latest: bool = ...) -> None: ...

class ListModelsRequest(_message.Message):
    __slots__ = ["descending", "limit", "order", "run_id", "run_ids", "state", "trigger"]
    DESCENDING_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    RUN_IDS_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    descending: bool
    limit: int
    order: ModelOrder
    run_id: int
    run_ids: _containers.RepeatedScalarFieldContainer[int]
    state: ModelState
    trigger: int
    def __init__(self, run_id: _Optional[int] = ..., run_ids: _Optional[_Iterable[int]] = ..., trigger: _Optional[int] = ..., state: _Optional[_Union[ModelState, str]] = ..., order: _Optional[_Union[ModelOrder, str]] = ..., descending: bool = ..., limit: _Optional[int] = ...) -> None: ...

class ListModelsResponse(_message.Message):
    __slots__ = ["models", "num_left_out"]
    MODELS_FIELD_NUMBER: _ClassVar[int]
    NUM_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    models: _containers.RepeatedCompositeFieldContainer[Model]
    num_left_out: int
    def __init__(self, models: _Optional[_Iterable[_Union[Model, _Mapping]]] = ..., num_left_out: _Optional[int] = ...) -> None: ...

class Model(_message.Message):
    __slots__ = ["classes", "created_at", "fit_seconds", "model", "model_id", "num_samples", "parent_model_id", "parts", "removed_at", "reused_from", "run_id", "train_seconds", "training_digest", "training_set_digest", "trigger"]
    CLASSES_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    FIT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    PARENT_MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_AT_FIELD_NUMBER: _ClassVar[int]
    REUSED_FROM_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TRAINING_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRAINING_SET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRAIN_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    classes: _containers.RepeatedScalarFieldContainer[str]
    created_at: _timestamp_pb2.Timestamp
    fit_seconds: float
    model: str
    model_id: int
    num_samples: int
    parent_model_id: int
    parts: _containers.RepeatedCompositeFieldContainer[ModelPart]
    removed_at: _timestamp_pb2.Timestamp
    reused_from: _training_result_pb2.FirstTraining
    run_id: int
    train_seconds: float
    training_digest: str
    training_set_digest: str
    trigger: int
    def __init__(self, model_id: _Optional[int] = ..., run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., parent_model_id: _Optional[int] = ..., training_set_digest: _Optional[str] = ..., num_samples: _Optional[int] = ..., parts: _Optional[_Iterable[_Union[ModelPart, _Mapping]]] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., model: _Optional[str] = ..., classes: _Optional[_Iterable[str]] = ..., removed_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., training_digest: _Optional[str] = ..., fit_seconds: _Optional[float] = ..., train_seconds: _Optional[float] = ..., reused_from: _Optional[_Union[_training_result_pb2.FirstTraining, _Mapping]] = ...) -> None: ...

class ModelPart(_message.Message):
    __slots__ = ["digest", "name", "size_bytes"]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    digest: str
    name: str
    size_bytes: int
    def __init__(self, name: _Optional[str] = ..., size_bytes: _Optional[int] = ..., digest: _Optional[str] = ...) -> None: ...

class PutFileRequest(_message.Message):
    __slots__ = ["bytes", "header"]
    class Header(_message.Message):
        __slots__ = ["command", "digest", "of_run", "size_bytes"]
        COMMAND_FIELD_NUMBER: _ClassVar[int]
        DIGEST_FIELD_NUMBER: _ClassVar[int]
        OF_RUN_FIELD_NUMBER: _ClassVar[int]
        SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
        command: _rpc_pb2.Command
        digest: str
        of_run: bool
        size_bytes: int
        def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., size_bytes: _Optional[int] = ..., digest: _Optional[str] = ..., of_run: bool = ...) -> None: ...
    BYTES_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    bytes: bytes
    header: PutFileRequest.Header
    def __init__(self, header: _Optional[_Union[PutFileRequest.Header, _Mapping]] = ..., bytes: _Optional[bytes] = ...) -> None: ...

class PutFileResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class PutModelRequest(_message.Message):
    __slots__ = ["bytes", "header"]
    class Header(_message.Message):
        __slots__ = ["command", "model", "result"]
        COMMAND_FIELD_NUMBER: _ClassVar[int]
        MODEL_FIELD_NUMBER: _ClassVar[int]
        RESULT_FIELD_NUMBER: _ClassVar[int]
        command: _rpc_pb2.Command
        model: Model
        result: _training_result_pb2.TrainingResult
        def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., model: _Optional[_Union[Model, _Mapping]] = ..., result: _Optional[_Union[_training_result_pb2.TrainingResult, _Mapping]] = ...) -> None: ...
    BYTES_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    bytes: bytes
    header: PutModelRequest.Header
    def __init__(self, header: _Optional[_Union[PutModelRequest.Header, _Mapping]] = ..., bytes: _Optional[bytes] = ...) -> None: ...

class PutModelResponse(_message.Message):
    __slots__ = ["model_id"]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    model_id: int
    def __init__(self, model_id: _Optional[int] = ...) -> None: ...

class ReadFileRequest(_message.Message):
    __slots__ = ["digest", "run_id"]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    digest: str
    run_id: int
    def __init__(self, digest: _Optional[str] = ..., run_id: _Optional[int] = ...) -> None: ...

class ReadFileResponse(_message.Message):
    __slots__ = ["bytes"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    bytes: bytes
    def __init__(self, bytes: _Optional[bytes] = ...) -> None: ...

class ReadModelRequest(_message.Message):
    __slots__ = ["model_id", "part"]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    model_id: int
    part: str
    def __init__(self, model_id: _Optional[int] = ..., part: _Optional[str] = ...) -> None: ...

class ReadModelResponse(_message.Message):
    __slots__ = ["bytes"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    bytes: bytes
    def __init__(self, bytes: _Optional[bytes] = ...) -> None: ...

class RetireFilesRequest(_message.Message):
    __slots__ = ["command", "kept"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    kept: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., kept: _Optional[_Iterable[str]] = ...) -> None: ...

class RetireFilesResponse(_message.Message):
    __slots__ = ["num_removed"]
    NUM_REMOVED_FIELD_NUMBER: _ClassVar[int]
    num_removed: int
    def __init__(self, num_removed: _Optional[int] = ...) -> None: ...

class RetireModelsRequest(_message.Message):
    __slots__ = ["also_kept", "command", "first_kept_trigger"]
    ALSO_KEPT_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    FIRST_KEPT_TRIGGER_FIELD_NUMBER: _ClassVar[int]
    also_kept: _containers.RepeatedScalarFieldContainer[int]
    command: _rpc_pb2.Command
    first_kept_trigger: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., first_kept_trigger: _Optional[int] = ..., also_kept: _Optional[_Iterable[int]] = ...) -> None: ...

class RetireModelsResponse(_message.Message):
    __slots__ = ["num_removed"]
    NUM_REMOVED_FIELD_NUMBER: _ClassVar[int]
    num_removed: int
    def __init__(self, num_removed: _Optional[int] = ...) -> None: ...

class ReuseModelRequest(_message.Message):
    __slots__ = ["command", "only_given", "parent_model_id", "training_digest", "trigger"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    ONLY_GIVEN_FIELD_NUMBER: _ClassVar[int]
    PARENT_MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    TRAINING_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    only_given: bool
    parent_model_id: int
    training_digest: str
    trigger: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., trigger: _Optional[int] = ..., training_digest: _Optional[str] = ..., parent_model_id: _Optional[int] = ..., only_given: bool = ...) -> None: ...

class ReuseModelResponse(_message.Message):
    __slots__ = ["model", "result"]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    model: Model
    result: _training_result_pb2.TrainingResult
    def __init__(self, model: _Optional[_Union[Model, _Mapping]] = ..., result: _Optional[_Union[_training_result_pb2.TrainingResult, _Mapping]] = ...) -> None: ...

class ModelOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ModelState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class JobKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
