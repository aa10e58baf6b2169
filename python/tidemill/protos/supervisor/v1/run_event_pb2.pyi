from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import left_out_pb2 as _left_out_pb2
from tidemill.protos.rpc.v1 import measure_fault_pb2 as _measure_fault_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.rpc.v1 import training_result_pb2 as _training_result_pb2
from tidemill.protos.rpc.v1 import usage_pb2 as _usage_pb2
from tidemill.protos.supervisor.v1 import costs_pb2 as _costs_pb2
from tidemill.protos.supervisor.v1 import decision_pb2 as _decision_pb2
from tidemill.protos.supervisor.v1 import model_use_pb2 as _model_use_pb2
from tidemill.protos.supervisor.v1 import run_pb2 as _run_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ChallengersJudged(_message.Message):
    __slots__ = ["judged", "round"]
    JUDGED_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    judged: _containers.RepeatedCompositeFieldContainer[JudgedChallenger]
    round: int
    def __init__(self, round: _Optional[int] = ..., judged: _Optional[_Iterable[_Union[JudgedChallenger, _Mapping]]] = ...) -> None: ...

class DatasetSynced(_message.Message):
    __slots__ = ["left_out", "name", "num_samples", "replay_from", "replay_to", "snapshot", "spec", "to"]
    FROM_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    REPLAY_FROM_FIELD_NUMBER: _ClassVar[int]
    REPLAY_TO_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    left_out: _left_out_pb2.LeftOut
    name: str
    num_samples: int
    replay_from: _rpc_pb2.Cut
    replay_to: _rpc_pb2.Cut
    snapshot: _rpc_pb2.Snapshot
    spec: str
    to: _rpc_pb2.Cut
    def __init__(self, name: _Optional[str] = ..., spec: _Optional[str] = ..., snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., num_samples: _Optional[int] = ..., to: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., replay_from: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., replay_to: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., left_out: _Optional[_Union[_left_out_pb2.LeftOut, _Mapping]] = ..., **kwargs) -> None: ...

class EvaluationFinished(_message.Message):
    __slots__ = ["evaluation", "faults", "num_found", "num_prepared_at_workers", "num_prepared_here", "num_removed_models", "num_windows", "round", "seconds"]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    NUM_FOUND_FIELD_NUMBER: _ClassVar[int]
    NUM_PREPARED_AT_WORKERS_FIELD_NUMBER: _ClassVar[int]
    NUM_PREPARED_HERE_FIELD_NUMBER: _ClassVar[int]
    NUM_REMOVED_MODELS_FIELD_NUMBER: _ClassVar[int]
    NUM_WINDOWS_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    evaluation: int
    faults: _containers.RepeatedCompositeFieldContainer[_measure_fault_pb2.MeasureFault]
    num_found: int
    num_prepared_at_workers: int
    num_prepared_here: int
    num_removed_models: int
    num_windows: int
    round: int
    seconds: float
    def __init__(self, evaluation: _Optional[int] = ..., num_windows: _Optional[int] = ..., seconds: _Optional[float] = ..., round: _Optional[int] = ..., num_removed_models: _Optional[int] = ..., faults: _Optional[_Iterable[_Union[_measure_fault_pb2.MeasureFault, _Mapping]]] = ..., num_prepared_here: _Optional[int] = ..., num_prepared_at_workers: _Optional[int] = ..., num_found: _Optional[int] = ...) -> None: ...

class GraphFitted(_message.Message):
    __slots__ = ["digest", "reused", "seconds", "trigger"]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    REUSED_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    digest: str
    reused: bool
    seconds: float
    trigger: int
    def __init__(self, trigger: _Optional[int] = ..., digest: _Optional[str] = ..., seconds: _Optional[float] = ..., reused: bool = ...) -> None: ...

