from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.evaluator.v1 import evaluation_pb2 as _evaluation_pb2
from tidemill.protos.evaluator.v1 import outcomes_pb2 as _outcomes_pb2
from tidemill.protos.rpc.v1 import ledger_pb2 as _ledger_pb2
from tidemill.protos.rpc.v1 import left_out_pb2 as _left_out_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.rpc.v1 import training_result_pb2 as _training_result_pb2
from tidemill.protos.storage.v1 import dataset_versions_pb2 as _dataset_versions_pb2
from tidemill.protos.supervisor.v1 import backtest_pb2 as _backtest_pb2
from tidemill.protos.supervisor.v1 import decision_pb2 as _decision_pb2
from tidemill.protos.supervisor.v1 import model_use_pb2 as _model_use_pb2
from tidemill.protos.supervisor.v1 import network_pb2 as _network_pb2
from tidemill.protos.supervisor.v1 import run_pb2 as _run_pb2
from tidemill.protos.supervisor.v1 import run_event_pb2 as _run_event_pb2
from tidemill.protos.supervisor.v1 import watch_pb2 as _watch_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeletePipelineRequest(_message.Message):
    __slots__ = ["command", "name", "namespace"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    name: str
    namespace: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class DeletePipelineResponse(_message.Message):
    __slots__ = ["existed"]
    EXISTED_FIELD_NUMBER: _ClassVar[int]
    existed: bool
    def __init__(self, existed: bool = ...) -> None: ...

class DeleteRunRequest(_message.Message):
    __slots__ = ["command", "run_id"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    run_id: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., run_id: _Optional[int] = ...) -> None: ...

class DeleteRunResponse(_message.Message):
    __slots__ = ["existed"]
    EXISTED_FIELD_NUMBER: _ClassVar[int]
    existed: bool
    def __init__(self, existed: bool = ...) -> None: ...

class GetDecisionRequest(_message.Message):
    __slots__ = ["event_time", "number", "run_id", "trigger"]
    EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    event_time: int
    number: int
    run_id: int
    trigger: int
    def __init__(self, run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., event_time: _Optional[int] = ..., number: _Optional[int] = ...) -> None: ...

class GetDecisionResponse(_message.Message):
    __slots__ = ["decision", "next", "plugins", "policy", "run", "skip_reason", "stream_ended", "trigger_before"]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    SKIP_REASON_FIELD_NUMBER: _ClassVar[int]
    STREAM_ENDED_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_BEFORE_FIELD_NUMBER: _ClassVar[int]
    decision: _decision_pb2.Decision
    next: _decision_pb2.Decision
    plugins: _containers.RepeatedScalarFieldContainer[str]
    policy: str
    run: _run_pb2.Run
    skip_reason: str
    stream_ended: _run_event_pb2.StreamEnded
    trigger_before: _decision_pb2.Decision
    def __init__(self, run: _Optional[_Union[_run_pb2.Run, _Mapping]] = ..., decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., trigger_before: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., next: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., policy: _Optional[str] = ..., skip_reason: _Optional[str] = ..., stream_ended: _Optional[_Union[_run_event_pb2.StreamEnded, _Mapping]] = ..., plugins: _Optional[_Iterable[str]] = ...) -> None: ...

class GetPipelineRequest(_message.Message):
    __slots__ = ["name", "namespace"]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    namespace: str
    def __init__(self, namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class GetPipelineResponse(_message.Message):
    __slots__ = ["pipeline"]
    PIPELINE_FIELD_NUMBER: _ClassVar[int]
    pipeline: Pipeline
    def __init__(self, pipeline: _Optional[_Union[Pipeline, _Mapping]] = ...) -> None: ...

class GetRunRequest(_message.Message):
    __slots__ = ["run_id", "with_events"]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    WITH_EVENTS_FIELD_NUMBER: _ClassVar[int]
    run_id: int
    with_events: bool
    def __init__(self, run_id: _Optional[int] = ..., with_events: bool = ...) -> None: ...

class GetRunResponse(_message.Message):
    __slots__ = ["decisions", "events", "ledger", "left_out", "model_changes", "model_in_use", "num_details_left_out", "num_slice_values_left_out", "outcomes", "pipeline_resolved", "pipeline_text", "plugins", "results", "run", "samples_ahead", "set_values", "stream_ended", "triggers"]
    class LeftOutEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _left_out_pb2.LeftOut
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_left_out_pb2.LeftOut, _Mapping]] = ...) -> None: ...
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    LEDGER_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    MODEL_CHANGES_FIELD_NUMBER: _ClassVar[int]
    MODEL_IN_USE_FIELD_NUMBER: _ClassVar[int]
    NUM_DETAILS_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    NUM_SLICE_VALUES_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_TEXT_FIELD_NUMBER: _ClassVar[int]
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_AHEAD_FIELD_NUMBER: _ClassVar[int]
    SET_VALUES_FIELD_NUMBER: _ClassVar[int]
    STREAM_ENDED_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[_decision_pb2.Decision]
    events: _containers.RepeatedCompositeFieldContainer[_run_event_pb2.RecordedEvent]
    ledger: _ledger_pb2.Ledger
    left_out: _containers.MessageMap[str, _left_out_pb2.LeftOut]
    model_changes: _containers.RepeatedCompositeFieldContainer[_model_use_pb2.ModelChange]
    model_in_use: _model_use_pb2.ModelChange
    num_details_left_out: int
    num_slice_values_left_out: int
    outcomes: _outcomes_pb2.SummariseOutcomesResponse
    pipeline_resolved: str
    pipeline_text: str
    plugins: _containers.RepeatedScalarFieldContainer[str]
    results: _containers.RepeatedCompositeFieldContainer[_evaluation_pb2.Evaluation]
    run: _run_pb2.Run
    samples_ahead: _run_event_pb2.SamplesAhead
    set_values: _containers.RepeatedCompositeFieldContainer[_run_event_pb2.SetValue]
    stream_ended: _run_event_pb2.StreamEnded
    triggers: _containers.RepeatedCompositeFieldContainer[Trigger]
    def __init__(self, run: _Optional[_Union[_run_pb2.Run, _Mapping]] = ..., triggers: _Optional[_Iterable[_Union[Trigger, _Mapping]]] = ..., results: _Optional[_Iterable[_Union[_evaluation_pb2.Evaluation, _Mapping]]] = ..., decisions: _Optional[_Iterable[_Union[_decision_pb2.Decision, _Mapping]]] = ..., pipeline_text: _Optional[str] = ..., pipeline_resolved: _Optional[str] = ..., events: _Optional[_Iterable[_Union[_run_event_pb2.RecordedEvent, _Mapping]]] = ..., left_out: _Optional[_Mapping[str, _left_out_pb2.LeftOut]] = ..., stream_ended: _Optional[_Union[_run_event_pb2.StreamEnded, _Mapping]] = ..., ledger: _Optional[_Union[_ledger_pb2.Ledger, _Mapping]] = ..., samples_ahead: _Optional[_Union[_run_event_pb2.SamplesAhead, _Mapping]] = ..., plugins: _Optional[_Iterable[str]] = ..., outcomes: _Optional[_Union[_outcomes_pb2.SummariseOutcomesResponse, _Mapping]] = ..., set_values: _Optional[_Iterable[_Union[_run_event_pb2.SetValue, _Mapping]]] = ..., num_slice_values_left_out: _Optional[int] = ..., num_details_left_out: _Optional[int] = ..., model_in_use: _Optional[_Union[_model_use_pb2.ModelChange, _Mapping]] = ..., model_changes: _Optional[_Iterable[_Union[_model_use_pb2.ModelChange, _Mapping]]] = ...) -> None: ...

