from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
MODEL_CHANGE_KIND_BETTER: ModelChangeKind
MODEL_CHANGE_KIND_FOUND: ModelChangeKind
MODEL_CHANGE_KIND_KEPT: ModelChangeKind
MODEL_CHANGE_KIND_NONE: ModelChangeKind
MODEL_CHANGE_KIND_PROMOTED: ModelChangeKind
MODEL_CHANGE_KIND_ROLLED_BACK: ModelChangeKind
MODEL_CHANGE_KIND_TRAINED: ModelChangeKind
MODEL_CHANGE_KIND_UNPINNED: ModelChangeKind
MODEL_CHANGE_KIND_UNSPECIFIED: ModelChangeKind
MODEL_CHANGE_KIND_USED: ModelChangeKind
MODEL_RELEASE_MODEL: ModelRelease
MODEL_RELEASE_PIN: ModelRelease
MODEL_RELEASE_UNSPECIFIED: ModelRelease

class GetModelInUseRequest(_message.Message):
    __slots__ = ["namespace", "pipeline_name"]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    pipeline_name: str
    def __init__(self, namespace: _Optional[str] = ..., pipeline_name: _Optional[str] = ...) -> None: ...

class GetModelInUseResponse(_message.Message):
    __slots__ = ["in_use"]
    IN_USE_FIELD_NUMBER: _ClassVar[int]
    in_use: ModelChange
    def __init__(self, in_use: _Optional[_Union[ModelChange, _Mapping]] = ...) -> None: ...

class ListModelChangesRequest(_message.Message):
    __slots__ = ["limit", "namespace", "pipeline_name", "run_id"]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    namespace: str
    pipeline_name: str
    run_id: int
    def __init__(self, namespace: _Optional[str] = ..., pipeline_name: _Optional[str] = ..., run_id: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListModelChangesResponse(_message.Message):
    __slots__ = ["changes", "num_left_out"]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    NUM_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[ModelChange]
    num_left_out: int
    def __init__(self, changes: _Optional[_Iterable[_Union[ModelChange, _Mapping]]] = ..., num_left_out: _Optional[int] = ...) -> None: ...

class ModelChange(_message.Message):
    __slots__ = ["at", "caused_by_run", "caused_by_trigger", "command", "comparison", "in_use_since", "kind", "model_id", "number", "other_model_id", "pinned", "pipeline_name", "run_id", "since_command", "since_kind", "since_text", "text", "trigger"]
    AT_FIELD_NUMBER: _ClassVar[int]
    CAUSED_BY_RUN_FIELD_NUMBER: _ClassVar[int]
    CAUSED_BY_TRIGGER_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_FIELD_NUMBER: _ClassVar[int]
    IN_USE_SINCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    OTHER_MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    SINCE_COMMAND_FIELD_NUMBER: _ClassVar[int]
    SINCE_KIND_FIELD_NUMBER: _ClassVar[int]
    SINCE_TEXT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    caused_by_run: int
    caused_by_trigger: int
    command: str
    comparison: ModelComparison
    in_use_since: _timestamp_pb2.Timestamp
    kind: ModelChangeKind
    model_id: int
    number: int
    other_model_id: int
    pinned: bool
    pipeline_name: str
    run_id: int
    since_command: str
    since_kind: ModelChangeKind
    since_text: str
    text: str
    trigger: int
    def __init__(self, number: _Optional[int] = ..., pipeline_name: _Optional[str] = ..., at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., model_id: _Optional[int] = ..., run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., pinned: bool = ..., kind: _Optional[_Union[ModelChangeKind, str]] = ..., text: _Optional[str] = ..., caused_by_run: _Optional[int] = ..., caused_by_trigger: _Optional[int] = ..., command: _Optional[str] = ..., other_model_id: _Optional[int] = ..., comparison: _Optional[_Union[ModelComparison, _Mapping]] = ..., in_use_since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., since_kind: _Optional[_Union[ModelChangeKind, str]] = ..., since_text: _Optional[str] = ..., since_command: _Optional[str] = ...) -> None: ...

class ModelComparison(_message.Message):
    __slots__ = ["better_by", "challenger", "champion", "high", "low", "measure", "num_samples"]
    BETTER_BY_FIELD_NUMBER: _ClassVar[int]
    CHALLENGER_FIELD_NUMBER: _ClassVar[int]
    CHAMPION_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    better_by: float
    challenger: float
    champion: float
    high: float
    low: float
    measure: str
    num_samples: int
    def __init__(self, measure: _Optional[str] = ..., num_samples: _Optional[int] = ..., champion: _Optional[float] = ..., challenger: _Optional[float] = ..., better_by: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class ReleaseModelRequest(_message.Message):
    __slots__ = ["command", "namespace", "pipeline_name", "release"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    namespace: str
    pipeline_name: str
    release: ModelRelease
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., namespace: _Optional[str] = ..., pipeline_name: _Optional[str] = ..., release: _Optional[_Union[ModelRelease, str]] = ...) -> None: ...

class ReleaseModelResponse(_message.Message):
    __slots__ = ["change"]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    change: ModelChange
    def __init__(self, change: _Optional[_Union[ModelChange, _Mapping]] = ...) -> None: ...

class RollBackModelRequest(_message.Message):
    __slots__ = ["command", "namespace", "pin", "pipeline_name"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    namespace: str
    pin: bool
    pipeline_name: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., namespace: _Optional[str] = ..., pipeline_name: _Optional[str] = ..., pin: bool = ...) -> None: ...

class RollBackModelResponse(_message.Message):
    __slots__ = ["change", "passed_over"]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    PASSED_OVER_FIELD_NUMBER: _ClassVar[int]
    change: ModelChange
    passed_over: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, change: _Optional[_Union[ModelChange, _Mapping]] = ..., passed_over: _Optional[_Iterable[int]] = ...) -> None: ...

class UseModelRequest(_message.Message):
    __slots__ = ["command", "model_id", "pin"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    model_id: int
    pin: bool
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., model_id: _Optional[int] = ..., pin: bool = ...) -> None: ...

class UseModelResponse(_message.Message):
    __slots__ = ["change"]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    change: ModelChange
    def __init__(self, change: _Optional[_Union[ModelChange, _Mapping]] = ...) -> None: ...

class ModelChangeKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ModelRelease(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
