// Tar archives of samples in WebDataset's layout.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "storage/spec/formats/file_format.h"

namespace tidemill::storage {

struct TarFormat {
  static constexpr std::string_view kType = "tar";
  static constexpr std::string_view kDoc =
      "Tar archives in WebDataset's layout. Adjacent members whose paths agree up to the first dot "
      "of their names are one sample.";
  static constexpr SampleUnit kUnit = SampleUnit::kMembers;
  static constexpr batch::PayloadKind kPayload = batch::PayloadKind::kFile;
  static constexpr bool kHasFields = false;
  static constexpr bool kHasRows = false;
  static constexpr bool kNamesColumns = false;

  std::vector<std::string> payload;
  config::ByteSize max_member{256 << 20};

  void Fields(auto&& field) {
    field("payload", payload,
          "Extensions, without the first dot, of the member that holds the sample's bytes. A "
          "sample uses the first of them that it has.",
          {.required = true, .example = "[jpg, png]", .min_items = 1});
    field("max_member", max_member, "Largest payload. A sample with a larger one is quarantined.",
          {.min = 1});
  }
  void Check(config::Problems& problems) const {
    for (const std::string& extension : payload) {
      if (extension.empty() || extension.front() == '.') {
        problems.Add("payload", "names an extension that is empty or begins with a dot",
                     "write jpg for .jpg");
      }
    }
  }
};

// Implements MakeFormat() of format.h.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const TarFormat& format, const DatasetSpec& spec,
                                                   UnpackedCache& files);

}  // namespace tidemill::storage