class JudgedChallenger(_message.Message):
    __slots__ = ["champion_id", "comparison", "is_better", "is_open", "model_id", "text", "trigger"]
    CHAMPION_ID_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_FIELD_NUMBER: _ClassVar[int]
    IS_BETTER_FIELD_NUMBER: _ClassVar[int]
    IS_OPEN_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    champion_id: int
    comparison: _model_use_pb2.ModelComparison
    is_better: bool
    is_open: bool
    model_id: int
    text: str
    trigger: int
    def __init__(self, trigger: _Optional[int] = ..., model_id: _Optional[int] = ..., champion_id: _Optional[int] = ..., is_better: bool = ..., is_open: bool = ..., text: _Optional[str] = ..., comparison: _Optional[_Union[_model_use_pb2.ModelComparison, _Mapping]] = ...) -> None: ...

class ModelStored(_message.Message):
    __slots__ = ["model_id", "seconds", "trigger", "weights_digest"]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_DIGEST_FIELD_NUMBER: _ClassVar[int]
    model_id: int
    seconds: float
    trigger: int
    weights_digest: str
    def __init__(self, trigger: _Optional[int] = ..., model_id: _Optional[int] = ..., weights_digest: _Optional[str] = ..., seconds: _Optional[float] = ...) -> None: ...

class ModelTrained(_message.Message):
    __slots__ = ["device", "downsampling", "loss", "loss_curve", "num_skipped", "result", "reused_from", "seconds", "training_digest", "trigger", "verdict", "why_not_reusable"]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    DOWNSAMPLING_FIELD_NUMBER: _ClassVar[int]
    LOSS_CURVE_FIELD_NUMBER: _ClassVar[int]
    LOSS_FIELD_NUMBER: _ClassVar[int]
    NUM_SKIPPED_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    REUSED_FROM_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRAINING_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    WHY_NOT_REUSABLE_FIELD_NUMBER: _ClassVar[int]
    device: str
    downsampling: _training_result_pb2.DownsamplingSummary
    loss: float
    loss_curve: _containers.RepeatedCompositeFieldContainer[_training_result_pb2.LossPoint]
    num_skipped: int
    result: _training_result_pb2.TrainingResult
    reused_from: _training_result_pb2.FirstTraining
    seconds: float
    training_digest: str
    trigger: int
    verdict: str
    why_not_reusable: str
    def __init__(self, trigger: _Optional[int] = ..., seconds: _Optional[float] = ..., result: _Optional[_Union[_training_result_pb2.TrainingResult, _Mapping]] = ..., training_digest: _Optional[str] = ..., why_not_reusable: _Optional[str] = ..., reused_from: _Optional[_Union[_training_result_pb2.FirstTraining, _Mapping]] = ..., num_skipped: _Optional[int] = ..., device: _Optional[str] = ..., loss: _Optional[float] = ..., loss_curve: _Optional[_Iterable[_Union[_training_result_pb2.LossPoint, _Mapping]]] = ..., downsampling: _Optional[_Union[_training_result_pb2.DownsamplingSummary, _Mapping]] = ..., verdict: _Optional[str] = ...) -> None: ...

class ModelsRetired(_message.Message):
    __slots__ = ["first_model", "first_training_set", "kept_models"]
    FIRST_MODEL_FIELD_NUMBER: _ClassVar[int]
    FIRST_TRAINING_SET_FIELD_NUMBER: _ClassVar[int]
    KEPT_MODELS_FIELD_NUMBER: _ClassVar[int]
    first_model: int
    first_training_set: int
    kept_models: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, first_model: _Optional[int] = ..., first_training_set: _Optional[int] = ..., kept_models: _Optional[_Iterable[int]] = ...) -> None: ...

class PluginDied(_message.Message):
    __slots__ = ["plugin", "trigger", "what"]
    PLUGIN_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    plugin: str
    trigger: int
    what: str
    def __init__(self, trigger: _Optional[int] = ..., plugin: _Optional[str] = ..., what: _Optional[str] = ...) -> None: ...

class PluginsChanged(_message.Message):
    __slots__ = ["plugins"]
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    plugins: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, plugins: _Optional[_Iterable[str]] = ...) -> None: ...

