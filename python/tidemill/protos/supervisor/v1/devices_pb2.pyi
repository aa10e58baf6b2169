from tidemill.protos.rpc.v1 import device_pb2 as _device_pb2
from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListDevicesRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListDevicesResponse(_message.Message):
    __slots__ = ["servers"]
    SERVERS_FIELD_NUMBER: _ClassVar[int]
    servers: _containers.RepeatedCompositeFieldContainer[ServerSlots]
    def __init__(self, servers: _Optional[_Iterable[_Union[ServerSlots, _Mapping]]] = ...) -> None: ...

class ServerSlots(_message.Message):
    __slots__ = ["error", "server", "slots", "why_no_gpu"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    WHY_NO_GPU_FIELD_NUMBER: _ClassVar[int]
    error: str
    server: str
    slots: _containers.RepeatedCompositeFieldContainer[_device_pb2.Slot]
    why_no_gpu: str
    def __init__(self, server: _Optional[str] = ..., slots: _Optional[_Iterable[_Union[_device_pb2.Slot, _Mapping]]] = ..., why_no_gpu: _Optional[str] = ..., error: _Optional[str] = ...) -> None: ...
