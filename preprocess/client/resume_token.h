// The position of a consumer in its job, as a text of limited size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "preprocess/client/job_spec.h"

namespace tidemill::preprocess {

// The batches of a lane that are done: all before `done_before`, and some beyond it when they were
// delivered as they arrived. Batches are a function of the job and the number. A consumer with the
// token can therefore continue where it was made: in another process, with other workers and, when
// nothing is done beyond, with another number of lanes.
struct ResumeToken {
  int64_t done_before = 0;
  // Ascending, and less than kMaxBeyond ahead.
  std::vector<int64_t> done_beyond = {};

  static constexpr int64_t kMaxBeyond = 4096;
  static constexpr size_t kMaxBytes = 1024;

  friend bool operator==(const ResumeToken&, const ResumeToken&) = default;
};

// Returns one line of printable characters, at most kMaxBytes. It has a digest of the job without
// its number of lanes, the number `done_before`, and a bitmap. INVALID_ARGUMENT for batches too far
// ahead.
absl::StatusOr<std::string> Encode(const ResumeToken& token, const JobSpec& job);

// INVALID_ARGUMENT when the text is not a token. FAILED_PRECONDITION when it is of another job.
absl::StatusOr<ResumeToken> DecodeResumeToken(std::string_view text, const JobSpec& job);

}  // namespace tidemill::preprocess
