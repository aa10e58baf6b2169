#include "storage/formats/record_starts.h"

#include <string_view>

namespace tidemill::storage {

namespace {

constexpr size_t kNear = size_t{1} << 16;
constexpr size_t kMaxCandidates = 8;

}  // namespace

absl::StatusOr<std::string> BytesAt(const OpenFile& file, int64_t offset, size_t size) {
  std::string bytes(size, '\0');
  ASSIGN_OR_RETURN(const size_t count, file.ReadAt(offset, bytes.data(), bytes.size()));
  bytes.resize(count);
  return bytes;
}

absl::StatusOr<RecordStarts> FindLines(const OpenFile& file, int64_t offset,
                                       std::optional<char> quote) {
  // With the byte before, which may end a line.
  ASSIGN_OR_RETURN(const std::string bytes, BytesAt(file, offset - 1, kMaxRecordSearch));
  const std::string_view near = std::string_view(bytes).substr(0, kNear);
  RecordStarts starts;
  starts.uncertain = quote && near.find(*quote) != std::string_view::npos;
  const size_t most = starts.uncertain ? kMaxCandidates : 1;
  for (size_t at = bytes.find('\n'); at < bytes.size() && starts.candidates.size() < most;
       at = bytes.find('\n', at + 1)) {
    starts.candidates.push_back({.byte = offset + static_cast<int64_t>(at), .record = 1});
  }
  return starts;
}

}  // namespace tidemill::storage
