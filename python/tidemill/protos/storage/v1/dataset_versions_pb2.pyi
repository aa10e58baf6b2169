from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
ON_OTHER_SPEC_NEW_VERSION: OnOtherSpec
ON_OTHER_SPEC_REPLACE: OnOtherSpec
ON_OTHER_SPEC_UNSPECIFIED: OnOtherSpec

class OnOtherSpec(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
