from tidemill.protos.evaluator.v1 import evaluation_pb2 as _evaluation_pb2
from tidemill.protos.evaluator.v1 import outcomes_pb2 as _outcomes_pb2
from tidemill.protos.evaluator.v1 import prediction_pb2 as _prediction_pb2
from tidemill.protos.rpc.v1 import device_pb2 as _device_pb2
from tidemill.protos.rpc.v1 import measure_fault_pb2 as _measure_fault_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.rpc.v1 import usage_pb2 as _usage_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
EVALUATION_STATE_DONE: EvaluationState
EVALUATION_STATE_FAILED: EvaluationState
EVALUATION_STATE_QUEUED: EvaluationState
EVALUATION_STATE_RUNNING: EvaluationState
EVALUATION_STATE_UNSPECIFIED: EvaluationState
MODEL_COLUMN_EMBEDDING: ModelColumn
MODEL_COLUMN_ERROR: ModelColumn
MODEL_COLUMN_PREDICTION: ModelColumn
MODEL_COLUMN_UNSPECIFIED: ModelColumn

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

class KnownLabels(_message.Message):
    __slots__ = ["snapshot"]
    FROM_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    snapshot: _rpc_pb2.Snapshot
    def __init__(self, snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., **kwargs) -> None: ...

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

class ListEvaluationsRequest(_message.Message):
    __slots__ = ["run_id"]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    run_id: int
    def __init__(self, run_id: _Optional[int] = ...) -> None: ...

class ListEvaluationsResponse(_message.Message):
    __slots__ = ["evaluation"]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    evaluation: _evaluation_pb2.Evaluation
    def __init__(self, evaluation: _Optional[_Union[_evaluation_pb2.Evaluation, _Mapping]] = ...) -> None: ...

class ReadModelColumnsRequest(_message.Message):
    __slots__ = ["columns", "command", "dataset_id", "dataset_spec", "keys", "model_id", "workers"]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    DATASET_SPEC_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedScalarFieldContainer[ModelColumn]
    command: _rpc_pb2.Command
    dataset_id: int
    dataset_spec: str
    keys: _containers.RepeatedScalarFieldContainer[int]
    model_id: int
    workers: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., model_id: _Optional[int] = ..., dataset_id: _Optional[int] = ..., dataset_spec: _Optional[str] = ..., keys: _Optional[_Iterable[int]] = ..., columns: _Optional[_Iterable[_Union[ModelColumn, str]]] = ..., workers: _Optional[str] = ...) -> None: ...

class ReadModelColumnsResponse(_message.Message):
    __slots__ = ["batch"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    batch: bytes
    def __init__(self, batch: _Optional[bytes] = ...) -> None: ...

class StartEvaluationRequest(_message.Message):
    __slots__ = ["cache", "command", "dataset_name", "dataset_spec", "evaluation", "evaluation_spec", "graph", "known_labels", "later_uses", "model_ids", "slot", "snapshot", "windows", "workers"]
    CACHE_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    DATASET_NAME_FIELD_NUMBER: _ClassVar[int]
    DATASET_SPEC_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_SPEC_FIELD_NUMBER: _ClassVar[int]
    GRAPH_FIELD_NUMBER: _ClassVar[int]
    KNOWN_LABELS_FIELD_NUMBER: _ClassVar[int]
    LATER_USES_FIELD_NUMBER: _ClassVar[int]
    MODEL_IDS_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    cache: str
    command: _rpc_pb2.Command
    dataset_name: str
    dataset_spec: str
    evaluation: int
    evaluation_spec: str
    graph: str
    known_labels: KnownLabels
    later_uses: float
    model_ids: _containers.RepeatedScalarFieldContainer[int]
    slot: str
    snapshot: _rpc_pb2.Snapshot
    windows: _containers.RepeatedCompositeFieldContainer[Window]
    workers: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., evaluation: _Optional[int] = ..., snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., dataset_name: _Optional[str] = ..., dataset_spec: _Optional[str] = ..., graph: _Optional[str] = ..., model_ids: _Optional[_Iterable[int]] = ..., windows: _Optional[_Iterable[_Union[Window, _Mapping]]] = ..., evaluation_spec: _Optional[str] = ..., workers: _Optional[str] = ..., slot: _Optional[str] = ..., cache: _Optional[str] = ..., later_uses: _Optional[float] = ..., known_labels: _Optional[_Union[KnownLabels, _Mapping]] = ...) -> None: ...

class StartEvaluationResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class WatchEvaluationRequest(_message.Message):
    __slots__ = ["evaluation", "run_id"]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    evaluation: int
    run_id: int
    def __init__(self, run_id: _Optional[int] = ..., evaluation: _Optional[int] = ...) -> None: ...

class WatchEvaluationResponse(_message.Message):
    __slots__ = ["device", "error", "faults", "num_found", "num_prepared_at_workers", "num_prepared_here", "samples_done", "seconds", "state", "usage", "windows_done", "windows_total"]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    NUM_FOUND_FIELD_NUMBER: _ClassVar[int]
    NUM_PREPARED_AT_WORKERS_FIELD_NUMBER: _ClassVar[int]
    NUM_PREPARED_HERE_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_DONE_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_DONE_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    device: str
    error: str
    faults: _containers.RepeatedCompositeFieldContainer[_measure_fault_pb2.MeasureFault]
    num_found: int
    num_prepared_at_workers: int
    num_prepared_here: int
    samples_done: int
    seconds: float
    state: EvaluationState
    usage: _usage_pb2.UsageTotal
    windows_done: int
    windows_total: int
    def __init__(self, state: _Optional[_Union[EvaluationState, str]] = ..., windows_done: _Optional[int] = ..., windows_total: _Optional[int] = ..., samples_done: _Optional[int] = ..., error: _Optional[str] = ..., seconds: _Optional[float] = ..., faults: _Optional[_Iterable[_Union[_measure_fault_pb2.MeasureFault, _Mapping]]] = ..., num_prepared_here: _Optional[int] = ..., num_prepared_at_workers: _Optional[int] = ..., device: _Optional[str] = ..., usage: _Optional[_Union[_usage_pb2.UsageTotal, _Mapping]] = ..., num_found: _Optional[int] = ...) -> None: ...

class Window(_message.Message):
    __slots__ = ["known_to", "model_ids", "model_in_use", "to", "trigger_in_use"]
    FROM_FIELD_NUMBER: _ClassVar[int]
    KNOWN_TO_FIELD_NUMBER: _ClassVar[int]
    MODEL_IDS_FIELD_NUMBER: _ClassVar[int]
    MODEL_IN_USE_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_IN_USE_FIELD_NUMBER: _ClassVar[int]
    known_to: _rpc_pb2.Cut
    model_ids: _containers.RepeatedScalarFieldContainer[int]
    model_in_use: int
    to: _rpc_pb2.Cut
    trigger_in_use: int
    def __init__(self, to: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., model_ids: _Optional[_Iterable[int]] = ..., model_in_use: _Optional[int] = ..., trigger_in_use: _Optional[int] = ..., known_to: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., **kwargs) -> None: ...

class EvaluationState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ModelColumn(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
