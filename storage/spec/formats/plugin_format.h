// Files that only a user's own code can read.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/named_files.h"
#include "plugin/spec/plugin_use.h"
#include "storage/spec/formats/file_format.h"

namespace tidemill::storage {

// The kind of plug-in that a format is.
inline constexpr char kFormatPlugin[] = "format";

struct PluginFormat : plugin::PluginUse {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "Files in a format of your own, which a plug-in reads, in Python or C++. It says where "
      "records are in a file, and may give their labels and times. It runs in its own process, "
      "without access to the network, and cannot start programs. The plug-in's file is kept with "
      "the dataset.";
  static constexpr SampleUnit kUnit = SampleUnit::kRecord;
  static constexpr batch::PayloadKind kPayload = batch::PayloadKind::kFile;
  static constexpr bool kHasFields = false;
  static constexpr bool kHasRows = false;
  static constexpr bool kNamesColumns = false;

  config::ByteSize max_record{64 << 20};

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    field("max_record", max_record,
          "Longest record. A file in which no record ends within this many bytes is quarantined.",
          config::Limits{.min = 16, .max = 512 << 20});
  }
};

// Implements MakeFormat() of format.h.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const PluginFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files);

template <>
class FileFormatOf<PluginFormat> final : public FileFormatBase<PluginFormat> {
 public:
  bool SaysLabels() const override { return true; }
  bool CanRead() const override { return !spec_.program.empty() && !spec_.declared.empty(); }
  // Asks the plug-in what it is, too: notes a setting that it does not have, and a plug-in that
  // does not start.
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override;
  // "lines.py:Lines 1.2 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
  std::string RunsWith() const override { return spec_.RunsWith(); }
};

}  // namespace tidemill::storage
