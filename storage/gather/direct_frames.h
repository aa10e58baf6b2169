// The messages on the socket for direct reads; see docs/formats/direct_reads.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "base/status.h"

namespace tidemill::storage::direct {

inline constexpr char kMagic[] = "TMDIRECT";
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kMaxTokenBytes = 4096;
inline constexpr uint32_t kMaxKeys = 8192;
// File numbers are less than this. The value itself means no file.
inline constexpr uint32_t kMaxFiles = 1024;
inline constexpr uint32_t kNoFile = kMaxFiles;
inline constexpr uint32_t kMaxDescriptors = 253;  // Linux's limit for one message.
inline constexpr uint32_t kMaxTextBytes = 1 << 20;
// A longer record is read over gRPC.
inline constexpr int64_t kMaxRecordBytes = int64_t{64} << 20;

struct Greeting {
  char magic[8] = {'T', 'M', 'D', 'I', 'R', 'E', 'C', 'T'};
  uint32_t version = kVersion;
  uint32_t token_bytes = 0;
};

struct RequestHeader {
  int64_t dataset = 0;
  uint32_t num_keys = 0;
  uint32_t num_forgotten = 0;
};

enum Flags : uint32_t {
  kOneFile = 1,
  kOneSize = 2,
  kHasClassLabels = 4,
  kSomeLackClassLabels = 8,
  kHasRealLabels = 16,
  kSomeLackRealLabels = 32,
  kAllFlags = 63,
};

enum AnswerStatus : uint32_t { kAnswered = 0, kNotNow = 1 };

struct AnswerHeader {
  uint32_t status = kAnswered;
  uint32_t num_keys = 0;
  uint32_t num_rows = 0;
  uint32_t num_problems = 0;
  uint32_t num_files = 0;
  uint32_t flags = 0;
  uint32_t one_file = 0;
  uint32_t text_bytes = 0;
  int64_t record_bytes = 0;
  uint32_t cut_offset = 0;
  uint32_t cut_size = 0;
  // The time on processors that this answer, and what came before it since the last one, took at
  // the server. 0 from versions that do not say it.
  uint64_t nanos = 0;
  uint64_t reserved = 0;
};

struct ProblemEntry {
  uint32_t position = 0;
  uint32_t text_bytes = 0;
};

static_assert(sizeof(Greeting) == 16 && sizeof(RequestHeader) == 16 && sizeof(AnswerHeader) == 64 &&
              sizeof(ProblemEntry) == 8 && std::is_trivially_copyable_v<AnswerHeader>);

// INVALID_ARGUMENT unless the other side may send such a header. Every count is within its limit,
// so that the sizes computed from it are small. For a request, `num_keys` and `num_forgotten` are
// checked.
absl::Status Check(const Greeting& greeting);
absl::Status Check(const RequestHeader& header);
absl::Status Check(const AnswerHeader& header);

// Returns the number of bytes that follow a checked header.
size_t BodyBytes(const RequestHeader& header);

// Where the columns of an answer begin, in bytes after its header. An absent column has length 0.
// Both sides compute the same layout.
struct AnswerLayout {
  explicit AnswerLayout(const AnswerHeader& header);

  size_t new_files = 0;
  size_t file = 0;
  size_t byte_from = 0;
  size_t size = 0;
  size_t hash = 0;
  size_t event_time = 0;
  size_t class_label = 0;
  size_t class_validity = 0;
  size_t real_label = 0;
  size_t real_validity = 0;
  size_t problems = 0;
  size_t text = 0;
  // The bytes of all columns.
  size_t total = 0;
};

// Returns the path of the socket for direct reads that belongs to storage's endpoint. It is empty
// when the endpoint is not a UNIX socket, or when its path is too long.
std::string SocketPathOf(const std::string& endpoint);

}  // namespace tidemill::storage::direct
