from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidemill.protos.rpc.v1 import engine_pb2 as _engine_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
MEMBER_KIND_EVALUATOR: MemberKind
MEMBER_KIND_TRAINER_SERVER: MemberKind
MEMBER_KIND_UNSPECIFIED: MemberKind
MEMBER_STATE_ALIVE: MemberState
MEMBER_STATE_DRAINING: MemberState
MEMBER_STATE_LOST: MemberState
MEMBER_STATE_UNSPECIFIED: MemberState

class BeatRequest(_message.Message):
    __slots__ = ["command", "jobs", "leaving", "member"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    LEAVING_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    jobs: _containers.RepeatedCompositeFieldContainer[MemberJob]
    leaving: bool
    member: MemberIncarnation
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., member: _Optional[_Union[MemberIncarnation, _Mapping]] = ..., jobs: _Optional[_Iterable[_Union[MemberJob, _Mapping]]] = ..., leaving: bool = ...) -> None: ...

class BeatResponse(_message.Message):
    __slots__ = ["ended"]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    ended: _containers.RepeatedCompositeFieldContainer[MemberJob]
    def __init__(self, ended: _Optional[_Iterable[_Union[MemberJob, _Mapping]]] = ...) -> None: ...

class DrainMemberRequest(_message.Message):
    __slots__ = ["command", "name", "undo"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNDO_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    name: str
    undo: bool
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., name: _Optional[str] = ..., undo: bool = ...) -> None: ...

class DrainMemberResponse(_message.Message):
    __slots__ = ["member"]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    member: Member
    def __init__(self, member: _Optional[_Union[Member, _Mapping]] = ...) -> None: ...

class GetPoolRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class GetPoolResponse(_message.Message):
    __slots__ = ["engines", "members", "running", "waiting"]
    ENGINES_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    engines: _containers.RepeatedCompositeFieldContainer[_engine_pb2.EngineGroup]
    members: _containers.RepeatedCompositeFieldContainer[Member]
    running: _containers.RepeatedCompositeFieldContainer[Placement]
    waiting: _containers.RepeatedCompositeFieldContainer[Placement]
    def __init__(self, members: _Optional[_Iterable[_Union[Member, _Mapping]]] = ..., running: _Optional[_Iterable[_Union[Placement, _Mapping]]] = ..., waiting: _Optional[_Iterable[_Union[Placement, _Mapping]]] = ..., engines: _Optional[_Iterable[_Union[_engine_pb2.EngineGroup, _Mapping]]] = ...) -> None: ...

class ListPlacementsRequest(_message.Message):
    __slots__ = ["run_id"]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    run_id: int
    def __init__(self, run_id: _Optional[int] = ...) -> None: ...

class ListPlacementsResponse(_message.Message):
    __slots__ = ["placements"]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    placements: _containers.RepeatedCompositeFieldContainer[Placement]
    def __init__(self, placements: _Optional[_Iterable[_Union[Placement, _Mapping]]] = ...) -> None: ...

class Member(_message.Message):
    __slots__ = ["endpoint", "incarnation", "kind", "last_seen", "lost_because", "name", "offer", "started_as", "state"]
    ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_FIELD_NUMBER: _ClassVar[int]
    LOST_BECAUSE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    STARTED_AS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    endpoint: str
    incarnation: MemberIncarnation
    kind: MemberKind
    last_seen: _timestamp_pb2.Timestamp
    lost_because: str
    name: str
    offer: MemberOffer
    started_as: str
    state: MemberState
    def __init__(self, incarnation: _Optional[_Union[MemberIncarnation, _Mapping]] = ..., kind: _Optional[_Union[MemberKind, str]] = ..., name: _Optional[str] = ..., endpoint: _Optional[str] = ..., offer: _Optional[_Union[MemberOffer, _Mapping]] = ..., state: _Optional[_Union[MemberState, str]] = ..., last_seen: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., lost_because: _Optional[str] = ..., started_as: _Optional[str] = ...) -> None: ...

