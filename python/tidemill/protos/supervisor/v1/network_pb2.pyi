from tidemill.protos.rpc.v1 import rpc_pb2 as _rpc_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SendNetworkRequest(_message.Message):
    __slots__ = ["bytes", "header"]
    class Header(_message.Message):
        __slots__ = ["command", "digest", "file_name", "size_bytes"]
        COMMAND_FIELD_NUMBER: _ClassVar[int]
        DIGEST_FIELD_NUMBER: _ClassVar[int]
        FILE_NAME_FIELD_NUMBER: _ClassVar[int]
        SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
        command: _rpc_pb2.Command
        digest: str
        file_name: str
        size_bytes: int
        def __init__(self, command: _Optional[_Union[_rpc_pb2.Command, _Mapping]] = ..., size_bytes: _Optional[int] = ..., digest: _Optional[str] = ..., file_name: _Optional[str] = ...) -> None: ...
    BYTES_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    bytes: bytes
    header: SendNetworkRequest.Header
    def __init__(self, header: _Optional[_Union[SendNetworkRequest.Header, _Mapping]] = ..., bytes: _Optional[bytes] = ...) -> None: ...

class SendNetworkResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...
