from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.rpc.v1 import usage_pb2 as _usage_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CompareTrainingSetsRequest(_message.Message):
    __slots__ = ["first_run_id", "first_trigger", "second_run_id", "second_trigger"]
    FIRST_RUN_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_TRIGGER_FIELD_NUMBER: _ClassVar[int]
    SECOND_RUN_ID_FIELD_NUMBER: _ClassVar[int]
    SECOND_TRIGGER_FIELD_NUMBER: _ClassVar[int]
    first_run_id: int
    first_trigger: int
    second_run_id: int
    second_trigger: int
    def __init__(self, first_run_id: _Optional[int] = ..., first_trigger: _Optional[int] = ..., second_run_id: _Optional[int] = ..., second_trigger: _Optional[int] = ...) -> None: ...

class CompareTrainingSetsResponse(_message.Message):
    __slots__ = ["classes", "counts", "first", "first_weights", "mean_weight_difference", "num_forgotten", "second", "second_weights", "times"]
    class ClassCounts(_message.Message):
        __slots__ = ["class_label", "counts", "is_rest"]
        CLASS_LABEL_FIELD_NUMBER: _ClassVar[int]
        COUNTS_FIELD_NUMBER: _ClassVar[int]
        IS_REST_FIELD_NUMBER: _ClassVar[int]
        class_label: int
        counts: CompareTrainingSetsResponse.Counts
        is_rest: bool
        def __init__(self, class_label: _Optional[int] = ..., counts: _Optional[_Union[CompareTrainingSetsResponse.Counts, _Mapping]] = ..., is_rest: bool = ...) -> None: ...
    class Counts(_message.Message):
        __slots__ = ["num_both", "num_only_first", "num_only_second"]
        NUM_BOTH_FIELD_NUMBER: _ClassVar[int]
        NUM_ONLY_FIRST_FIELD_NUMBER: _ClassVar[int]
        NUM_ONLY_SECOND_FIELD_NUMBER: _ClassVar[int]
        num_both: int
        num_only_first: int
        num_only_second: int
        def __init__(self, num_only_first: _Optional[int] = ..., num_only_second: _Optional[int] = ..., num_both: _Optional[int] = ...) -> None: ...
    class TimeCounts(_message.Message):
        __slots__ = ["counts", "to"]
        COUNTS_FIELD_NUMBER: _ClassVar[int]
        FROM_FIELD_NUMBER: _ClassVar[int]
        TO_FIELD_NUMBER: _ClassVar[int]
        counts: CompareTrainingSetsResponse.Counts
        to: int
        def __init__(self, to: _Optional[int] = ..., counts: _Optional[_Union[CompareTrainingSetsResponse.Counts, _Mapping]] = ..., **kwargs) -> None: ...
    class Weights(_message.Message):
        __slots__ = ["effective_size", "greatest", "least"]
        EFFECTIVE_SIZE_FIELD_NUMBER: _ClassVar[int]
        GREATEST_FIELD_NUMBER: _ClassVar[int]
        LEAST_FIELD_NUMBER: _ClassVar[int]
        effective_size: float
        greatest: float
        least: float
        def __init__(self, least: _Optional[float] = ..., greatest: _Optional[float] = ..., effective_size: _Optional[float] = ...) -> None: ...
    CLASSES_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    FIRST_WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    MEAN_WEIGHT_DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    NUM_FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    SECOND_WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    classes: _containers.RepeatedCompositeFieldContainer[CompareTrainingSetsResponse.ClassCounts]
    counts: CompareTrainingSetsResponse.Counts
    first: TrainingSet
    first_weights: CompareTrainingSetsResponse.Weights
    mean_weight_difference: float
    num_forgotten: int
    second: TrainingSet
    second_weights: CompareTrainingSetsResponse.Weights
    times: _containers.RepeatedCompositeFieldContainer[CompareTrainingSetsResponse.TimeCounts]
    def __init__(self, first: _Optional[_Union[TrainingSet, _Mapping]] = ..., second: _Optional[_Union[TrainingSet, _Mapping]] = ..., counts: _Optional[_Union[CompareTrainingSetsResponse.Counts, _Mapping]] = ..., classes: _Optional[_Iterable[_Union[CompareTrainingSetsResponse.ClassCounts, _Mapping]]] = ..., times: _Optional[_Iterable[_Union[CompareTrainingSetsResponse.TimeCounts, _Mapping]]] = ..., num_forgotten: _Optional[int] = ..., first_weights: _Optional[_Union[CompareTrainingSetsResponse.Weights, _Mapping]] = ..., second_weights: _Optional[_Union[CompareTrainingSetsResponse.Weights, _Mapping]] = ..., mean_weight_difference: _Optional[float] = ...) -> None: ...

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

