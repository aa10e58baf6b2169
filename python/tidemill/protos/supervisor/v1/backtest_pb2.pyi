from tidemill.protos.rpc.v1 import left_out_pb2 as _left_out_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BacktestResult(_message.Message):
    __slots__ = ["differences", "first_fault", "high", "longest_latency_seconds", "low", "mean_latency_seconds", "name", "num_decisions", "num_false_alarms", "num_faults", "num_leftover", "num_measured", "num_selected", "num_triggers", "num_triggers_between_models", "num_windows_left_out", "own", "policy", "training_seconds", "triggers", "value", "window_models", "window_samples", "window_triggers", "window_values"]
    class Trigger(_message.Message):
        __slots__ = ["at", "num_new", "num_selected"]
        AT_FIELD_NUMBER: _ClassVar[int]
        NUM_NEW_FIELD_NUMBER: _ClassVar[int]
        NUM_SELECTED_FIELD_NUMBER: _ClassVar[int]
        at: _rpc_pb2.Cut
        num_new: int
        num_selected: int
        def __init__(self, at: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., num_new: _Optional[int] = ..., num_selected: _Optional[int] = ...) -> None: ...
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    FIRST_FAULT_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    LONGEST_LATENCY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    MEAN_LATENCY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    NUM_FALSE_ALARMS_FIELD_NUMBER: _ClassVar[int]
    NUM_FAULTS_FIELD_NUMBER: _ClassVar[int]
    NUM_LEFTOVER_FIELD_NUMBER: _ClassVar[int]
    NUM_MEASURED_FIELD_NUMBER: _ClassVar[int]
    NUM_SELECTED_FIELD_NUMBER: _ClassVar[int]
    NUM_TRIGGERS_BETWEEN_MODELS_FIELD_NUMBER: _ClassVar[int]
    NUM_TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    NUM_WINDOWS_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    TRAINING_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_MODELS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_VALUES_FIELD_NUMBER: _ClassVar[int]
    differences: _containers.RepeatedScalarFieldContainer[str]
    first_fault: str
    high: float
    longest_latency_seconds: float
    low: float
    mean_latency_seconds: float
    name: str
    num_decisions: int
    num_false_alarms: float
    num_faults: int
    num_leftover: int
    num_measured: int
    num_selected: int
    num_triggers: int
    num_triggers_between_models: int
    num_windows_left_out: int
    own: bool
    policy: str
    training_seconds: float
    triggers: _containers.RepeatedCompositeFieldContainer[BacktestResult.Trigger]
    value: float
    window_models: _containers.RepeatedScalarFieldContainer[int]
    window_samples: _containers.RepeatedScalarFieldContainer[int]
    window_triggers: _containers.RepeatedScalarFieldContainer[int]
    window_values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, name: _Optional[str] = ..., policy: _Optional[str] = ..., num_triggers: _Optional[int] = ..., num_decisions: _Optional[int] = ..., num_selected: _Optional[int] = ..., num_leftover: _Optional[int] = ..., training_seconds: _Optional[float] = ..., mean_latency_seconds: _Optional[float] = ..., longest_latency_seconds: _Optional[float] = ..., triggers: _Optional[_Iterable[_Union[BacktestResult.Trigger, _Mapping]]] = ..., num_false_alarms: _Optional[float] = ..., value: _Optional[float] = ..., num_measured: _Optional[int] = ..., num_windows_left_out: _Optional[int] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., own: bool = ..., window_values: _Optional[_Iterable[float]] = ..., window_samples: _Optional[_Iterable[int]] = ..., window_models: _Optional[_Iterable[int]] = ..., window_triggers: _Optional[_Iterable[int]] = ..., num_triggers_between_models: _Optional[int] = ..., differences: _Optional[_Iterable[str]] = ..., num_faults: _Optional[int] = ..., first_fault: _Optional[str] = ...) -> None: ...