class ListPipelinesRequest(_message.Message):
    __slots__ = ["namespace"]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    def __init__(self, namespace: _Optional[str] = ...) -> None: ...

class ListPipelinesResponse(_message.Message):
    __slots__ = ["pipelines"]
    PIPELINES_FIELD_NUMBER: _ClassVar[int]
    pipelines: _containers.RepeatedCompositeFieldContainer[Pipeline]
    def __init__(self, pipelines: _Optional[_Iterable[_Union[Pipeline, _Mapping]]] = ...) -> None: ...

class Pipeline(_message.Message):
    __slots__ = ["created_at", "description", "last_run", "name", "namespace", "num_runs", "pipeline_id", "spec"]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    LAST_RUN_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_RUNS_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    created_at: _timestamp_pb2.Timestamp
    description: str
    last_run: _run_pb2.Run
    name: str
    namespace: str
    num_runs: int
    pipeline_id: int
    spec: str
    def __init__(self, pipeline_id: _Optional[int] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., spec: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., num_runs: _Optional[int] = ..., last_run: _Optional[_Union[_run_pb2.Run, _Mapping]] = ...) -> None: ...

class ResumeRunRequest(_message.Message):
    __slots__ = ["command", "run_id"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    run_id: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., run_id: _Optional[int] = ...) -> None: ...

