// A pipeline in which some sections of the file are replaced. The rest of the text stays unchanged,
// so that an error names a line of the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/bench/benchmark_spec.h"

namespace tidemill::cli {

// Returns the pipeline with `value` as the top-level key `key`. Its lines end before the next
// top-level key. A missing key is added at the end.
std::string WithSection(std::string_view pipeline, std::string_view key, std::string_view value);

std::string WithSections(std::string pipeline, const Sections& sections);

// Returns the pipeline with `seed` in place of the word SEED, or else of the number of its only
// line `seed: <number>`. INVALID_ARGUMENT when there is neither.
absl::StatusOr<std::string> WithSeed(std::string_view pipeline, int64_t seed);

// Replaces a word wherever it is not part of a longer one.
std::string WithWord(std::string_view text, std::string_view word, std::string_view value);

std::string WithWords(std::string text, const Words& words);

}  // namespace tidemill::cli
