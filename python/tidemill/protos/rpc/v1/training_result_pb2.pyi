from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DownsamplingSummary(_message.Message):
    __slots__ = ["auxiliary_seconds", "epochs", "method", "num_not_finite", "num_samples", "scoring_seconds"]
    class Epoch(_message.Message):
        __slots__ = ["effective_size", "num_chosen", "num_scored"]
        EFFECTIVE_SIZE_FIELD_NUMBER: _ClassVar[int]
        NUM_CHOSEN_FIELD_NUMBER: _ClassVar[int]
        NUM_SCORED_FIELD_NUMBER: _ClassVar[int]
        effective_size: float
        num_chosen: int
        num_scored: int
        def __init__(self, num_chosen: _Optional[int] = ..., effective_size: _Optional[float] = ..., num_scored: _Optional[int] = ...) -> None: ...
    AUXILIARY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    EPOCHS_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    NUM_NOT_FINITE_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SCORING_SECONDS_FIELD_NUMBER: _ClassVar[int]
    auxiliary_seconds: float
    epochs: _containers.RepeatedCompositeFieldContainer[DownsamplingSummary.Epoch]
    method: str
    num_not_finite: int
    num_samples: int
    scoring_seconds: float
    def __init__(self, method: _Optional[str] = ..., num_samples: _Optional[int] = ..., epochs: _Optional[_Iterable[_Union[DownsamplingSummary.Epoch, _Mapping]]] = ..., scoring_seconds: _Optional[float] = ..., auxiliary_seconds: _Optional[float] = ..., num_not_finite: _Optional[int] = ...) -> None: ...

class FirstTraining(_message.Message):
    __slots__ = ["model_id", "run_id", "trigger"]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    model_id: int
    run_id: int
    trigger: int
    def __init__(self, run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., model_id: _Optional[int] = ...) -> None: ...

class LossPoint(_message.Message):
    __slots__ = ["loss", "num_samples", "validation_loss"]
    LOSS_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    VALIDATION_LOSS_FIELD_NUMBER: _ClassVar[int]
    loss: float
    num_samples: int
    validation_loss: float
    def __init__(self, num_samples: _Optional[int] = ..., loss: _Optional[float] = ..., validation_loss: _Optional[float] = ...) -> None: ...

class PredictedGain(_message.Message):
    __slots__ = ["change", "factor"]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    change: str
    factor: float
    def __init__(self, change: _Optional[str] = ..., factor: _Optional[float] = ...) -> None: ...

class PreparedSummary(_message.Message):
    __slots__ = ["chosen", "kept_after", "kept_bytes", "measured_speedup", "num_damaged", "num_found", "num_kept", "num_refused", "points", "reason"]
    class Point(_message.Message):
        __slots__ = ["in_memory", "on_disk", "op", "row_bytes", "saved_seconds", "speedup"]
        IN_MEMORY_FIELD_NUMBER: _ClassVar[int]
        ON_DISK_FIELD_NUMBER: _ClassVar[int]
        OP_FIELD_NUMBER: _ClassVar[int]
        ROW_BYTES_FIELD_NUMBER: _ClassVar[int]
        SAVED_SECONDS_FIELD_NUMBER: _ClassVar[int]
        SPEEDUP_FIELD_NUMBER: _ClassVar[int]
        in_memory: float
        on_disk: float
        op: str
        row_bytes: int
        saved_seconds: float
        speedup: float
        def __init__(self, op: _Optional[str] = ..., row_bytes: _Optional[int] = ..., speedup: _Optional[float] = ..., saved_seconds: _Optional[float] = ..., in_memory: _Optional[float] = ..., on_disk: _Optional[float] = ...) -> None: ...
    CHOSEN_FIELD_NUMBER: _ClassVar[int]
    KEPT_AFTER_FIELD_NUMBER: _ClassVar[int]
    KEPT_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEASURED_SPEEDUP_FIELD_NUMBER: _ClassVar[int]
    NUM_DAMAGED_FIELD_NUMBER: _ClassVar[int]
    NUM_FOUND_FIELD_NUMBER: _ClassVar[int]
    NUM_KEPT_FIELD_NUMBER: _ClassVar[int]
    NUM_REFUSED_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    chosen: int
    kept_after: str
    kept_bytes: int
    measured_speedup: float
    num_damaged: int
    num_found: int
    num_kept: int
    num_refused: int
    points: _containers.RepeatedCompositeFieldContainer[PreparedSummary.Point]
    reason: str
    def __init__(self, points: _Optional[_Iterable[_Union[PreparedSummary.Point, _Mapping]]] = ..., chosen: _Optional[int] = ..., reason: _Optional[str] = ..., kept_after: _Optional[str] = ..., measured_speedup: _Optional[float] = ..., num_found: _Optional[int] = ..., num_kept: _Optional[int] = ..., kept_bytes: _Optional[int] = ..., num_refused: _Optional[int] = ..., num_damaged: _Optional[int] = ...) -> None: ...

