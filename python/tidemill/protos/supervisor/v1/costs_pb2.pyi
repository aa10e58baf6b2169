from tidemill.protos.rpc.v1 import usage_pb2 as _usage_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RunCosts(_message.Message):
    __slots__ = ["prices", "stages"]
    PRICES_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    prices: _usage_pb2.Prices
    stages: _containers.RepeatedCompositeFieldContainer[StageUsage]
    def __init__(self, stages: _Optional[_Iterable[_Union[StageUsage, _Mapping]]] = ..., prices: _Optional[_Union[_usage_pb2.Prices, _Mapping]] = ...) -> None: ...

class StageUsage(_message.Message):
    __slots__ = ["job", "stage", "trigger", "usage"]
    JOB_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    job: _usage_pb2.UsageTotal
    stage: str
    trigger: int
    usage: _usage_pb2.Usage
    def __init__(self, stage: _Optional[str] = ..., trigger: _Optional[int] = ..., usage: _Optional[_Union[_usage_pb2.Usage, _Mapping]] = ..., job: _Optional[_Union[_usage_pb2.UsageTotal, _Mapping]] = ...) -> None: ...
