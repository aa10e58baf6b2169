// Guesses the format of CSV files, and reads their records as a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/written_number.h"
#include "base/status.h"
#include "cli/init/look/guess.h"
#include "cli/init/look/seen_data.h"
#include "records/columns/sampled_table.h"

namespace tidemill::cli {

// The format as given by the user. Absent members are guessed.
struct CsvWishes {
  std::optional<std::string> delimiter = {};
  std::optional<bool> header = {};
  std::optional<std::string> decimal = {};
};

struct CsvLook {
  Guess format = {};
  SampledTable table = {};
  NumberNotations numbers = {};
  int64_t header_lines = 0;  // The lines before the first record of each file.
};

// The most records that are kept.
inline constexpr size_t kMaxFrontRows = 200'000;
inline constexpr size_t kMaxEndRows = 20'000;

// INVALID_ARGUMENT when the files hold no records, or their bytes are not UTF-8.
absl::StatusOr<CsvLook> LookAtCsv(const SeenData& data, const CsvWishes& wishes);

}  // namespace tidemill::cli
