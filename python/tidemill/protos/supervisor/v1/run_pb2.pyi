from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.supervisor.v1 import costs_pb2 as _costs_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
RUN_ORDER_DURATION: RunOrder
RUN_ORDER_PIPELINE: RunOrder
RUN_ORDER_RUN: RunOrder
RUN_ORDER_SAMPLES: RunOrder
RUN_ORDER_SCORE: RunOrder
RUN_ORDER_STARTED: RunOrder
RUN_ORDER_STATE: RunOrder
RUN_ORDER_TRIGGERS: RunOrder
RUN_ORDER_UNSPECIFIED: RunOrder
RUN_STATE_FAILED: RunState
RUN_STATE_RUNNING: RunState
RUN_STATE_STOPPED: RunState
RUN_STATE_SUCCEEDED: RunState
RUN_STATE_UNSPECIFIED: RunState

class AnnotateRunRequest(_message.Message):
    __slots__ = ["added_tags", "command", "note", "removed_tags", "run_id"]
    ADDED_TAGS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    REMOVED_TAGS_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    added_tags: _containers.RepeatedScalarFieldContainer[str]
    command: _rpc_pb2.Command
    note: str
    removed_tags: _containers.RepeatedScalarFieldContainer[str]
    run_id: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., run_id: _Optional[int] = ..., added_tags: _Optional[_Iterable[str]] = ..., removed_tags: _Optional[_Iterable[str]] = ..., note: _Optional[str] = ...) -> None: ...

class AnnotateRunResponse(_message.Message):
    __slots__ = ["run"]
    RUN_FIELD_NUMBER: _ClassVar[int]
    run: Run
    def __init__(self, run: _Optional[_Union[Run, _Mapping]] = ...) -> None: ...

class InSweep(_message.Message):
    __slots__ = ["rung", "setting", "sweep"]
    RUNG_FIELD_NUMBER: _ClassVar[int]
    SETTING_FIELD_NUMBER: _ClassVar[int]
    SWEEP_FIELD_NUMBER: _ClassVar[int]
    rung: int
    setting: int
    sweep: str
    def __init__(self, sweep: _Optional[str] = ..., setting: _Optional[int] = ..., rung: _Optional[int] = ...) -> None: ...

class ListRunsRequest(_message.Message):
    __slots__ = ["descending", "limit", "namespace", "order", "pipeline_name", "states", "sweep", "tags", "with_scores", "without_trials"]
    DESCENDING_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    SWEEP_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_TRIALS_FIELD_NUMBER: _ClassVar[int]
    WITH_SCORES_FIELD_NUMBER: _ClassVar[int]
    descending: bool
    limit: int
    namespace: str
    order: RunOrder
    pipeline_name: str
    states: _containers.RepeatedScalarFieldContainer[RunState]
    sweep: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    with_scores: bool
    without_trials: bool
    def __init__(self, pipeline_name: _Optional[str] = ..., namespace: _Optional[str] = ..., states: _Optional[_Iterable[_Union[RunState, str]]] = ..., tags: _Optional[_Iterable[str]] = ..., order: _Optional[_Union[RunOrder, str]] = ..., descending: bool = ..., limit: _Optional[int] = ..., with_scores: bool = ..., without_trials: bool = ..., sweep: _Optional[str] = ...) -> None: ...

class ListRunsResponse(_message.Message):
    __slots__ = ["num_left_out", "num_unscored", "runs", "why_unscored"]
    NUM_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    NUM_UNSCORED_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    WHY_UNSCORED_FIELD_NUMBER: _ClassVar[int]
    num_left_out: int
    num_unscored: int
    runs: _containers.RepeatedCompositeFieldContainer[Run]
    why_unscored: str
    def __init__(self, runs: _Optional[_Iterable[_Union[Run, _Mapping]]] = ..., num_left_out: _Optional[int] = ..., num_unscored: _Optional[int] = ..., why_unscored: _Optional[str] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ["costs", "error", "finished_at", "in_sweep", "is_trial", "note", "num_samples", "num_triggers", "pipeline_name", "run_id", "score", "started_at", "state", "tags"]
    COSTS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    IN_SWEEP_FIELD_NUMBER: _ClassVar[int]
    IS_TRIAL_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    costs: _costs_pb2.RunCosts
    error: str
    finished_at: _timestamp_pb2.Timestamp
    in_sweep: InSweep
    is_trial: bool
    note: str
    num_samples: int
    num_triggers: int
    pipeline_name: str
    run_id: int
    score: RunScore
    started_at: _timestamp_pb2.Timestamp
    state: RunState
    tags: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, run_id: _Optional[int] = ..., pipeline_name: _Optional[str] = ..., state: _Optional[_Union[RunState, str]] = ..., started_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., error: _Optional[str] = ..., num_triggers: _Optional[int] = ..., num_samples: _Optional[int] = ..., tags: _Optional[_Iterable[str]] = ..., note: _Optional[str] = ..., score: _Optional[_Union[RunScore, _Mapping]] = ..., costs: _Optional[_Union[_costs_pb2.RunCosts, _Mapping]] = ..., is_trial: bool = ..., in_sweep: _Optional[_Union[InSweep, _Mapping]] = ...) -> None: ...

class RunScore(_message.Message):
    __slots__ = ["baseline", "baseline_name", "dataset", "is_of_last_model", "lower_is_better", "measure", "num_samples", "value"]
    BASELINE_FIELD_NUMBER: _ClassVar[int]
    BASELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    IS_OF_LAST_MODEL_FIELD_NUMBER: _ClassVar[int]
    LOWER_IS_BETTER_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    baseline: float
    baseline_name: str
    dataset: str
    is_of_last_model: bool
    lower_is_better: bool
    measure: str
    num_samples: int
    value: float
    def __init__(self, dataset: _Optional[str] = ..., measure: _Optional[str] = ..., value: _Optional[float] = ..., num_samples: _Optional[int] = ..., baseline: _Optional[float] = ..., baseline_name: _Optional[str] = ..., lower_is_better: bool = ..., is_of_last_model: bool = ...) -> None: ...

class RunState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class RunOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
