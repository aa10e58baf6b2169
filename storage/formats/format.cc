#include "storage/formats/format.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "base/overloaded.h"
#include "storage/formats/binary_format.h"
#include "storage/formats/csv_format.h"
#include "storage/formats/single_file_format.h"
#include "storage/text.h"

namespace tidemill::storage {

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const DatasetSpec& spec, UnpackedCache& files) {
  using Made = absl::StatusOr<std::unique_ptr<Format>>;
  return std::visit(
      Overloaded{[&](const CsvFormat&) -> Made { return CsvFiles::Create(spec, files); },
                 [&](const BinaryFormat&) -> Made { return BinaryFiles::Create(spec, files); },
                 [&](const SingleFileFormat&) -> Made { return SingleFiles::Create(spec, files); }},
      spec.format);
}

std::vector<std::string> CompanionsOf(const DatasetSpec& spec, const FileInput& input) {
  std::vector<std::string> companions;
  const std::string path = files::Join(input.root, input.path);
  if (spec.label.file) {
    const absl::StatusOr<std::string> labels = LabelFileOf(*spec.label.file, input);
    if (labels.ok()) companions.push_back(*labels);
  }
  if (spec.label.sidecar) companions.push_back(SidecarOf(path, *spec.label.sidecar));
  if (spec.event_time.sidecar) companions.push_back(SidecarOf(path, *spec.event_time.sidecar));
  return companions;
}

absl::Status CompleteSpec(const std::string& path, UnpackedCache& files, DatasetSpec& spec) {
  const auto* const csv = std::get_if<CsvFormat>(&spec.format);
  if (!csv || !csv->columns.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const OpenFile file, files.Open(path));
  ASSIGN_OR_RETURN(const std::vector<std::string> columns, ReadCsvHeader(*csv, file));
  for (const auto& name : {spec.event_time.column, spec.label.column}) {
    if (name && std::find(columns.begin(), columns.end(), *name) == columns.end()) {
      return InvalidArgument("{} has no column '{}'; its header is [{}]", path, *name,
                             fmt::join(columns, ", "));
    }
  }
  DatasetSpec completed = spec;
  std::get<CsvFormat>(completed.format).columns = columns;
  // A document has its limits, and the spec is kept as one.
  const auto read_back = config::Read<DatasetSpec>(config::Print(completed), "the completed spec");
  if (!read_back.ok()) {
    return InvalidArgument("the header of {} has {} columns that do not fit in a spec: {}", path,
                           columns.size(), AsText(std::string(read_back.status().message())));
  }
  spec = std::move(completed);
  return absl::OkStatus();
}

PayloadCut CutOf(const DatasetSpec& spec) {
  if (!spec.label.record) return {};
  return {.offset = spec.label.record->offset, .size = spec.label.record->width};
}

}  // namespace tidemill::storage
