from tidemill.protos.evaluator.v1 import evaluation_pb2 as _evaluation_pb2
from tidemill.protos.evaluator.v1 import evaluator_pb2 as _evaluator_pb2
from tidemill.protos.evaluator.v1 import outcomes_pb2 as _outcomes_pb2
from tidemill.protos.evaluator.v1 import prediction_pb2 as _prediction_pb2
from tidemill.protos.rpc.v1 import device_pb2 as _device_pb2
from tidemill.protos.rpc.v1 import endpoints_pb2 as _endpoints_pb2
from tidemill.protos.rpc.v1 import usage_pb2 as _usage_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ColumnFile(_message.Message):
    __slots__ = ["max_bytes", "path"]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    max_bytes: int
    path: str
    def __init__(self, path: _Optional[str] = ..., max_bytes: _Optional[int] = ...) -> None: ...

class EvaluationJob(_message.Message):
    __slots__ = ["columns", "device", "endpoints", "evaluation", "file", "importance_windows", "model_bytes", "num_threads", "prediction", "prepared", "windows"]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ENDPOINTS_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_WINDOWS_FIELD_NUMBER: _ClassVar[int]
    MODEL_BYTES_FIELD_NUMBER: _ClassVar[int]
    NUM_THREADS_FIELD_NUMBER: _ClassVar[int]
    PREDICTION_FIELD_NUMBER: _ClassVar[int]
    PREPARED_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_FIELD_NUMBER: _ClassVar[int]
    columns: _evaluator_pb2.ReadModelColumnsRequest
    device: _device_pb2.JobDevice
    endpoints: _endpoints_pb2.Endpoints
    evaluation: _evaluator_pb2.StartEvaluationRequest
    file: ColumnFile
    importance_windows: _containers.RepeatedCompositeFieldContainer[JobWindow]
    model_bytes: int
    num_threads: int
    prediction: PredictionJob
    prepared: PreparedStore
    windows: _containers.RepeatedCompositeFieldContainer[JobWindow]
    def __init__(self, evaluation: _Optional[_Union[_evaluator_pb2.StartEvaluationRequest, _Mapping]] = ..., columns: _Optional[_Union[_evaluator_pb2.ReadModelColumnsRequest, _Mapping]] = ..., prediction: _Optional[_Union[PredictionJob, _Mapping]] = ..., endpoints: _Optional[_Union[_endpoints_pb2.Endpoints, _Mapping]] = ..., num_threads: _Optional[int] = ..., model_bytes: _Optional[int] = ..., windows: _Optional[_Iterable[_Union[JobWindow, _Mapping]]] = ..., importance_windows: _Optional[_Iterable[_Union[JobWindow, _Mapping]]] = ..., file: _Optional[_Union[ColumnFile, _Mapping]] = ..., device: _Optional[_Union[_device_pb2.JobDevice, _Mapping]] = ..., prepared: _Optional[_Union[PreparedStore, _Mapping]] = ...) -> None: ...

class JobProgress(_message.Message):
    __slots__ = ["num_samples"]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    num_samples: int
    def __init__(self, num_samples: _Optional[int] = ...) -> None: ...

class JobReport(_message.Message):
    __slots__ = ["failure", "failure_code", "importances", "interruption", "listening", "more_detail", "more_outcomes", "more_traceback", "progress", "scores", "usage", "window_end"]
    FAILURE_CODE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCES_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_FIELD_NUMBER: _ClassVar[int]
    LISTENING_FIELD_NUMBER: _ClassVar[int]
    MORE_DETAIL_FIELD_NUMBER: _ClassVar[int]
    MORE_OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    MORE_TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_END_FIELD_NUMBER: _ClassVar[int]
    failure: str
    failure_code: int
    importances: _outcomes_pb2.ColumnImportances
    interruption: str
    listening: Listening
    more_detail: str
    more_outcomes: bytes
    more_traceback: str
    progress: JobProgress
    scores: ModelScores
    usage: _usage_pb2.Usage
    window_end: WindowEnd
    def __init__(self, scores: _Optional[_Union[ModelScores, _Mapping]] = ..., window_end: _Optional[_Union[WindowEnd, _Mapping]] = ..., progress: _Optional[_Union[JobProgress, _Mapping]] = ..., failure: _Optional[str] = ..., interruption: _Optional[str] = ..., more_detail: _Optional[str] = ..., more_traceback: _Optional[str] = ..., more_outcomes: _Optional[bytes] = ..., importances: _Optional[_Union[_outcomes_pb2.ColumnImportances, _Mapping]] = ..., listening: _Optional[_Union[Listening, _Mapping]] = ..., failure_code: _Optional[int] = ..., usage: _Optional[_Union[_usage_pb2.Usage, _Mapping]] = ...) -> None: ...

