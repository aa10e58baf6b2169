from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Evaluation(_message.Message):
    __slots__ = ["active", "baseline", "dataset_name", "detail", "evaluation", "failure", "fault", "high", "low", "measure", "model_id", "num_bad", "num_deleted", "num_filtered", "num_known", "num_samples", "num_unkept", "num_unlabelled", "slice", "sums", "to", "traceback", "trained", "trigger", "value", "window_index"]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    BASELINE_FIELD_NUMBER: _ClassVar[int]
    DATASET_NAME_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    NUM_BAD_FIELD_NUMBER: _ClassVar[int]
    NUM_DELETED_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_KNOWN_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    NUM_UNKEPT_FIELD_NUMBER: _ClassVar[int]
    NUM_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    SLICE_FIELD_NUMBER: _ClassVar[int]
    SUMS_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    TRAINED_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_INDEX_FIELD_NUMBER: _ClassVar[int]
    active: bool
    baseline: str
    dataset_name: str
    detail: str
    evaluation: int
    failure: str
    fault: str
    high: float
    low: float
    measure: str
    model_id: int
    num_bad: int
    num_deleted: int
    num_filtered: int
    num_known: int
    num_samples: int
    num_unkept: int
    num_unlabelled: int
    slice: str
    sums: str
    to: _rpc_pb2.Cut
    traceback: str
    trained: bool
    trigger: int
    value: float
    window_index: int
    def __init__(self, evaluation: _Optional[int] = ..., model_id: _Optional[int] = ..., trigger: _Optional[int] = ..., dataset_name: _Optional[str] = ..., window_index: _Optional[int] = ..., to: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., measure: _Optional[str] = ..., value: _Optional[float] = ..., num_samples: _Optional[int] = ..., num_bad: _Optional[int] = ..., failure: _Optional[str] = ..., slice: _Optional[str] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., detail: _Optional[str] = ..., num_known: _Optional[int] = ..., num_deleted: _Optional[int] = ..., num_filtered: _Optional[int] = ..., num_unlabelled: _Optional[int] = ..., sums: _Optional[str] = ..., baseline: _Optional[str] = ..., active: bool = ..., trained: bool = ..., num_unkept: _Optional[int] = ..., fault: _Optional[str] = ..., traceback: _Optional[str] = ..., **kwargs) -> None: ...