class TrainingResult(_message.Message):
    __slots__ = ["device", "device_idle_share", "device_name", "device_peak_bytes", "downsampling", "epochs", "fit_warnings", "gains", "loss", "loss_curve", "num_bad", "num_deleted", "num_filtered", "num_samples", "num_skipped", "prepared", "samples_done", "samples_per_second", "samples_total", "seconds", "shared", "start", "training_set_digest", "unknown", "verdict", "wait_share", "weights_digest"]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_IDLE_SHARE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    DEVICE_PEAK_BYTES_FIELD_NUMBER: _ClassVar[int]
    DOWNSAMPLING_FIELD_NUMBER: _ClassVar[int]
    EPOCHS_FIELD_NUMBER: _ClassVar[int]
    FIT_WARNINGS_FIELD_NUMBER: _ClassVar[int]
    GAINS_FIELD_NUMBER: _ClassVar[int]
    LOSS_CURVE_FIELD_NUMBER: _ClassVar[int]
    LOSS_FIELD_NUMBER: _ClassVar[int]
    NUM_BAD_FIELD_NUMBER: _ClassVar[int]
    NUM_DELETED_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_SKIPPED_FIELD_NUMBER: _ClassVar[int]
    PREPARED_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_DONE_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    SHARED_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    TRAINING_SET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    WAIT_SHARE_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_DIGEST_FIELD_NUMBER: _ClassVar[int]
    device: str
    device_idle_share: float
    device_name: str
    device_peak_bytes: int
    downsampling: DownsamplingSummary
    epochs: int
    fit_warnings: _containers.RepeatedScalarFieldContainer[str]
    gains: _containers.RepeatedCompositeFieldContainer[PredictedGain]
    loss: float
    loss_curve: _containers.RepeatedCompositeFieldContainer[LossPoint]
    num_bad: int
    num_deleted: int
    num_filtered: int
    num_samples: int
    num_skipped: int
    prepared: PreparedSummary
    samples_done: int
    samples_per_second: float
    samples_total: int
    seconds: float
    shared: _rpc_pb2.SharedWork
    start: TrainingStart
    training_set_digest: str
    unknown: _containers.RepeatedCompositeFieldContainer[UnknownValues]
    verdict: str
    wait_share: float
    weights_digest: str
    def __init__(self, samples_done: _Optional[int] = ..., samples_total: _Optional[int] = ..., num_samples: _Optional[int] = ..., num_skipped: _Optional[int] = ..., epochs: _Optional[int] = ..., loss: _Optional[float] = ..., seconds: _Optional[float] = ..., samples_per_second: _Optional[float] = ..., wait_share: _Optional[float] = ..., verdict: _Optional[str] = ..., device: _Optional[str] = ..., training_set_digest: _Optional[str] = ..., weights_digest: _Optional[str] = ..., loss_curve: _Optional[_Iterable[_Union[LossPoint, _Mapping]]] = ..., downsampling: _Optional[_Union[DownsamplingSummary, _Mapping]] = ..., num_bad: _Optional[int] = ..., num_filtered: _Optional[int] = ..., gains: _Optional[_Iterable[_Union[PredictedGain, _Mapping]]] = ..., num_deleted: _Optional[int] = ..., fit_warnings: _Optional[_Iterable[str]] = ..., unknown: _Optional[_Iterable[_Union[UnknownValues, _Mapping]]] = ..., start: _Optional[_Union[TrainingStart, _Mapping]] = ..., device_name: _Optional[str] = ..., device_idle_share: _Optional[float] = ..., device_peak_bytes: _Optional[int] = ..., shared: _Optional[_Union[_rpc_pb2.SharedWork, _Mapping]] = ..., prepared: _Optional[_Union[PreparedSummary, _Mapping]] = ...) -> None: ...

class TrainingStart(_message.Message):
    __slots__ = ["asking_seconds", "first_batch_seconds", "first_step_seconds", "fit_seconds", "opening_seconds", "select_seconds"]
    ASKING_SECONDS_FIELD_NUMBER: _ClassVar[int]
    FIRST_BATCH_SECONDS_FIELD_NUMBER: _ClassVar[int]
    FIRST_STEP_SECONDS_FIELD_NUMBER: _ClassVar[int]
    FIT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    OPENING_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SELECT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    asking_seconds: float
    first_batch_seconds: float
    first_step_seconds: float
    fit_seconds: float
    opening_seconds: float
    select_seconds: float
    def __init__(self, select_seconds: _Optional[float] = ..., fit_seconds: _Optional[float] = ..., opening_seconds: _Optional[float] = ..., asking_seconds: _Optional[float] = ..., first_batch_seconds: _Optional[float] = ..., first_step_seconds: _Optional[float] = ...) -> None: ...

class UnknownValues(_message.Message):
    __slots__ = ["num_samples", "num_unknown", "op"]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    OP_FIELD_NUMBER: _ClassVar[int]
    num_samples: int
    num_unknown: int
    op: str
    def __init__(self, op: _Optional[str] = ..., num_samples: _Optional[int] = ..., num_unknown: _Optional[int] = ...) -> None: ...
