// Files that are one sample each: images, texts, sounds.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "storage/spec/formats/file_format.h"

namespace tidemill::storage {

struct SingleFileFormat {
  static constexpr std::string_view kType = "single_file";
  static constexpr std::string_view kDoc = "Each file is a sample, such as an image.";
  static constexpr SampleUnit kUnit = SampleUnit::kWholeFile;
  static constexpr batch::PayloadKind kPayload = batch::PayloadKind::kFile;
  static constexpr bool kHasFields = false;
  static constexpr bool kHasRows = false;
  static constexpr bool kNamesColumns = false;

  config::ByteSize max_file{256 << 20};

  void Fields(auto&& field) {
    field("max_file", max_file, "Largest file. A larger one is quarantined.", {.min = 1});
  }
};

// Implements MakeFormat() of format.h.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const SingleFileFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files);

}  // namespace tidemill::storage
