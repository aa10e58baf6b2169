from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CalibrationCurve(_message.Message):
    __slots__ = ["bins", "dataset_name", "error", "evaluation", "num_samples", "of_class"]
    class Bin(_message.Message):
        __slots__ = ["num_samples", "probability", "share", "to"]
        FROM_FIELD_NUMBER: _ClassVar[int]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        PROBABILITY_FIELD_NUMBER: _ClassVar[int]
        SHARE_FIELD_NUMBER: _ClassVar[int]
        TO_FIELD_NUMBER: _ClassVar[int]
        num_samples: int
        probability: float
        share: float
        to: float
        def __init__(self, to: _Optional[float] = ..., num_samples: _Optional[int] = ..., probability: _Optional[float] = ..., share: _Optional[float] = ..., **kwargs) -> None: ...
    BINS_FIELD_NUMBER: _ClassVar[int]
    DATASET_NAME_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    OF_CLASS_FIELD_NUMBER: _ClassVar[int]
    bins: _containers.RepeatedCompositeFieldContainer[CalibrationCurve.Bin]
    dataset_name: str
    error: float
    evaluation: int
    num_samples: int
    of_class: str
    def __init__(self, evaluation: _Optional[int] = ..., dataset_name: _Optional[str] = ..., of_class: _Optional[str] = ..., bins: _Optional[_Iterable[_Union[CalibrationCurve.Bin, _Mapping]]] = ..., error: _Optional[float] = ..., num_samples: _Optional[int] = ...) -> None: ...

