from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Endpoints(_message.Message):
    __slots__ = ["services", "tls", "token_file"]
    class ServicesEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class Tls(_message.Message):
        __slots__ = ["ca", "certificate", "key", "verify_service"]
        CA_FIELD_NUMBER: _ClassVar[int]
        CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VERIFY_SERVICE_FIELD_NUMBER: _ClassVar[int]
        ca: str
        certificate: str
        key: str
        verify_service: bool
        def __init__(self, certificate: _Optional[str] = ..., key: _Optional[str] = ..., ca: _Optional[str] = ..., verify_service: bool = ...) -> None: ...
    SERVICES_FIELD_NUMBER: _ClassVar[int]
    TLS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FILE_FIELD_NUMBER: _ClassVar[int]
    services: _containers.ScalarMap[str, str]
    tls: Endpoints.Tls
    token_file: str
    def __init__(self, services: _Optional[_Mapping[str, str]] = ..., token_file: _Optional[str] = ..., tls: _Optional[_Union[Endpoints.Tls, _Mapping]] = ...) -> None: ...
