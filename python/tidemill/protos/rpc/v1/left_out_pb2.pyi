from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FilesNotTaken(_message.Message):
    __slots__ = ["files", "num_files"]
    class File(_message.Message):
        __slots__ = ["path", "reason"]
        PATH_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        path: str
        reason: str
        def __init__(self, path: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
    FILES_FIELD_NUMBER: _ClassVar[int]
    NUM_FILES_FIELD_NUMBER: _ClassVar[int]
    files: _containers.RepeatedCompositeFieldContainer[FilesNotTaken.File]
    num_files: int
    def __init__(self, num_files: _Optional[int] = ..., files: _Optional[_Iterable[_Union[FilesNotTaken.File, _Mapping]]] = ...) -> None: ...

class LeftOut(_message.Message):
    __slots__ = ["lost_bytes", "not_taken", "num_bytes", "num_files", "num_filtered", "num_records", "num_seen", "num_unlabelled", "reasons", "where"]
    class Reason(_message.Message):
        __slots__ = ["first_path", "first_reason", "first_record", "lost_bytes", "num_files", "num_members", "num_records", "reason", "wanted"]
        FIRST_PATH_FIELD_NUMBER: _ClassVar[int]
        FIRST_REASON_FIELD_NUMBER: _ClassVar[int]
        FIRST_RECORD_FIELD_NUMBER: _ClassVar[int]
        LOST_BYTES_FIELD_NUMBER: _ClassVar[int]
        NUM_FILES_FIELD_NUMBER: _ClassVar[int]
        NUM_MEMBERS_FIELD_NUMBER: _ClassVar[int]
        NUM_RECORDS_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        WANTED_FIELD_NUMBER: _ClassVar[int]
        first_path: str
        first_reason: str
        first_record: int
        lost_bytes: int
        num_files: int
        num_members: int
        num_records: int
        reason: str
        wanted: bool
        def __init__(self, reason: _Optional[str] = ..., num_records: _Optional[int] = ..., num_files: _Optional[int] = ..., first_path: _Optional[str] = ..., first_record: _Optional[int] = ..., first_reason: _Optional[str] = ..., wanted: bool = ..., lost_bytes: _Optional[int] = ..., num_members: _Optional[int] = ...) -> None: ...
    LOST_BYTES_FIELD_NUMBER: _ClassVar[int]
    NOT_TAKEN_FIELD_NUMBER: _ClassVar[int]
    NUM_BYTES_FIELD_NUMBER: _ClassVar[int]
    NUM_FILES_FIELD_NUMBER: _ClassVar[int]
    NUM_FILTERED_FIELD_NUMBER: _ClassVar[int]
    NUM_RECORDS_FIELD_NUMBER: _ClassVar[int]
    NUM_SEEN_FIELD_NUMBER: _ClassVar[int]
    NUM_UNLABELLED_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    lost_bytes: int
    not_taken: FilesNotTaken
    num_bytes: int
    num_files: int
    num_filtered: int
    num_records: int
    num_seen: int
    num_unlabelled: int
    reasons: _containers.RepeatedCompositeFieldContainer[LeftOut.Reason]
    where: str
    def __init__(self, num_records: _Optional[int] = ..., num_seen: _Optional[int] = ..., num_files: _Optional[int] = ..., num_unlabelled: _Optional[int] = ..., reasons: _Optional[_Iterable[_Union[LeftOut.Reason, _Mapping]]] = ..., lost_bytes: _Optional[int] = ..., num_bytes: _Optional[int] = ..., num_filtered: _Optional[int] = ..., where: _Optional[str] = ..., not_taken: _Optional[_Union[FilesNotTaken, _Mapping]] = ...) -> None: ...