class WatchBacktestRequest(_message.Message):
    __slots__ = ["asks_models", "measure", "namespace", "num_shuffles", "pipeline", "pipeline_name", "policies", "run_id", "to"]
    class Policy(_message.Message):
        __slots__ = ["name", "text"]
        NAME_FIELD_NUMBER: _ClassVar[int]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        name: str
        text: str
        def __init__(self, name: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...
    ASKS_MODELS_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NUM_SHUFFLES_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    asks_models: bool
    measure: str
    namespace: str
    num_shuffles: int
    pipeline: str
    pipeline_name: str
    policies: _containers.RepeatedCompositeFieldContainer[WatchBacktestRequest.Policy]
    run_id: int
    to: int
    def __init__(self, namespace: _Optional[str] = ..., pipeline_name: _Optional[str] = ..., policies: _Optional[_Iterable[_Union[WatchBacktestRequest.Policy, _Mapping]]] = ..., to: _Optional[int] = ..., run_id: _Optional[int] = ..., measure: _Optional[str] = ..., num_shuffles: _Optional[int] = ..., asks_models: bool = ..., pipeline: _Optional[str] = ..., **kwargs) -> None: ...

class WatchBacktestResponse(_message.Message):
    __slots__ = ["final", "progress"]
    class Final(_message.Message):
        __slots__ = ["asks_models", "base_seconds", "dataset", "first_time", "last_time", "lower_is_better", "measure", "models", "not_taken", "num_samples", "num_shuffles", "num_trainings", "num_unlabelled", "own_left_out", "results", "run_id", "seconds_per_sample", "selection_filters", "windows"]
        class Model(_message.Message):
            __slots__ = ["at", "trigger"]
            AT_FIELD_NUMBER: _ClassVar[int]
            TRIGGER_FIELD_NUMBER: _ClassVar[int]
            at: _rpc_pb2.Cut
            trigger: int
            def __init__(self, trigger: _Optional[int] = ..., at: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ...) -> None: ...
        class Window(_message.Message):
            __slots__ = ["to"]
            FROM_FIELD_NUMBER: _ClassVar[int]
            TO_FIELD_NUMBER: _ClassVar[int]
            to: _rpc_pb2.Cut
            def __init__(self, to: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., **kwargs) -> None: ...
        ASKS_MODELS_FIELD_NUMBER: _ClassVar[int]
        BASE_SECONDS_FIELD_NUMBER: _ClassVar[int]
        DATASET_FIELD_NUMBER: _ClassVar[int]
        FIRST_TIME_FIELD_NUMBER: _ClassVar[int]
        LAST_TIME_FIELD_NUMBER: _ClassVar[int]
        LOWER_IS_BETTER_FIELD_NUMBER: _ClassVar[int]
        MEASURE_FIELD_NUMBER: _ClassVar[int]
        MODELS_FIELD_NUMBER: _ClassVar[int]
        NOT_TAKEN_FIELD_NUMBER: _ClassVar[int]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        NUM_SHUFFLES_FIELD_NUMBER: _ClassVar[int]
        NUM_TRAININGS_FIELD_NUMBER: _ClassVar[int]
        NUM_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
        OWN_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
        RESULTS_FIELD_NUMBER: _ClassVar[int]
        RUN_ID_FIELD_NUMBER: _ClassVar[int]
        SECONDS_PER_SAMPLE_FIELD_NUMBER: _ClassVar[int]
        SELECTION_FILTERS_FIELD_NUMBER: _ClassVar[int]
        WINDOWS_FIELD_NUMBER: _ClassVar[int]
        asks_models: bool
        base_seconds: float
        dataset: str
        first_time: int
        last_time: int
        lower_is_better: bool
        measure: str
        models: _containers.RepeatedCompositeFieldContainer[WatchBacktestResponse.Final.Model]
        not_taken: _left_out_pb2.FilesNotTaken
        num_samples: int
        num_shuffles: int
        num_trainings: int
        num_unlabelled: int
        own_left_out: str
        results: _containers.RepeatedCompositeFieldContainer[BacktestResult]
        run_id: int
        seconds_per_sample: float
        selection_filters: bool
        windows: _containers.RepeatedCompositeFieldContainer[WatchBacktestResponse.Final.Window]
        def __init__(self, results: _Optional[_Iterable[_Union[BacktestResult, _Mapping]]] = ..., num_samples: _Optional[int] = ..., num_trainings: _Optional[int] = ..., base_seconds: _Optional[float] = ..., seconds_per_sample: _Optional[float] = ..., run_id: _Optional[int] = ..., measure: _Optional[str] = ..., num_shuffles: _Optional[int] = ..., dataset: _Optional[str] = ..., first_time: _Optional[int] = ..., last_time: _Optional[int] = ..., own_left_out: _Optional[str] = ..., lower_is_better: bool = ..., windows: _Optional[_Iterable[_Union[WatchBacktestResponse.Final.Window, _Mapping]]] = ..., models: _Optional[_Iterable[_Union[WatchBacktestResponse.Final.Model, _Mapping]]] = ..., asks_models: bool = ..., num_unlabelled: _Optional[int] = ..., selection_filters: bool = ..., not_taken: _Optional[_Union[_left_out_pb2.FilesNotTaken, _Mapping]] = ...) -> None: ...
    class Progress(_message.Message):
        __slots__ = ["num_awaited", "num_samples", "num_samples_total"]
        NUM_AWAITED_FIELD_NUMBER: _ClassVar[int]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        NUM_SAMPLES_TOTAL_FIELD_NUMBER: _ClassVar[int]
        num_awaited: int
        num_samples: int
        num_samples_total: int
        def __init__(self, num_samples: _Optional[int] = ..., num_samples_total: _Optional[int] = ..., num_awaited: _Optional[int] = ...) -> None: ...
    FINAL_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    final: WatchBacktestResponse.Final
    progress: WatchBacktestResponse.Progress
    def __init__(self, progress: _Optional[_Union[WatchBacktestResponse.Progress, _Mapping]] = ..., final: _Optional[_Union[WatchBacktestResponse.Final, _Mapping]] = ...) -> None: ...
