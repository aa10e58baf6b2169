from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Ledger(_message.Message):
    __slots__ = ["num_bad", "num_deleted", "num_filtered", "num_known", "num_late", "num_not_reached", "num_skipped", "num_unlabelled", "num_used"]
    NUM_BAD_FIELD_NUMBER: _ClassVar[int]
    NUM_DELETED_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_KNOWN_FIELD_NUMBER: _ClassVar[int]
    NUM_LATE_FIELD_NUMBER: _ClassVar[int]
    NUM_NOT_REACHED_FIELD_NUMBER: _ClassVar[int]
    NUM_SKIPPED_FIELD_NUMBER: _ClassVar[int]
    NUM_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    NUM_USED_FIELD_NUMBER: _ClassVar[int]
    num_bad: int
    num_deleted: int
    num_filtered: int
    num_known: int
    num_late: int
    num_not_reached: int
    num_skipped: int
    num_unlabelled: int
    num_used: int
    def __init__(self, num_known: _Optional[int] = ..., num_used: _Optional[int] = ..., num_unlabelled: _Optional[int] = ..., num_filtered: _Optional[int] = ..., num_late: _Optional[int] = ..., num_bad: _Optional[int] = ..., num_deleted: _Optional[int] = ..., num_not_reached: _Optional[int] = ..., num_skipped: _Optional[int] = ...) -> None: ...
