#include "rpc/streams/byte_frames.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "grpcpp/support/proto_buffer_reader.h"

// The slices of a message on the wire:
//
//   +-----+--------+-----------------+--------------+-----+--------------+--------------+
//   | tag | length | header of batch | column       | pad | column       | other fields |
//   +-----+--------+-----------------+--------------+-----+--------------+--------------+
//                  |<------------------ `field` of type bytes ---------->|    `rest`
//
// A part of 256 bytes or more is shared with its owner, a smaller one copied.
// protobuf would read and write the same bytes. It would copy each column into a string first.

namespace tidemill::rpc {

namespace {

// A copy of less is cheaper than a count of references.
constexpr size_t kLeastShared = 256;

enum WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void AppendVarint(uint64_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

grpc::Slice ToSlice(const batch::Buffer& bytes) {
  void* const data = const_cast<std::byte*>(bytes.data());
  if (bytes.size() < kLeastShared) return {data, bytes.size()};
  const auto release = [](void* owner) { delete static_cast<batch::Buffer*>(owner); };
  return {data, bytes.size(), release, new batch::Buffer(bytes)};
}

// Walks over the bytes of a message in pieces.
class SliceWalk {
 public:
  explicit SliceWalk(std::vector<grpc::Slice> slices) : slices_(std::move(slices)) {
    for (const grpc::Slice& slice : slices_) rest_ += slice.size();
  }

  size_t rest() const { return rest_; }

  absl::Status Copy(void* to, size_t size) {
    if (size > rest_) return DataLoss("message ends {} bytes too early", size - rest_);
    auto* at = static_cast<uint8_t*>(to);
    while (size > 0) {
      const size_t taken = std::min(size, PieceSize());
      std::memcpy(at, Piece(), taken);
      at += taken;
      size -= taken;
      Advance(taken);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint8_t byte = 0;
      RETURN_IF_ERROR(Copy(&byte, 1));
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return DataLoss("message has a number that is longer than ten bytes");
  }

  // Returns bytes in one piece, aligned. A view if they are already.
  absl::StatusOr<batch::Buffer> Bulk(uint64_t size) {
    if (size > rest_) return DataLoss("message ends {} bytes too early", size - rest_);
    if (size == 0) return batch::Buffer();
    constexpr uintptr_t kAligned = 64;
    if (PieceSize() >= size && reinterpret_cast<uintptr_t>(Piece()) % kAligned == 0) {
      batch::Buffer view =
          batch::Buffer::Wrap(Piece(), size, std::make_shared<const grpc::Slice>(slices_[slice_]));
      Advance(size);
      return view;
    }
    batch::Buffer copy = batch::Buffer::AllocateUnwritten(size);
    RETURN_IF_ERROR(Copy(copy.mutable_data(), size));
    return copy;
  }

 private:
  // The rest of the current piece, which is not empty while any bytes are left.
  const uint8_t* Piece() const { return slices_[slice_].begin() + offset_; }
  size_t PieceSize() {
    while (slices_[slice_].size() == offset_) {
      ++slice_;
      offset_ = 0;
    }
    return slices_[slice_].size() - offset_;
  }
  void Advance(size_t size) {
    offset_ += size;
    rest_ -= size;
  }

  const std::vector<grpc::Slice> slices_;
  size_t slice_ = 0;
  size_t offset_ = 0;
  size_t rest_ = 0;
};

// Appends the raw value of a field, whose tag was read.
absl::Status AppendValue(SliceWalk& walk, unsigned wire_type, std::string& to) {
  uint64_t size = 0;
  switch (wire_type) {
    case kVarint: {
      ASSIGN_OR_RETURN(const uint64_t value, walk.Varint());
      AppendVarint(value, to);
      return absl::OkStatus();
    }
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    case kBytes: {
      ASSIGN_OR_RETURN(size, walk.Varint());
      AppendVarint(size, to);
      break;
    }
    default:
      return DataLoss("message has a field of wire type {}", wire_type);
  }
  if (size > walk.rest()) return DataLoss("message ends within a field of {} bytes", size);
  const size_t before = to.size();
  to.resize(before + size);
  return walk.Copy(to.data() + before, size);
}

}  // namespace

grpc::ByteBuffer MakeFrame(int field, std::span<const batch::Buffer> parts,
                           const std::string& rest) {
  size_t size = 0;
  for (const batch::Buffer& part : parts) size += part.size();
  std::vector<grpc::Slice> slices;
  slices.reserve(parts.size() + 2);
  if (size > 0) {
    std::string head;
    AppendVarint(static_cast<uint64_t>(field) << 3 | kBytes, head);
    AppendVarint(size, head);
    slices.emplace_back(head);
  }
  for (const batch::Buffer& part : parts) {
    if (!part.empty()) slices.push_back(ToSlice(part));
  }
  if (!rest.empty()) slices.emplace_back(rest);
  return {slices.data(), slices.size()};
}

absl::StatusOr<Frame> TakeFrame(const grpc::ByteBuffer& message, int field) {
  std::vector<grpc::Slice> slices;
  if (!message.Valid() || !message.Dump(&slices).ok()) return DataLoss("there is no message");
  SliceWalk walk(std::move(slices));
  Frame frame;
  while (walk.rest() > 0) {
    ASSIGN_OR_RETURN(const uint64_t tag, walk.Varint());
    if (tag >> 3 == 0 || tag > UINT32_MAX) return DataLoss("message has a tag {}", tag);
    if (tag == (static_cast<uint64_t>(field) << 3 | kBytes)) {
      ASSIGN_OR_RETURN(const uint64_t size, walk.Varint());
      ASSIGN_OR_RETURN(frame.bulk, walk.Bulk(size));
      continue;
    }
    AppendVarint(tag, frame.rest);
    RETURN_IF_ERROR(AppendValue(walk, tag & 7, frame.rest));
  }
  return frame;
}

grpc::ByteBuffer ToBytes(const google::protobuf::MessageLite& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return {&slice, 1};
}

absl::Status FromBytes(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message) {
  grpc::ByteBuffer shared = bytes;  // A reference more: the reader wants one that it may change.
  grpc::ProtoBufferReader reader(&shared);
  if (!bytes.Valid() || !reader.status().ok() || !message.ParseFromZeroCopyStream(&reader)) {
    return InvalidArgument("these bytes are not a {}", message.GetTypeName());
  }
  return absl::OkStatus();
}

}  // namespace tidemill::rpc