class PolicyFaulted(_message.Message):
    __slots__ = ["at", "fault", "fired", "num_decisions"]
    AT_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    FIRED_FIELD_NUMBER: _ClassVar[int]
    NUM_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    at: _rpc_pb2.Cut
    fault: _decision_pb2.PolicyFault
    fired: bool
    num_decisions: int
    def __init__(self, num_decisions: _Optional[int] = ..., at: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., fault: _Optional[_Union[_decision_pb2.PolicyFault, _Mapping]] = ..., fired: bool = ...) -> None: ...

class RecordedEvent(_message.Message):
    __slots__ = ["at", "event", "sequence"]
    AT_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    event: RunEvent
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., event: _Optional[_Union[RunEvent, _Mapping]] = ...) -> None: ...

class RunEvent(_message.Message):
    __slots__ = ["challengers_judged", "dataset_synced", "evaluation_finished", "graph_fitted", "model_stored", "model_trained", "models_retired", "plugin_died", "plugins_changed", "policy_faulted", "run_failed", "run_resumed", "run_started", "run_stopped", "run_succeeded", "samples_ahead", "selection_faulted", "step_waited", "stop_requested", "stream_ended", "training_set_sealed", "trigger_fired", "trigger_requested", "trigger_skipped", "usage", "usage_noted"]
    CHALLENGERS_JUDGED_FIELD_NUMBER: _ClassVar[int]
    DATASET_SYNCED_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FINISHED_FIELD_NUMBER: _ClassVar[int]
    GRAPH_FITTED_FIELD_NUMBER: _ClassVar[int]
    MODELS_RETIRED_FIELD_NUMBER: _ClassVar[int]
    MODEL_STORED_FIELD_NUMBER: _ClassVar[int]
    MODEL_TRAINED_FIELD_NUMBER: _ClassVar[int]
    PLUGINS_CHANGED_FIELD_NUMBER: _ClassVar[int]
    PLUGIN_DIED_FIELD_NUMBER: _ClassVar[int]
    POLICY_FAULTED_FIELD_NUMBER: _ClassVar[int]
    RUN_FAILED_FIELD_NUMBER: _ClassVar[int]
    RUN_RESUMED_FIELD_NUMBER: _ClassVar[int]
    RUN_STARTED_FIELD_NUMBER: _ClassVar[int]
    RUN_STOPPED_FIELD_NUMBER: _ClassVar[int]
    RUN_SUCCEEDED_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_AHEAD_FIELD_NUMBER: _ClassVar[int]
    SELECTION_FAULTED_FIELD_NUMBER: _ClassVar[int]
    STEP_WAITED_FIELD_NUMBER: _ClassVar[int]
    STOP_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    STREAM_ENDED_FIELD_NUMBER: _ClassVar[int]
    TRAINING_SET_SEALED_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIRED_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_SKIPPED_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    USAGE_NOTED_FIELD_NUMBER: _ClassVar[int]
    challengers_judged: ChallengersJudged
    dataset_synced: DatasetSynced
    evaluation_finished: EvaluationFinished
    graph_fitted: GraphFitted
    model_stored: ModelStored
    model_trained: ModelTrained
    models_retired: ModelsRetired
    plugin_died: PluginDied
    plugins_changed: PluginsChanged
    policy_faulted: PolicyFaulted
    run_failed: RunFailed
    run_resumed: RunResumed
    run_started: RunStarted
    run_stopped: RunStopped
    run_succeeded: RunSucceeded
    samples_ahead: SamplesAhead
    selection_faulted: SelectionFaulted
    step_waited: StepWaited
    stop_requested: StopRequested
    stream_ended: StreamEnded
    training_set_sealed: TrainingSetSealed
    trigger_fired: TriggerFired
    trigger_requested: TriggerRequested
    trigger_skipped: TriggerSkipped
    usage: _containers.RepeatedCompositeFieldContainer[_costs_pb2.StageUsage]
    usage_noted: UsageNoted
    def __init__(self, run_started: _Optional[_Union[RunStarted, _Mapping]] = ..., dataset_synced: _Optional[_Union[DatasetSynced, _Mapping]] = ..., trigger_fired: _Optional[_Union[TriggerFired, _Mapping]] = ..., stream_ended: _Optional[_Union[StreamEnded, _Mapping]] = ..., training_set_sealed: _Optional[_Union[TrainingSetSealed, _Mapping]] = ..., graph_fitted: _Optional[_Union[GraphFitted, _Mapping]] = ..., model_trained: _Optional[_Union[ModelTrained, _Mapping]] = ..., model_stored: _Optional[_Union[ModelStored, _Mapping]] = ..., evaluation_finished: _Optional[_Union[EvaluationFinished, _Mapping]] = ..., run_succeeded: _Optional[_Union[RunSucceeded, _Mapping]] = ..., run_failed: _Optional[_Union[RunFailed, _Mapping]] = ..., run_stopped: _Optional[_Union[RunStopped, _Mapping]] = ..., run_resumed: _Optional[_Union[RunResumed, _Mapping]] = ..., stop_requested: _Optional[_Union[StopRequested, _Mapping]] = ..., models_retired: _Optional[_Union[ModelsRetired, _Mapping]] = ..., trigger_requested: _Optional[_Union[TriggerRequested, _Mapping]] = ..., trigger_skipped: _Optional[_Union[TriggerSkipped, _Mapping]] = ..., policy_faulted: _Optional[_Union[PolicyFaulted, _Mapping]] = ..., selection_faulted: _Optional[_Union[SelectionFaulted, _Mapping]] = ..., step_waited: _Optional[_Union[StepWaited, _Mapping]] = ..., samples_ahead: _Optional[_Union[SamplesAhead, _Mapping]] = ..., plugin_died: _Optional[_Union[PluginDied, _Mapping]] = ..., plugins_changed: _Optional[_Union[PluginsChanged, _Mapping]] = ..., usage_noted: _Optional[_Union[UsageNoted, _Mapping]] = ..., challengers_judged: _Optional[_Union[ChallengersJudged, _Mapping]] = ..., usage: _Optional[_Iterable[_Union[_costs_pb2.StageUsage, _Mapping]]] = ...) -> None: ...