class ColumnImportance(_message.Message):
    __slots__ = ["column", "exchanged", "high", "intact", "low"]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    EXCHANGED_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    INTACT_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    column: str
    exchanged: float
    high: float
    intact: float
    low: float
    def __init__(self, column: _Optional[str] = ..., intact: _Optional[float] = ..., exchanged: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class ColumnImportances(_message.Message):
    __slots__ = ["columns", "dataset_name", "evaluation", "measure", "missing", "num_columns_left_out", "num_samples", "num_windows", "trigger"]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    DATASET_NAME_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    NUM_COLUMNS_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_WINDOWS_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedCompositeFieldContainer[ColumnImportance]
    dataset_name: str
    evaluation: int
    measure: str
    missing: str
    num_columns_left_out: int
    num_samples: int
    num_windows: int
    trigger: int
    def __init__(self, evaluation: _Optional[int] = ..., dataset_name: _Optional[str] = ..., measure: _Optional[str] = ..., trigger: _Optional[int] = ..., num_windows: _Optional[int] = ..., num_samples: _Optional[int] = ..., columns: _Optional[_Iterable[_Union[ColumnImportance, _Mapping]]] = ..., num_columns_left_out: _Optional[int] = ..., missing: _Optional[str] = ...) -> None: ...

class CompareRunsRequest(_message.Message):
    __slots__ = ["num_evaluations", "num_other_evaluations", "other_run_id", "run_id"]
    NUM_EVALUATIONS_FIELD_NUMBER: _ClassVar[int]
    NUM_OTHER_EVALUATIONS_FIELD_NUMBER: _ClassVar[int]
    OTHER_RUN_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    num_evaluations: int
    num_other_evaluations: int
    other_run_id: int
    run_id: int
    def __init__(self, run_id: _Optional[int] = ..., other_run_id: _Optional[int] = ..., num_evaluations: _Optional[int] = ..., num_other_evaluations: _Optional[int] = ...) -> None: ...

class CompareRunsResponse(_message.Message):
    __slots__ = ["differences"]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    differences: _containers.RepeatedCompositeFieldContainer[OutcomeDifference]
    def __init__(self, differences: _Optional[_Iterable[_Union[OutcomeDifference, _Mapping]]] = ...) -> None: ...

class KeptOutcomes(_message.Message):
    __slots__ = ["columns", "in_use", "key_limit"]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    IN_USE_FIELD_NUMBER: _ClassVar[int]
    KEY_LIMIT_FIELD_NUMBER: _ClassVar[int]
    columns: bytes
    in_use: bool
    key_limit: int
    def __init__(self, columns: _Optional[bytes] = ..., key_limit: _Optional[int] = ..., in_use: bool = ...) -> None: ...

class OutcomeDifference(_message.Message):
    __slots__ = ["dataset_name", "evaluation", "high", "low", "measure", "missing", "models", "num_samples", "other", "share", "than"]
    DATASET_NAME_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    MODELS_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    THAN_FIELD_NUMBER: _ClassVar[int]
    dataset_name: str
    evaluation: int
    high: float
    low: float
    measure: str
    missing: str
    models: float
    num_samples: int
    other: float
    share: float
    than: str
    def __init__(self, evaluation: _Optional[int] = ..., dataset_name: _Optional[str] = ..., measure: _Optional[str] = ..., than: _Optional[str] = ..., models: _Optional[float] = ..., other: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., num_samples: _Optional[int] = ..., share: _Optional[float] = ..., missing: _Optional[str] = ...) -> None: ...

class RocCurve(_message.Message):
    __slots__ = ["area", "dataset_name", "evaluation", "num_samples", "of_class", "points"]
    class Point(_message.Message):
        __slots__ = ["false_positives", "threshold", "true_positives"]
        FALSE_POSITIVES_FIELD_NUMBER: _ClassVar[int]
        THRESHOLD_FIELD_NUMBER: _ClassVar[int]
        TRUE_POSITIVES_FIELD_NUMBER: _ClassVar[int]
        false_positives: float
        threshold: float
        true_positives: float
        def __init__(self, threshold: _Optional[float] = ..., false_positives: _Optional[float] = ..., true_positives: _Optional[float] = ...) -> None: ...
    AREA_FIELD_NUMBER: _ClassVar[int]
    DATASET_NAME_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    OF_CLASS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    area: float
    dataset_name: str
    evaluation: int
    num_samples: int
    of_class: str
    points: _containers.RepeatedCompositeFieldContainer[RocCurve.Point]
    def __init__(self, evaluation: _Optional[int] = ..., dataset_name: _Optional[str] = ..., of_class: _Optional[str] = ..., points: _Optional[_Iterable[_Union[RocCurve.Point, _Mapping]]] = ..., area: _Optional[float] = ..., num_samples: _Optional[int] = ...) -> None: ...

class SummariseOutcomesRequest(_message.Message):
    __slots__ = ["num_evaluations", "run_id"]
    NUM_EVALUATIONS_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    num_evaluations: int
    run_id: int
    def __init__(self, run_id: _Optional[int] = ..., num_evaluations: _Optional[int] = ...) -> None: ...

class SummariseOutcomesResponse(_message.Message):
    __slots__ = ["calibrations", "differences", "importances", "roc_curves", "value_grids"]
    CALIBRATIONS_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCES_FIELD_NUMBER: _ClassVar[int]
    ROC_CURVES_FIELD_NUMBER: _ClassVar[int]
    VALUE_GRIDS_FIELD_NUMBER: _ClassVar[int]
    calibrations: _containers.RepeatedCompositeFieldContainer[CalibrationCurve]
    differences: _containers.RepeatedCompositeFieldContainer[OutcomeDifference]
    importances: _containers.RepeatedCompositeFieldContainer[ColumnImportances]
    roc_curves: _containers.RepeatedCompositeFieldContainer[RocCurve]
    value_grids: _containers.RepeatedCompositeFieldContainer[ValueGrid]
    def __init__(self, differences: _Optional[_Iterable[_Union[OutcomeDifference, _Mapping]]] = ..., importances: _Optional[_Iterable[_Union[ColumnImportances, _Mapping]]] = ..., calibrations: _Optional[_Iterable[_Union[CalibrationCurve, _Mapping]]] = ..., roc_curves: _Optional[_Iterable[_Union[RocCurve, _Mapping]]] = ..., value_grids: _Optional[_Iterable[_Union[ValueGrid, _Mapping]]] = ...) -> None: ...

class ValueGrid(_message.Message):
    __slots__ = ["cells", "dataset_name", "evaluation", "num_beyond", "num_parts", "num_samples", "to"]
    class Cell(_message.Message):
        __slots__ = ["num_samples", "predicted", "truth"]
        NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        PREDICTED_FIELD_NUMBER: _ClassVar[int]
        TRUTH_FIELD_NUMBER: _ClassVar[int]
        num_samples: int
        predicted: int
        truth: int
        def __init__(self, truth: _Optional[int] = ..., predicted: _Optional[int] = ..., num_samples: _Optional[int] = ...) -> None: ...
    CELLS_FIELD_NUMBER: _ClassVar[int]
    DATASET_NAME_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    NUM_BEYOND_FIELD_NUMBER: _ClassVar[int]
    NUM_PARTS_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.RepeatedCompositeFieldContainer[ValueGrid.Cell]
    dataset_name: str
    evaluation: int
    num_beyond: int
    num_parts: int
    num_samples: int
    to: float
    def __init__(self, evaluation: _Optional[int] = ..., dataset_name: _Optional[str] = ..., to: _Optional[float] = ..., num_parts: _Optional[int] = ..., cells: _Optional[_Iterable[_Union[ValueGrid.Cell, _Mapping]]] = ..., num_samples: _Optional[int] = ..., num_beyond: _Optional[int] = ..., **kwargs) -> None: ...