class MemberIncarnation(_message.Message):
    __slots__ = ["incarnation", "member_id"]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    MEMBER_ID_FIELD_NUMBER: _ClassVar[int]
    incarnation: int
    member_id: int
    def __init__(self, member_id: _Optional[int] = ..., incarnation: _Optional[int] = ...) -> None: ...

class MemberJob(_message.Message):
    __slots__ = ["number", "run_id", "stage"]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    number: int
    run_id: int
    stage: str
    def __init__(self, run_id: _Optional[int] = ..., stage: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class MemberOffer(_message.Message):
    __slots__ = ["labels", "slots"]
    class LabelsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    LABELS_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    labels: _containers.ScalarMap[str, str]
    slots: _containers.RepeatedCompositeFieldContainer[SlotOffer]
    def __init__(self, slots: _Optional[_Iterable[_Union[SlotOffer, _Mapping]]] = ..., labels: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Placement(_message.Message):
    __slots__ = ["asked_at", "device", "end_reason", "ended_at", "given_at", "job", "labels", "member_name", "num_slots", "pipeline_id", "placement_id", "priority", "share", "slots", "waits_for"]
    class LabelsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ASKED_AT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    GIVEN_AT_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    MEMBER_NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_SLOTS_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_ID_FIELD_NUMBER: _ClassVar[int]
    PLACEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    WAITS_FOR_FIELD_NUMBER: _ClassVar[int]
    asked_at: _timestamp_pb2.Timestamp
    device: str
    end_reason: str
    ended_at: _timestamp_pb2.Timestamp
    given_at: _timestamp_pb2.Timestamp
    job: MemberJob
    labels: _containers.ScalarMap[str, str]
    member_name: str
    num_slots: int
    pipeline_id: int
    placement_id: int
    priority: int
    share: float
    slots: str
    waits_for: str
    def __init__(self, placement_id: _Optional[int] = ..., job: _Optional[_Union[MemberJob, _Mapping]] = ..., pipeline_id: _Optional[int] = ..., priority: _Optional[int] = ..., share: _Optional[float] = ..., device: _Optional[str] = ..., num_slots: _Optional[int] = ..., labels: _Optional[_Mapping[str, str]] = ..., asked_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., waits_for: _Optional[str] = ..., member_name: _Optional[str] = ..., slots: _Optional[str] = ..., given_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., end_reason: _Optional[str] = ...) -> None: ...

class RegisterMemberRequest(_message.Message):
    __slots__ = ["command", "continues", "endpoint", "host", "kind", "offer", "runs", "started_as"]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    CONTINUES_FIELD_NUMBER: _ClassVar[int]
    ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AS_FIELD_NUMBER: _ClassVar[int]
    command: _rpc_pb2.Command
    continues: MemberIncarnation
    endpoint: str
    host: str
    kind: MemberKind
    offer: MemberOffer
    runs: _containers.RepeatedScalarFieldContainer[int]
    started_as: str
    def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., kind: _Optional[_Union[MemberKind, str]] = ..., host: _Optional[str] = ..., endpoint: _Optional[str] = ..., offer: _Optional[_Union[MemberOffer, _Mapping]] = ..., continues: _Optional[_Union[MemberIncarnation, _Mapping]] = ..., runs: _Optional[_Iterable[int]] = ..., started_as: _Optional[str] = ...) -> None: ...

class RegisterMemberResponse(_message.Message):
    __slots__ = ["deleted_runs", "member", "name"]
    DELETED_RUNS_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    deleted_runs: _containers.RepeatedScalarFieldContainer[int]
    member: MemberIncarnation
    name: str
    def __init__(self, member: _Optional[_Union[MemberIncarnation, _Mapping]] = ..., name: _Optional[str] = ..., deleted_runs: _Optional[_Iterable[int]] = ...) -> None: ...

class SlotOffer(_message.Message):
    __slots__ = ["count", "device", "id", "memory_bytes", "model"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    count: int
    device: str
    id: str
    memory_bytes: int
    model: str
    def __init__(self, device: _Optional[str] = ..., count: _Optional[int] = ..., model: _Optional[str] = ..., memory_bytes: _Optional[int] = ..., id: _Optional[str] = ...) -> None: ...

class MemberKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class MemberState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