class FindTrainingSetsRequest(_message.Message):
    __slots__ = ["dataset_id", "sample_keys"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_KEYS_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    sample_keys: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dataset_id: _Optional[int] = ..., sample_keys: _Optional[_Iterable[int]] = ...) -> None: ...

class FindTrainingSetsResponse(_message.Message):
    __slots__ = ["match", "num_sets", "num_sets_done"]
    class Match(_message.Message):
        __slots__ = ["is_removed", "num_found", "run_id", "trigger"]
        IS_REMOVED_FIELD_NUMBER: _ClassVar[int]
        NUM_FOUND_FIELD_NUMBER: _ClassVar[int]
        RUN_ID_FIELD_NUMBER: _ClassVar[int]
        TRIGGER_FIELD_NUMBER: _ClassVar[int]
        is_removed: bool
        num_found: int
        run_id: int
        trigger: int
        def __init__(self, run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., num_found: _Optional[int] = ..., is_removed: bool = ...) -> None: ...
    MATCH_FIELD_NUMBER: _ClassVar[int]
    NUM_SETS_DONE_FIELD_NUMBER: _ClassVar[int]
    NUM_SETS_FIELD_NUMBER: _ClassVar[int]
    match: FindTrainingSetsResponse.Match
    num_sets: int
    num_sets_done: int
    def __init__(self, match: _Optional[_Union[FindTrainingSetsResponse.Match, _Mapping]] = ..., num_sets_done: _Optional[int] = ..., num_sets: _Optional[int] = ...) -> None: ...

class GetTrainingSetRequest(_message.Message):
    __slots__ = ["run_id", "trigger"]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    run_id: int
    trigger: int
    def __init__(self, run_id: _Optional[int] = ..., trigger: _Optional[int] = ...) -> None: ...

class GetTrainingSetResponse(_message.Message):
    __slots__ = ["training_set"]
    TRAINING_SET_FIELD_NUMBER: _ClassVar[int]
    training_set: TrainingSet
    def __init__(self, training_set: _Optional[_Union[TrainingSet, _Mapping]] = ...) -> None: ...

class ListTrainingSetsRequest(_message.Message):
    __slots__ = ["run_id"]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    run_id: int
    def __init__(self, run_id: _Optional[int] = ...) -> None: ...

class ListTrainingSetsResponse(_message.Message):
    __slots__ = ["training_sets"]
    TRAINING_SETS_FIELD_NUMBER: _ClassVar[int]
    training_sets: _containers.RepeatedCompositeFieldContainer[TrainingSet]
    def __init__(self, training_sets: _Optional[_Iterable[_Union[TrainingSet, _Mapping]]] = ...) -> None: ...

class ReadTrainingSetRequest(_message.Message):
    __slots__ = ["from_ordinal", "late", "run_id", "to_ordinal", "trigger"]
    FROM_ORDINAL_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TO_ORDINAL_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    from_ordinal: int
    late: bool
    run_id: int
    to_ordinal: int
    trigger: int
    def __init__(self, run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., from_ordinal: _Optional[int] = ..., to_ordinal: _Optional[int] = ..., late: bool = ...) -> None: ...

