from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from tidemill.protos.rpc.v1 import training_result_pb2 as _training_result_pb2
from tidemill.protos.supervisor.v1 import run_pb2 as _run_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Progress(_message.Message):
    __slots__ = ["device", "done", "epoch", "expected_triggers", "loss", "path", "per_second", "share", "stage", "start", "total", "trigger", "unit", "wait_share", "waiting_for"]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    LOSS_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    WAITING_FOR_FIELD_NUMBER: _ClassVar[int]
    WAIT_SHARE_FIELD_NUMBER: _ClassVar[int]
    device: str
    done: int
    epoch: int
    expected_triggers: int
    loss: float
    path: _rpc_pb2.PathWork
    per_second: float
    share: float
    stage: str
    start: _training_result_pb2.TrainingStart
    total: int
    trigger: int
    unit: str
    wait_share: float
    waiting_for: str
    def __init__(self, stage: _Optional[str] = ..., trigger: _Optional[int] = ..., done: _Optional[int] = ..., total: _Optional[int] = ..., unit: _Optional[str] = ..., per_second: _Optional[float] = ..., loss: _Optional[float] = ..., wait_share: _Optional[float] = ..., epoch: _Optional[int] = ..., device: _Optional[str] = ..., path: _Optional[_Union[_rpc_pb2.PathWork, _Mapping]] = ..., share: _Optional[float] = ..., expected_triggers: _Optional[int] = ..., waiting_for: _Optional[str] = ..., start: _Optional[_Union[_training_result_pb2.TrainingStart, _Mapping]] = ...) -> None: ...

class WatchRunRequest(_message.Message):
    __slots__ = ["after_sequence", "run_id"]
    AFTER_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    after_sequence: int
    run_id: int
    def __init__(self, run_id: _Optional[int] = ..., after_sequence: _Optional[int] = ...) -> None: ...

class WatchRunResponse(_message.Message):
    __slots__ = ["event", "final", "progress"]
    class Event(_message.Message):
        __slots__ = ["at", "sequence", "text", "trigger", "type"]
        AT_FIELD_NUMBER: _ClassVar[int]
        SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        TRIGGER_FIELD_NUMBER: _ClassVar[int]
        TYPE_FIELD_NUMBER: _ClassVar[int]
        at: _timestamp_pb2.Timestamp
        sequence: int
        text: str
        trigger: int
        type: str
        def __init__(self, sequence: _Optional[int] = ..., at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., type: _Optional[str] = ..., trigger: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...
    EVENT_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    event: WatchRunResponse.Event
    final: _run_pb2.Run
    progress: Progress
    def __init__(self, event: _Optional[_Union[WatchRunResponse.Event, _Mapping]] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., final: _Optional[_Union[_run_pb2.Run, _Mapping]] = ...) -> None: ...