class ResumeRunResponse(_message.Message):
    __slots__ = ["run"]
    RUN_FIELD_NUMBER: _ClassVar[int]
    run: _run_pb2.Run
    def __init__(self, run: _Optional[_Union[_run_pb2.Run, _Mapping]] = ...) -> None: ...

class StopRunRequest(_message.Message):
    __slots__ = ["command", "run_id"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    run_id: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., run_id: _Optional[int] = ...) -> None: ...

class StopRunResponse(_message.Message):
    __slots__ = ["run"]
    RUN_FIELD_NUMBER: _ClassVar[int]
    run: _run_pb2.Run
    def __init__(self, run: _Optional[_Union[_run_pb2.Run, _Mapping]] = ...) -> None: ...

class SubmitPipelineRequest(_message.Message):
    __slots__ = ["base_folder", "command", "file_name", "files", "in_sweep", "max_triggers", "namespace", "network_digest", "note", "on_other_spec", "pipeline", "promote", "tags", "values_to_set", "variables", "weights_digests"]
    class FilesEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bytes
        def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...
    class VariablesEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    BASE_FOLDER_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    FILE_NAME_FIELD_NUMBER: _ClassVar[int]
    IN_SWEEP_FIELD_NUMBER: _ClassVar[int]
    MAX_TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NETWORK_DIGEST_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    ON_OTHER_SPEC_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_FIELD_NUMBER: _ClassVar[int]
    PROMOTE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    VALUES_TO_SET_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_DIGESTS_FIELD_NUMBER: _ClassVar[int]
    base_folder: str
    command: _rpc_pb2.Command
    file_name: str
    files: _containers.ScalarMap[str, bytes]
    in_sweep: _run_pb2.InSweep
    max_triggers: int
    namespace: str
    network_digest: str
    note: str
    on_other_spec: _dataset_versions_pb2.OnOtherSpec
    pipeline: str
    promote: bool
    tags: _containers.RepeatedScalarFieldContainer[str]
    values_to_set: _containers.RepeatedCompositeFieldContainer[ValueToSet]
    variables: _containers.ScalarMap[str, str]
    weights_digests: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., namespace: _Optional[str] = ..., pipeline: _Optional[str] = ..., file_name: _Optional[str] = ..., base_folder: _Optional[str] = ..., variables: _Optional[_Mapping[str, str]] = ..., max_triggers: _Optional[int] = ..., files: _Optional[_Mapping[str, bytes]] = ..., network_digest: _Optional[str] = ..., on_other_spec: _Optional[_Union[_dataset_versions_pb2.OnOtherSpec, str]] = ..., weights_digests: _Optional[_Iterable[str]] = ..., tags: _Optional[_Iterable[str]] = ..., note: _Optional[str] = ..., values_to_set: _Optional[_Iterable[_Union[ValueToSet, _Mapping]]] = ..., promote: bool = ..., in_sweep: _Optional[_Union[_run_pb2.InSweep, _Mapping]] = ...) -> None: ...

