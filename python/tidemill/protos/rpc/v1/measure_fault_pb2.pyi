from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class MeasureFault(_message.Message):
    __slots__ = ["measure", "num_values", "traceback", "what"]
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    NUM_VALUES_FIELD_NUMBER: _ClassVar[int]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    measure: str
    num_values: int
    traceback: str
    what: str
    def __init__(self, measure: _Optional[str] = ..., what: _Optional[str] = ..., traceback: _Optional[str] = ..., num_values: _Optional[int] = ...) -> None: ...
