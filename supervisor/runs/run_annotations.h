// The tags and the note that users give to runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include <pqxx/pqxx>

namespace tidemill::supervisor {

inline constexpr size_t kMaxRunTags = 20;
inline constexpr size_t kMaxNoteBytes = 1000;

struct RunAnnotations {
  std::vector<std::string> added_tags = {};
  std::vector<std::string> removed_tags = {};
  // Replaces the note. An empty one removes it.
  std::optional<std::string> note = std::nullopt;
};

// INVALID_ARGUMENT when a tag is not a name (base/names.h), or both added and removed, when there
// are more than kMaxRunTags, or when the note is longer than kMaxNoteBytes or not printable.
absl::Status CheckAnnotations(const RunAnnotations& annotations);

// Changes the tags and the note of a run that exists. Removing a tag that it lacks does nothing.
// FAILED_PRECONDITION when the run would have more than kMaxRunTags. Works in the caller's
// transaction. Throws what libpqxx throws.
absl::Status AnnotateRun(pqxx::work& work, RunId run, const RunAnnotations& annotations);

}  // namespace tidemill::supervisor
