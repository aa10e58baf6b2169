#include "storage/gather/direct_frames.h"

#include <sys/un.h>

#include <bit>
#include <cstring>
#include <string_view>

namespace tidemill::storage::direct {

static_assert(std::endian::native == std::endian::little, "the frames are little-endian");

namespace {

size_t Padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

bool IsOneOf(uint32_t flags, uint32_t needed, uint32_t flag) {
  return (flags & flag) == 0 || (flags & needed) != 0;
}

}  // namespace

absl::Status Check(const Greeting& greeting) {
  if (std::memcmp(greeting.magic, kMagic, sizeof(greeting.magic)) != 0 ||
      greeting.version != kVersion || greeting.token_bytes > kMaxTokenBytes) {
    return InvalidArgument("this is not a greeting of version {}", kVersion);
  }
  return absl::OkStatus();
}

absl::Status Check(const RequestHeader& header) {
  if (header.num_keys < 1 || header.num_keys > kMaxKeys || header.num_forgotten > kMaxFiles) {
    return InvalidArgument("a request for {} keys cannot forget {} files", header.num_keys,
                           header.num_forgotten);
  }
  return absl::OkStatus();
}

absl::Status Check(const AnswerHeader& header) {
  const uint32_t flags = header.flags;
  const bool counts = header.num_keys <= kMaxKeys && header.num_rows <= header.num_keys &&
                      header.num_problems == header.num_keys - header.num_rows &&
                      header.num_files <= kMaxDescriptors && header.text_bytes <= kMaxTextBytes;
  const bool known = flags <= kAllFlags && IsOneOf(flags, kHasClassLabels, kSomeLackClassLabels) &&
                     IsOneOf(flags, kHasRealLabels, kSomeLackRealLabels) &&
                     header.one_file <= kNoFile && header.record_bytes >= 0 &&
                     header.record_bytes <= kMaxRecordBytes;
  const bool answers = header.status == kAnswered
                           ? header.num_keys > 0
                           : header.status == kNotNow && header.num_keys == 0;
  if (counts && known && answers) return absl::OkStatus();
  return InvalidArgument("an answer with status {} for {} keys and {} rows is not valid",
                         header.status, header.num_keys, header.num_rows);
}

size_t BodyBytes(const RequestHeader& header) {
  return header.num_keys * sizeof(int64_t) + Padded(header.num_forgotten * sizeof(uint32_t));
}

AnswerLayout::AnswerLayout(const AnswerHeader& header) {
  const auto place = [this](size_t& column, bool is_there, size_t bytes) {
    column = total;
    if (is_there) total += Padded(bytes);
  };
  const auto has = [&](uint32_t flag) { return (header.flags & flag) != 0; };
  const size_t rows = header.num_rows;
  place(new_files, true, header.num_files * sizeof(uint32_t));
  place(file, !has(kOneFile), rows * sizeof(uint32_t));
  place(byte_from, true, rows * sizeof(int64_t));
  place(size, !has(kOneSize), rows * sizeof(uint32_t));
  place(hash, true, rows * sizeof(uint64_t));
  place(event_time, true, rows * sizeof(int64_t));
  place(class_label, has(kHasClassLabels), rows * sizeof(int64_t));
  place(class_validity, has(kSomeLackClassLabels), (rows + 7) / 8);
  place(real_label, has(kHasRealLabels), rows * sizeof(double));
  place(real_validity, has(kSomeLackRealLabels), (rows + 7) / 8);
  place(problems, true, header.num_problems * sizeof(ProblemEntry));
  place(text, true, header.text_bytes);
}

std::string SocketPathOf(const std::string& endpoint) {
  constexpr std::string_view kScheme = "unix:";
  if (!endpoint.starts_with(kScheme)) return {};
  std::string path = endpoint.substr(kScheme.size()) + ".direct";
  if (path.size() >= sizeof(sockaddr_un::sun_path)) return {};
  return path;
}

}  // namespace tidemill::storage::direct
