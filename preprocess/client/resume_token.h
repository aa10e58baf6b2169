// Where a consumer is in its job, as a text of constant size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "preprocess/client/job_spec.h"

namespace tidemill::preprocess {

// Batches of a lane that are done: all before `done_before`, and some beyond it, where they were
// handed on as they came. As batches are a function of job and number, whoever has the token goes
// on where it was made: in another process, with other workers and, where nothing is done beyond,
// in another number of lanes.
struct ResumeToken {
  int64_t done_before = 0;
  // Ascending, less than kMostBeyond ahead.
  std::vector<int64_t> done_beyond = {};

  static constexpr int64_t kMostBeyond = 4096;
  static constexpr size_t kMostBytes = 1024;

  friend bool operator==(const ResumeToken&, const ResumeToken&) = default;
};

// One line of printable characters, at most kMostBytes: a digest of the job, whatever its number of
// lanes, the number, and a bitmap. INVALID_ARGUMENT for batches too far ahead.
absl::StatusOr<std::string> Encode(const ResumeToken& token, const JobSpec& job);

// INVALID_ARGUMENT for a text that is no token; FAILED_PRECONDITION for one of another job.
absl::StatusOr<ResumeToken> DecodeResumeToken(std::string_view text, const JobSpec& job);

}  // namespace tidemill::preprocess
