#include "storage/formats/format.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "config/spec_list.h"
#include "records/text.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/series_view.h"
#include "storage/spec/dataset_expressions.h"
#include "storage/spec/formats/format_list.h"
#include "xxhash.h"

namespace tidemill::storage {

void IndexedFile::AddGood(int64_t position, int64_t offset, std::string_view bytes, Timestamp time,
                          const Label& label) {
  AddHashed(position, offset, static_cast<int64_t>(bytes.size()),
            XXH3_64bits(bytes.data(), bytes.size()), time, label);
}

void IndexedFile::AddHashed(int64_t position, int64_t offset, int64_t size, uint64_t hash,
                            Timestamp time, const Label& label) {
  positions.push_back(position);
  rows.byte_from.push_back(offset);
  rows.byte_to.push_back(offset + size);
  rows.event_time.push_back(time.micros);
  rows.class_label.push_back(label.class_label);
  rows.real_label.push_back(label.real_label);
  rows.hash.push_back(static_cast<int64_t>(hash));
}

void IndexedFile::AddBad(int64_t position, std::string reason) {
  AddLost(position, 0, std::move(reason));
}

void IndexedFile::AddLost(int64_t position, int64_t bytes, std::string reason) {
  ++num_bad;
  lost_bytes += bytes;
  left_out.Add(position, reason, bytes);
  if (bad.size() < kMaxBadRecords) bad.push_back({position, std::move(reason), bytes});
}

void IndexedFile::AddZeroed(int64_t position, int64_t bytes, std::string reason) {
  zeroed_bytes += bytes;
  AddLost(position, bytes, std::move(reason));
}

void IndexedFile::AddLostBytes(int64_t bytes) {
  lost_bytes += bytes;
  left_out.AddLostBytes(bytes);
  if (num_bad == std::ssize(bad)) bad.back().lost_bytes += bytes;
}

void IndexedFile::AddRemark(std::string reason, int64_t num_members) {
  left_out.AddRemark(reason, num_members, /*wanted=*/false);
  remarks.push_back(std::move(reason));
}

void IndexedFile::RemoveLastBad() {
  left_out.RemoveLast();
  if (num_bad-- <= static_cast<int64_t>(kMaxBadRecords)) bad.pop_back();
}

void IndexedFile::DropUnlabelled() {
  std::vector<int64_t>* const columns[] = {&positions, &rows.byte_from, &rows.byte_to,
                                           &rows.event_time, &rows.hash};
  NullableValues<int64_t> classes;
  NullableValues<double> reals;
  size_t kept = 0;
  for (size_t row = 0; row < positions.size(); ++row) {
    const auto class_label = rows.class_label[row];
    const auto real_label = rows.real_label[row];
    if (!class_label && !real_label) {
      left_out.Add(positions[row], 1, kNoLabel, /*wanted=*/true);
      continue;
    }
    classes.push_back(class_label);
    reals.push_back(real_label);
    for (std::vector<int64_t>* column : columns) (*column)[kept] = (*column)[row];
    ++kept;
  }
  if (kept == positions.size()) return;
  for (std::vector<int64_t>* column : columns) column->resize(kept);
  rows.class_label = std::move(classes);
  rows.real_label = std::move(reals);
}

namespace {

// The format of single records.
absl::StatusOr<std::unique_ptr<Format>> MakeRowFormat(const DatasetSpec& spec,
                                                      UnpackedCache& files) {
  return config::Dispatch(Formats(), spec.format,
                          [&](const auto& format) { return MakeFormat(format, spec, files); });
}

// The columns as a file names them.
absl::StatusOr<std::vector<std::string>> ColumnsOf(const FormatSpec& spec, const OpenFile& file) {
  using Columns = absl::StatusOr<std::vector<std::string>>;
  return config::Dispatch(Formats(), spec, [&]<typename Spec>(const Spec& format) -> Columns {
    if constexpr (Spec::kNamesColumns) {
      return ReadColumns(format, file);
    } else {
      return Internal("files of format {} do not name columns", format.kType);
    }
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const DatasetSpec& spec, UnpackedCache& files,
                                                   WindowLabels labels) {
  if (!spec.series) return MakeRowFormat(spec, files);
  DatasetSpec of_rows = spec;
  of_rows.label = EffectiveLabel(spec);
  ASSIGN_OR_RETURN(std::unique_ptr<Format> rows, MakeRowFormat(of_rows, files));
  return std::make_unique<SeriesFiles>(spec, std::move(rows), files, labels);
}

std::vector<std::string> CompanionsOf(const DatasetSpec& spec, const FileInput& input) {
  std::vector<std::string> companions;
  const bool has_any = spec.label.file || spec.label.sidecar || spec.event_time.sidecar;
  if (!has_any) return companions;
  const std::string path = files::Join(input.root, input.path);
  if (spec.label.file) {
    const absl::StatusOr<std::string> labels = LabelFileOf(*spec.label.file, input);
    if (labels.ok()) companions.push_back(*labels);
  }
  if (spec.label.sidecar) companions.push_back(SidecarOf(path, *spec.label.sidecar));
  if (spec.event_time.sidecar) companions.push_back(SidecarOf(path, *spec.event_time.sidecar));
  return companions;
}

bool IsCompanion(const DatasetSpec& spec, const std::string& path) {
  if (spec.label.file && !spec.label.file->replacement.empty()) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.find(spec.label.file->pattern) == std::string::npos &&
        name.find(spec.label.file->replacement) != std::string::npos) {
      return true;
    }
  }
  for (const auto& extension : {spec.label.sidecar, spec.event_time.sidecar}) {
    if (extension && path.ends_with(*extension)) return true;
  }
  return false;
}

absl::Status CompleteSpec(const std::string& path, UnpackedCache& files, DatasetSpec& spec) {
  if (!spec.format->LeavesColumnsOpen()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const OpenFile file, files.OpenStart(path));
  ASSIGN_OR_RETURN(const std::vector<std::string> columns, ColumnsOf(spec.format, file));
  std::vector<std::string> named = spec.event_time.TimeFields();
  if (spec.label.column) named.push_back(*spec.label.column);
  if (spec.series && spec.series->group) named.push_back(*spec.series->group);
  if (spec.series && spec.series->target) named.push_back(*spec.series->target);
  for (const std::string& name : named) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
      return InvalidArgument("{} has no column '{}'; its header is [{}]", path, name,
                             fmt::join(columns, ", "));
    }
  }
  DatasetSpec completed = spec;
  completed.format->SetColumns(columns);
  RETURN_IF_ERROR(Annotate(CompileExpressions(completed).status(), path));
  // A document has its limits, and the spec is kept as one.
  const auto read_back = config::Read<DatasetSpec>(config::Print(completed), "the completed spec");
  if (!read_back.ok()) {
    return InvalidArgument("the header of {} has {} columns, which do not fit in a spec: {}", path,
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
