// JSON Lines files.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "storage/spec/formats/file_format.h"

namespace tidemill::storage {

struct JsonlFormat {
  static constexpr std::string_view kType = "jsonl";
  static constexpr std::string_view kDoc = "JSON Lines: each line is one object and one sample.";
  static constexpr SampleUnit kUnit = SampleUnit::kRecord;
  static constexpr batch::PayloadKind kPayload = batch::PayloadKind::kJson;
  static constexpr bool kHasFields = true;
  static constexpr bool kHasRows = true;
  static constexpr bool kNamesColumns = false;

  config::ByteSize max_record{1 << 20};

  void Fields(auto&& field) {
    field("max_record", max_record, "Longest line. A longer one is quarantined.", {.min = 16});
  }
};

// Implements MakeFormat() of format.h.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const JsonlFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files);

}  // namespace tidemill::storage
