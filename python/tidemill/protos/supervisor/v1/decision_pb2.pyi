from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DECISION_CAUSE_NOTHING_NEW: DecisionCause
DECISION_CAUSE_REQUEST: DecisionCause
DECISION_CAUSE_UNSPECIFIED: DecisionCause
DESCRIPTOR: _descriptor.FileDescriptor

class Change(_message.Message):
    __slots__ = ["key", "to"]
    FROM_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    key: str
    to: float
    def __init__(self, key: _Optional[str] = ..., to: _Optional[float] = ..., **kwargs) -> None: ...

class Comparison(_message.Message):
    __slots__ = ["quantity", "threshold", "unit", "value", "waiting"]
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    quantity: str
    threshold: float
    unit: str
    value: float
    waiting: bool
    def __init__(self, quantity: _Optional[str] = ..., value: _Optional[float] = ..., threshold: _Optional[float] = ..., unit: _Optional[str] = ..., waiting: bool = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ["at", "cause", "decided_at", "fired", "num_new", "num_samples", "number", "seconds", "trigger", "verdict"]
    AT_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    DECIDED_AT_FIELD_NUMBER: _ClassVar[int]
    FIRED_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NUM_NEW_FIELD_NUMBER: _ClassVar[int]
    NUM_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    at: _rpc_pb2.Cut
    cause: DecisionCause
    decided_at: _timestamp_pb2.Timestamp
    fired: bool
    num_new: int
    num_samples: int
    number: int
    seconds: float
    trigger: int
    verdict: Verdict
    def __init__(self, number: _Optional[int] = ..., at: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., fired: bool = ..., trigger: _Optional[int] = ..., num_samples: _Optional[int] = ..., decided_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., num_new: _Optional[int] = ..., cause: _Optional[_Union[DecisionCause, str]] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ..., seconds: _Optional[float] = ...) -> None: ...

class PolicyFault(_message.Message):
    __slots__ = ["traceback", "what"]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    traceback: str
    what: str
    def __init__(self, what: _Optional[str] = ..., traceback: _Optional[str] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ["because", "comparison", "fault", "fired", "members", "nearest", "observed", "passed_over", "policy", "text", "voted_at"]
    class ObservedEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    BECAUSE_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    FIRED_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    NEAREST_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_FIELD_NUMBER: _ClassVar[int]
    PASSED_OVER_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    VOTED_AT_FIELD_NUMBER: _ClassVar[int]
    because: str
    comparison: Comparison
    fault: PolicyFault
    fired: bool
    members: _containers.RepeatedCompositeFieldContainer[Verdict]
    nearest: Change
    observed: _containers.ScalarMap[str, float]
    passed_over: bool
    policy: str
    text: str
    voted_at: _rpc_pb2.Cut
    def __init__(self, policy: _Optional[str] = ..., fired: bool = ..., observed: _Optional[_Mapping[str, float]] = ..., comparison: _Optional[_Union[Comparison, _Mapping]] = ..., nearest: _Optional[_Union[Change, _Mapping]] = ..., members: _Optional[_Iterable[_Union[Verdict, _Mapping]]] = ..., passed_over: bool = ..., voted_at: _Optional[_Union[_rpc_pb2.Cut, _Mapping]] = ..., text: _Optional[str] = ..., because: _Optional[str] = ..., fault: _Optional[_Union[PolicyFault, _Mapping]] = ...) -> None: ...

class DecisionCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