class SubmitPipelineResponse(_message.Message):
    __slots__ = ["created", "pipeline_name", "run_id"]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_NAME_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    created: bool
    pipeline_name: str
    run_id: int
    def __init__(self, run_id: _Optional[int] = ..., pipeline_name: _Optional[str] = ..., created: bool = ...) -> None: ...

class Trigger(_message.Message):
    __slots__ = ["at", "fired_at", "late", "ledger", "model_id", "num_candidates", "num_filtered", "num_late", "num_new", "num_samples", "num_unlabelled", "number", "removed", "result", "reused_from", "skip_reason", "stage_seconds", "stored_at", "training_digest", "training_set_digest", "weights_digest", "why_not_reusable"]
    class StageSecondsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    AT_FIELD_NUMBER: _ClassVar[int]
    FIRED_AT_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    LEDGER_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NUM_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_LATE_FIELD_NUMBER: _ClassVar[int]
    NUM_NEW_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    REUSED_FROM_FIELD_NUMBER: _ClassVar[int]
    SKIP_REASON_FIELD_NUMBER: _ClassVar[int]
    STAGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    STORED_AT_FIELD_NUMBER: _ClassVar[int]
    TRAINING_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRAINING_SET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_DIGEST_FIELD_NUMBER: _ClassVar[int]
    WHY_NOT_REUSABLE_FIELD_NUMBER: _ClassVar[int]
    at: _rpc_pb2.Cut
    fired_at: _timestamp_pb2.Timestamp
    late: str
    ledger: _ledger_pb2.Ledger
    model_id: int
    num_candidates: int
    num_filtered: int
    num_late: int
    num_new: int
    num_samples: int
    num_unlabelled: int
    number: int
    removed: bool
    result: _training_result_pb2.TrainingResult
    reused_from: _training_result_pb2.FirstTraining
    skip_reason: str
    stage_seconds: _containers.ScalarMap[str, float]
    stored_at: _timestamp_pb2.Timestamp
    training_digest: str
    training_set_digest: str
    weights_digest: str
    why_not_reusable: str
    def __init__(self, number: _Optional[int] = ..., at: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., num_samples: _Optional[int] = ..., stage_seconds: _Optional[_Mapping[str, float]] = ..., model_id: _Optional[int] = ..., training_set_digest: _Optional[str] = ..., weights_digest: _Optional[str] = ..., num_candidates: _Optional[int] = ..., fired_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., stored_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., num_late: _Optional[int] = ..., late: _Optional[str] = ..., removed: bool = ..., num_unlabelled: _Optional[int] = ..., skip_reason: _Optional[str] = ..., result: _Optional[_Union[_training_result_pb2.TrainingResult, _Mapping]] = ..., num_new: _Optional[int] = ..., ledger: _Optional[_Union[_ledger_pb2.Ledger, _Mapping]] = ..., num_filtered: _Optional[int] = ..., training_digest: _Optional[str] = ..., why_not_reusable: _Optional[str] = ..., reused_from: _Optional[_Union[_training_result_pb2.FirstTraining, _Mapping]] = ...) -> None: ...

class TriggerRunRequest(_message.Message):
    __slots__ = ["command", "run_id"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    run_id: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., run_id: _Optional[int] = ...) -> None: ...

class TriggerRunResponse(_message.Message):
    __slots__ = ["run", "trigger"]
    RUN_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    run: _run_pb2.Run
    trigger: int
    def __init__(self, run: _Optional[_Union[_run_pb2.Run, _Mapping]] = ..., trigger: _Optional[int] = ...) -> None: ...

class ValueToSet(_message.Message):
    __slots__ = ["key", "value"]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: str
    def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
