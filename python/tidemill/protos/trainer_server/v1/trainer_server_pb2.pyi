from tidemill.protos.rpc.v1 import device_pb2 as _device_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.rpc.v1 import training_result_pb2 as _training_result_pb2
from tidemill.protos.rpc.v1 import usage_pb2 as _usage_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
TRAINING_STATE_DONE: TrainingState
TRAINING_STATE_FAILED: TrainingState
TRAINING_STATE_QUEUED: TrainingState
TRAINING_STATE_RUNNING: TrainingState
TRAINING_STATE_STOPPED: TrainingState
TRAINING_STATE_UNSPECIFIED: TrainingState

class DeleteRunRequest(_message.Message):
    __slots__ = ["command"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ...) -> None: ...

class DeleteRunResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FitGraphRequest(_message.Message):
    __slots__ = ["command", "dataset_id", "dataset_spec", "fitted_model_id", "graph", "trigger"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    DATASET_SPEC_FIELD_NUMBER: _ClassVar[int]
    FITTED_MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    GRAPH_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    dataset_id: int
    dataset_spec: str
    fitted_model_id: int
    graph: str
    trigger: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., trigger: _Optional[int] = ..., dataset_id: _Optional[int] = ..., dataset_spec: _Optional[str] = ..., graph: _Optional[str] = ..., fitted_model_id: _Optional[int] = ...) -> None: ...

class FitGraphResponse(_message.Message):
    __slots__ = ["fitted_digest", "usage"]
    FITTED_DIGEST_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    fitted_digest: str
    usage: _usage_pb2.UsageTotal
    def __init__(self, fitted_digest: _Optional[str] = ..., usage: _Optional[_Union[_usage_pb2.UsageTotal, _Mapping]] = ...) -> None: ...

class GetTrainingDigestRequest(_message.Message):
    __slots__ = ["fitted_set_digest", "parent_weights_digest", "training", "training_set_digest"]
    FITTED_SET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    PARENT_WEIGHTS_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRAINING_FIELD_NUMBER: _ClassVar[int]
    TRAINING_SET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    fitted_set_digest: str
    parent_weights_digest: str
    training: StartTrainingRequest
    training_set_digest: str
    def __init__(self, training: _Optional[_Union[StartTrainingRequest, _Mapping]] = ..., training_set_digest: _Optional[str] = ..., fitted_set_digest: _Optional[str] = ..., parent_weights_digest: _Optional[str] = ...) -> None: ...

class GetTrainingDigestResponse(_message.Message):
    __slots__ = ["digest", "why_none"]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    WHY_NONE_FIELD_NUMBER: _ClassVar[int]
    digest: str
    why_none: str
    def __init__(self, digest: _Optional[str] = ..., why_none: _Optional[str] = ...) -> None: ...

class ListDevicesRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListDevicesResponse(_message.Message):
    __slots__ = ["slots", "why_no_gpu"]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    WHY_NO_GPU_FIELD_NUMBER: _ClassVar[int]
    slots: _containers.RepeatedCompositeFieldContainer[_device_pb2.Slot]
    why_no_gpu: str
    def __init__(self, slots: _Optional[_Iterable[_Union[_device_pb2.Slot, _Mapping]]] = ..., why_no_gpu: _Optional[str] = ...) -> None: ...

class RetireTrainingsRequest(_message.Message):
    __slots__ = ["command", "first_kept_trigger"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    FIRST_KEPT_TRIGGER_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    first_kept_trigger: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., first_kept_trigger: _Optional[int] = ...) -> None: ...

class RetireTrainingsResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class StartTrainingRequest(_message.Message):
    __slots__ = ["attempt", "command", "dataset_id", "dataset_spec", "draw", "fitted_digest", "fitted_trigger", "graph", "model", "parent_model_id", "slot", "training", "trigger", "workers"]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    DATASET_SPEC_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    FITTED_DIGEST_FIELD_NUMBER: _ClassVar[int]
    FITTED_TRIGGER_FIELD_NUMBER: _ClassVar[int]
    GRAPH_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    PARENT_MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    TRAINING_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    command: _rpc_pb2.Command
    dataset_id: int
    dataset_spec: str
    draw: int
    fitted_digest: str
    fitted_trigger: int
    graph: str
    model: str
    parent_model_id: int
    slot: str
    training: str
    trigger: int
    workers: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., trigger: _Optional[int] = ..., dataset_id: _Optional[int] = ..., dataset_spec: _Optional[str] = ..., graph: _Optional[str] = ..., fitted_trigger: _Optional[int] = ..., model: _Optional[str] = ..., training: _Optional[str] = ..., parent_model_id: _Optional[int] = ..., workers: _Optional[str] = ..., draw: _Optional[int] = ..., slot: _Optional[str] = ..., fitted_digest: _Optional[str] = ..., attempt: _Optional[int] = ...) -> None: ...

class StartTrainingResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class StopTrainingRequest(_message.Message):
    __slots__ = ["command", "trigger"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    trigger: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., trigger: _Optional[int] = ...) -> None: ...

class StopTrainingResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class StoreModelRequest(_message.Message):
    __slots__ = ["command", "fit_seconds", "train_seconds", "training_digest", "trigger"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    FIT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRAINING_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRAIN_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    fit_seconds: float
    train_seconds: float
    training_digest: str
    trigger: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., trigger: _Optional[int] = ..., training_digest: _Optional[str] = ..., fit_seconds: _Optional[float] = ..., train_seconds: _Optional[float] = ...) -> None: ...

class StoreModelResponse(_message.Message):
    __slots__ = ["model_id", "weights_digest"]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_DIGEST_FIELD_NUMBER: _ClassVar[int]
    model_id: int
    weights_digest: str
    def __init__(self, model_id: _Optional[int] = ..., weights_digest: _Optional[str] = ...) -> None: ...

class WatchTrainingRequest(_message.Message):
    __slots__ = ["run_id", "trigger"]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    run_id: int
    trigger: int
    def __init__(self, run_id: _Optional[int] = ..., trigger: _Optional[int] = ...) -> None: ...

class WatchTrainingResponse(_message.Message):
    __slots__ = ["activity", "error", "path", "result", "state", "usage"]
    ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    activity: str
    error: str
    path: _rpc_pb2.PathWork
    result: _training_result_pb2.TrainingResult
    state: TrainingState
    usage: _usage_pb2.UsageTotal
    def __init__(self, state: _Optional[_Union[TrainingState, str]] = ..., error: _Optional[str] = ..., activity: _Optional[str] = ..., path: _Optional[_Union[_rpc_pb2.PathWork, _Mapping]] = ..., result: _Optional[_Union[_training_result_pb2.TrainingResult, _Mapping]] = ..., usage: _Optional[_Union[_usage_pb2.UsageTotal, _Mapping]] = ...) -> None: ...

class TrainingState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