class ReadTrainingSetResponse(_message.Message):
    __slots__ = ["batch"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    batch: bytes
    def __init__(self, batch: _Optional[bytes] = ...) -> None: ...

class RetireTrainingSetsRequest(_message.Message):
    __slots__ = ["command", "first_kept_trigger"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    FIRST_KEPT_TRIGGER_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    first_kept_trigger: int
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., first_kept_trigger: _Optional[int] = ...) -> None: ...

class RetireTrainingSetsResponse(_message.Message):
    __slots__ = ["num_removed"]
    NUM_REMOVED_FIELD_NUMBER: _ClassVar[int]
    num_removed: int
    def __init__(self, num_removed: _Optional[int] = ...) -> None: ...

class SealTrainingSetRequest(_message.Message):
    __slots__ = ["accept_late", "begin", "command", "dataset_spec", "ends", "late_after_key", "model_id", "seed", "selection", "snapshot", "to", "trigger", "workers"]
    ACCEPT_LATE_FIELD_NUMBER: _ClassVar[int]
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    DATASET_SPEC_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    LATE_AFTER_KEY_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SELECTION_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    accept_late: bool
    begin: _rpc_pb2.Cut
    command: _rpc_pb2.Command
    dataset_spec: str
    ends: _containers.RepeatedCompositeFieldContainer[_rpc_pb2.Cut]
    late_after_key: int
    model_id: int
    seed: int
    selection: str
    snapshot: _rpc_pb2.Snapshot
    to: _rpc_pb2.Cut
    trigger: int
    workers: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., trigger: _Optional[int] = ..., snapshot: _Optional[_Union[_rpc_pb2.Snapshot, _Mapping]] = ..., to: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., selection: _Optional[str] = ..., seed: _Optional[int] = ..., begin: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., late_after_key: _Optional[int] = ..., accept_late: bool = ..., ends: _Optional[_Iterable[_Union[_rpc_pb2.Cut, _Mapping]]] = ..., model_id: _Optional[int] = ..., dataset_spec: _Optional[str] = ..., workers: _Optional[str] = ..., **kwargs) -> None: ...

class SealTrainingSetResponse(_message.Message):
    __slots__ = ["training_set"]
    TRAINING_SET_FIELD_NUMBER: _ClassVar[int]
    training_set: TrainingSet
    def __init__(self, training_set: _Optional[_Union[TrainingSet, _Mapping]] = ...) -> None: ...