class RunFailed(_message.Message):
    __slots__ = ["error"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    error: str
    def __init__(self, error: _Optional[str] = ...) -> None: ...

class RunResumed(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class RunStarted(_message.Message):
    __slots__ = ["in_sweep", "live", "max_triggers", "plugins", "prices", "set_values"]
    IN_SWEEP_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    MAX_TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    PRICES_FIELD_NUMBER: _ClassVar[int]
    SET_VALUES_FIELD_NUMBER: _ClassVar[int]
    in_sweep: _run_pb2.InSweep
    live: bool
    max_triggers: int
    plugins: _containers.RepeatedScalarFieldContainer[str]
    prices: _usage_pb2.Prices
    set_values: _containers.RepeatedCompositeFieldContainer[SetValue]
    def __init__(self, max_triggers: _Optional[int] = ..., live: bool = ..., plugins: _Optional[_Iterable[str]] = ..., set_values: _Optional[_Iterable[_Union[SetValue, _Mapping]]] = ..., prices: _Optional[_Union[_usage_pb2.Prices, _Mapping]] = ..., in_sweep: _Optional[_Union[_run_pb2.InSweep, _Mapping]] = ...) -> None: ...

class RunStopped(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class RunSucceeded(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class SamplesAhead(_message.Message):
    __slots__ = ["first_event_time", "num_samples", "reached_event_time"]
    FIRST_EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    REACHED_EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    first_event_time: int
    num_samples: int
    reached_event_time: int
    def __init__(self, num_samples: _Optional[int] = ..., first_event_time: _Optional[int] = ..., reached_event_time: _Optional[int] = ...) -> None: ...

class SelectionFaulted(_message.Message):
    __slots__ = ["fault", "num_candidates", "num_samples", "trigger"]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    NUM_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    fault: _decision_pb2.PolicyFault
    num_candidates: int
    num_samples: int
    trigger: int
    def __init__(self, trigger: _Optional[int] = ..., fault: _Optional[_Union[_decision_pb2.PolicyFault, _Mapping]] = ..., num_samples: _Optional[int] = ..., num_candidates: _Optional[int] = ...) -> None: ...

class SetValue(_message.Message):
    __slots__ = ["key", "value", "was", "was_default"]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    WAS_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    WAS_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: str
    was: str
    was_default: bool
    def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ..., was: _Optional[str] = ..., was_default: bool = ...) -> None: ...

class StepWaited(_message.Message):
    __slots__ = ["reason", "seconds", "stage", "trigger"]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    reason: str
    seconds: float
    stage: str
    trigger: int
    def __init__(self, stage: _Optional[str] = ..., trigger: _Optional[int] = ..., reason: _Optional[str] = ..., seconds: _Optional[float] = ...) -> None: ...

class StopRequested(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class StreamEnded(_message.Message):
    __slots__ = ["dataset", "end", "num_late", "num_leftover", "snapshot", "standing"]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    NUM_LATE_FIELD_NUMBER: _ClassVar[int]
    NUM_LEFTOVER_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    end: _rpc_pb2.Cut
    num_late: int
    num_leftover: int
    snapshot: _rpc_pb2.Snapshot
    standing: str
    def __init__(self, num_leftover: _Optional[int] = ..., end: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., dataset: _Optional[str] = ..., snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., num_late: _Optional[int] = ..., standing: _Optional[str] = ...) -> None: ...

class TrainingSetSealed(_message.Message):
    __slots__ = ["digest", "num_candidates", "num_filtered", "num_fresh", "num_late", "num_new_unlabelled", "num_samples", "num_unlabelled", "seconds", "trigger"]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    NUM_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_FRESH_FIELD_NUMBER: _ClassVar[int]
    NUM_LATE_FIELD_NUMBER: _ClassVar[int]
    NUM_NEW_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    digest: str
    num_candidates: int
    num_filtered: int
    num_fresh: int
    num_late: int
    num_new_unlabelled: int
    num_samples: int
    num_unlabelled: int
    seconds: float
    trigger: int
    def __init__(self, trigger: _Optional[int] = ..., num_samples: _Optional[int] = ..., num_candidates: _Optional[int] = ..., digest: _Optional[str] = ..., seconds: _Optional[float] = ..., num_late: _Optional[int] = ..., num_unlabelled: _Optional[int] = ..., num_new_unlabelled: _Optional[int] = ..., num_fresh: _Optional[int] = ..., num_filtered: _Optional[int] = ...) -> None: ...

class TriggerFired(_message.Message):
    __slots__ = ["at", "dataset", "num_late", "num_samples", "snapshot", "stream_from", "trigger"]
    AT_FIELD_NUMBER: _ClassVar[int]
    DATASET_FIELD_NUMBER: _ClassVar[int]
    NUM_LATE_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    STREAM_FROM_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    at: _rpc_pb2.Cut
    dataset: str
    num_late: int
    num_samples: int
    snapshot: _rpc_pb2.Snapshot
    stream_from: _rpc_pb2.Cut
    trigger: int
    def __init__(self, trigger: _Optional[int] = ..., at: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., num_samples: _Optional[int] = ..., snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., num_late: _Optional[int] = ..., stream_from: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., dataset: _Optional[str] = ...) -> None: ...

class TriggerRequested(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class TriggerSkipped(_message.Message):
    __slots__ = ["active_trigger", "num_candidates", "num_filtered", "num_new_unlabelled", "num_unlabelled", "reason", "stage", "trigger"]
    ACTIVE_TRIGGER_FIELD_NUMBER: _ClassVar[int]
    NUM_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_NEW_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    NUM_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    active_trigger: int
    num_candidates: int
    num_filtered: int
    num_new_unlabelled: int
    num_unlabelled: int
    reason: str
    stage: str
    trigger: int
    def __init__(self, trigger: _Optional[int] = ..., reason: _Optional[str] = ..., stage: _Optional[str] = ..., active_trigger: _Optional[int] = ..., num_candidates: _Optional[int] = ..., num_unlabelled: _Optional[int] = ..., num_new_unlabelled: _Optional[int] = ..., num_filtered: _Optional[int] = ...) -> None: ...

class UsageNoted(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...