class JobWindow(_message.Message):
    __slots__ = ["window", "window_index"]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    WINDOW_INDEX_FIELD_NUMBER: _ClassVar[int]
    window: _evaluator_pb2.Window
    window_index: int
    def __init__(self, window_index: _Optional[int] = ..., window: _Optional[_Union[_evaluator_pb2.Window, _Mapping]] = ...) -> None: ...

class Listening(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ModelScores(_message.Message):
    __slots__ = ["common", "outcomes", "scores"]
    COMMON_FIELD_NUMBER: _ClassVar[int]
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    common: _evaluation_pb2.Evaluation
    outcomes: _outcomes_pb2.KeptOutcomes
    scores: _containers.RepeatedCompositeFieldContainer[_evaluation_pb2.Evaluation]
    def __init__(self, common: _Optional[_Union[_evaluation_pb2.Evaluation, _Mapping]] = ..., scores: _Optional[_Iterable[_Union[_evaluation_pb2.Evaluation, _Mapping]]] = ..., outcomes: _Optional[_Union[_outcomes_pb2.KeptOutcomes, _Mapping]] = ...) -> None: ...

class PredictionJob(_message.Message):
    __slots__ = ["folder", "model_id", "socket"]
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    SOCKET_FIELD_NUMBER: _ClassVar[int]
    folder: str
    model_id: int
    socket: str
    def __init__(self, model_id: _Optional[int] = ..., folder: _Optional[str] = ..., socket: _Optional[str] = ...) -> None: ...

class PredictionReply(_message.Message):
    __slots__ = ["failure", "failure_code", "response"]
    FAILURE_CODE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    failure: str
    failure_code: int
    response: _prediction_pb2.PredictResponse
    def __init__(self, response: _Optional[_Union[_prediction_pb2.PredictResponse, _Mapping]] = ..., failure: _Optional[str] = ..., failure_code: _Optional[int] = ...) -> None: ...

class PreparedStore(_message.Message):
    __slots__ = ["disk_bytes", "disk_folder", "memory_bytes", "memory_folder"]
    DISK_BYTES_FIELD_NUMBER: _ClassVar[int]
    DISK_FOLDER_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FOLDER_FIELD_NUMBER: _ClassVar[int]
    disk_bytes: int
    disk_folder: str
    memory_bytes: int
    memory_folder: str
    def __init__(self, memory_folder: _Optional[str] = ..., memory_bytes: _Optional[int] = ..., disk_folder: _Optional[str] = ..., disk_bytes: _Optional[int] = ...) -> None: ...

class WindowEnd(_message.Message):
    __slots__ = ["num_found", "num_prepared_at_workers", "num_prepared_here", "window_index"]
    NUM_FOUND_FIELD_NUMBER: _ClassVar[int]
    NUM_PREPARED_AT_WORKERS_FIELD_NUMBER: _ClassVar[int]
    NUM_PREPARED_HERE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_INDEX_FIELD_NUMBER: _ClassVar[int]
    num_found: int
    num_prepared_at_workers: int
    num_prepared_here: int
    window_index: int
    def __init__(self, window_index: _Optional[int] = ..., num_prepared_here: _Optional[int] = ..., num_prepared_at_workers: _Optional[int] = ..., num_found: _Optional[int] = ...) -> None: ...