class SelectionSummary(_message.Message):
    __slots__ = ["classes", "deaths", "effective_size", "fault", "num_filtered", "num_fresh", "num_left_out", "num_new_unlabelled", "num_previous", "num_shared", "num_unlabelled", "objective", "policy", "remarks", "seconds", "times", "usage"]
    class ClassCount(_message.Message):
        __slots__ = ["class_label", "is_rest", "num_candidates", "num_chosen"]
        CLASS_LABEL_FIELD_NUMBER: _ClassVar[int]
        IS_REST_FIELD_NUMBER: _ClassVar[int]
        NUM_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
        NUM_CHOSEN_FIELD_NUMBER: _ClassVar[int]
        class_label: int
        is_rest: bool
        num_candidates: int
        num_chosen: int
        def __init__(self, class_label: _Optional[int] = ..., num_candidates: _Optional[int] = ..., num_chosen: _Optional[int] = ..., is_rest: bool = ...) -> None: ...
    class Death(_message.Message):
        __slots__ = ["plugin", "what"]
        PLUGIN_FIELD_NUMBER: _ClassVar[int]
        WHAT_FIELD_NUMBER: _ClassVar[int]
        plugin: str
        what: str
        def __init__(self, plugin: _Optional[str] = ..., what: _Optional[str] = ...) -> None: ...
    class Fault(_message.Message):
        __slots__ = ["traceback", "what"]
        TRACEBACK_FIELD_NUMBER: _ClassVar[int]
        WHAT_FIELD_NUMBER: _ClassVar[int]
        traceback: str
        what: str
        def __init__(self, what: _Optional[str] = ..., traceback: _Optional[str] = ...) -> None: ...
    class TimeCount(_message.Message):
        __slots__ = ["num_candidates", "num_chosen", "to"]
        FROM_FIELD_NUMBER: _ClassVar[int]
        NUM_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
        NUM_CHOSEN_FIELD_NUMBER: _ClassVar[int]
        TO_FIELD_NUMBER: _ClassVar[int]
        num_candidates: int
        num_chosen: int
        to: int
        def __init__(self, to: _Optional[int] = ..., num_candidates: _Optional[int] = ..., num_chosen: _Optional[int] = ..., **kwargs) -> None: ...
    CLASSES_FIELD_NUMBER: _ClassVar[int]
    DEATHS_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_SIZE_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_FRESH_FIELD_NUMBER: _ClassVar[int]
    NUM_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    NUM_NEW_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    NUM_PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    NUM_SHARED_FIELD_NUMBER: _ClassVar[int]
    NUM_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    REMARKS_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    classes: _containers.RepeatedCompositeFieldContainer[SelectionSummary.ClassCount]
    deaths: _containers.RepeatedCompositeFieldContainer[SelectionSummary.Death]
    effective_size: float
    fault: SelectionSummary.Fault
    num_filtered: int
    num_fresh: int
    num_left_out: int
    num_new_unlabelled: int
    num_previous: int
    num_shared: int
    num_unlabelled: int
    objective: float
    policy: str
    remarks: _containers.RepeatedScalarFieldContainer[str]
    seconds: float
    times: _containers.RepeatedCompositeFieldContainer[SelectionSummary.TimeCount]
    usage: _usage_pb2.UsageTotal
    def __init__(self, policy: _Optional[str] = ..., num_shared: _Optional[int] = ..., num_previous: _Optional[int] = ..., num_fresh: _Optional[int] = ..., effective_size: _Optional[float] = ..., classes: _Optional[_Iterable[_Union[SelectionSummary.ClassCount, _Mapping]]] = ..., times: _Optional[_Iterable[_Union[SelectionSummary.TimeCount, _Mapping]]] = ..., num_left_out: _Optional[int] = ..., objective: _Optional[float] = ..., seconds: _Optional[float] = ..., remarks: _Optional[_Iterable[str]] = ..., num_unlabelled: _Optional[int] = ..., fault: _Optional[_Union[SelectionSummary.Fault, _Mapping]] = ..., num_new_unlabelled: _Optional[int] = ..., num_filtered: _Optional[int] = ..., deaths: _Optional[_Iterable[_Union[SelectionSummary.Death, _Mapping]]] = ..., usage: _Optional[_Union[_usage_pb2.UsageTotal, _Mapping]] = ...) -> None: ...

class TrainingSet(_message.Message):
    __slots__ = ["dataset_id", "digest", "late_digest", "num_candidates", "num_late", "num_samples", "removed", "run_id", "summary", "trigger", "weighted"]
    DATASET_ID_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    LATE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    NUM_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    NUM_LATE_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    WEIGHTED_FIELD_NUMBER: _ClassVar[int]
    dataset_id: int
    digest: str
    late_digest: str
    num_candidates: int
    num_late: int
    num_samples: int
    removed: bool
    run_id: int
    summary: SelectionSummary
    trigger: int
    weighted: bool
    def __init__(self, run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., num_samples: _Optional[int] = ..., num_candidates: _Optional[int] = ..., digest: _Optional[str] = ..., weighted: bool = ..., dataset_id: _Optional[int] = ..., num_late: _Optional[int] = ..., late_digest: _Optional[str] = ..., removed: bool = ..., summary: _Optional[_Union[SelectionSummary, _Mapping]] = ...) -> None: ...
