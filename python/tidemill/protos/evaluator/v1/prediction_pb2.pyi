from tidemill.protos.supervisor.v1 import model_use_pb2 as _model_use_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PredictRequest(_message.Message):
    __slots__ = ["model", "records"]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    model: PredictionModel
    records: PredictionRecords
    def __init__(self, model: _Optional[_Union[PredictionModel, _Mapping]] = ..., records: _Optional[_Union[PredictionRecords, _Mapping]] = ...) -> None: ...

class PredictResponse(_message.Message):
    __slots__ = ["model", "predictions"]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    PREDICTIONS_FIELD_NUMBER: _ClassVar[int]
    model: PredictingModel
    predictions: Predictions
    def __init__(self, model: _Optional[_Union[PredictingModel, _Mapping]] = ..., predictions: _Optional[_Union[Predictions, _Mapping]] = ...) -> None: ...

class PredictingModel(_message.Message):
    __slots__ = ["classes", "in_use", "is_class", "model_id", "num_outputs", "run_id", "trigger"]
    CLASSES_FIELD_NUMBER: _ClassVar[int]
    IN_USE_FIELD_NUMBER: _ClassVar[int]
    IS_CLASS_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    classes: _containers.RepeatedScalarFieldContainer[str]
    in_use: _model_use_pb2.ModelChange
    is_class: bool
    model_id: int
    num_outputs: int
    run_id: int
    trigger: int
    def __init__(self, model_id: _Optional[int] = ..., run_id: _Optional[int] = ..., trigger: _Optional[int] = ..., is_class: bool = ..., classes: _Optional[_Iterable[str]] = ..., num_outputs: _Optional[int] = ..., in_use: _Optional[_Union[_model_use_pb2.ModelChange, _Mapping]] = ...) -> None: ...

class PredictionModel(_message.Message):
    __slots__ = ["model_id", "pipeline"]
    class PipelineName(_message.Message):
        __slots__ = ["name", "namespace"]
        NAMESPACE_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        name: str
        namespace: str
        def __init__(self, namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_FIELD_NUMBER: _ClassVar[int]
    model_id: int
    pipeline: PredictionModel.PipelineName
    def __init__(self, model_id: _Optional[int] = ..., pipeline: _Optional[_Union[PredictionModel.PipelineName, _Mapping]] = ...) -> None: ...

class PredictionRecords(_message.Message):
    __slots__ = ["event_times", "records"]
    EVENT_TIMES_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    event_times: _containers.RepeatedScalarFieldContainer[int]
    records: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, records: _Optional[_Iterable[bytes]] = ..., event_times: _Optional[_Iterable[int]] = ...) -> None: ...

class Predictions(_message.Message):
    __slots__ = ["outputs", "records", "remarks", "unanswered"]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    REMARKS_FIELD_NUMBER: _ClassVar[int]
    UNANSWERED_FIELD_NUMBER: _ClassVar[int]
    outputs: _containers.RepeatedScalarFieldContainer[float]
    records: _containers.RepeatedScalarFieldContainer[int]
    remarks: _containers.RepeatedCompositeFieldContainer[RecordRemark]
    unanswered: _containers.RepeatedCompositeFieldContainer[UnansweredRecord]
    def __init__(self, records: _Optional[_Iterable[int]] = ..., outputs: _Optional[_Iterable[float]] = ..., unanswered: _Optional[_Iterable[_Union[UnansweredRecord, _Mapping]]] = ..., remarks: _Optional[_Iterable[_Union[RecordRemark, _Mapping]]] = ...) -> None: ...

class RecordRemark(_message.Message):
    __slots__ = ["record", "text"]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    record: int
    text: str
    def __init__(self, record: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class UnansweredRecord(_message.Message):
    __slots__ = ["filtered", "reason", "record"]
    FILTERED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    filtered: bool
    reason: str
    record: int
    def __init__(self, record: _Optional[int] = ..., reason: _Optional[str] = ..., filtered: bool = ...) -> None: ...
