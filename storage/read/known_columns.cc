#include "storage/read/known_columns.h"

#include "fmt/format.h"

#include "base/check.h"
#include "base/time.h"
#include "storage/fields/record_condition.h"
#include "storage/fields/sample_expression.h"
#include "storage/spec/dataset_expressions.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

namespace {

std::optional<std::string_view> PartOfPath(std::string_view path, size_t part) {
  for (size_t i = 1; i < part; ++i) {
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    path.remove_prefix(slash + 1);
  }
  return path.substr(0, path.find('/'));
}

// The class by its name where it has one.
std::optional<std::string> LabelText(const DatasetIndex& index, const SampleLocation& sample) {
  const SegmentColumns& columns = *sample.segment->columns;
  if (const auto label = ValueAt<int64_t>(*columns.class_label, sample.row)) {
    const std::vector<std::string>& classes = index.spec().label.classes;
    const auto place = static_cast<size_t>(*label);
    return place < classes.size() ? classes[place] : std::to_string(*label);
  }
  const auto real = ValueAt<double>(*columns.real_label, sample.row);
  return real ? std::optional(fmt::format("{}", *real)) : std::nullopt;
}

}  // namespace

bool IsKnownColumn(std::string_view name) {
  return name == samples::kKeyColumn || name == samples::kFileColumn || name == kTimeColumn ||
         name == samples::kLabelColumn || samples::PartOfFile(name);
}

std::string_view BelowFolder(std::string_view folder, std::string_view path) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (!path.starts_with(folder) || path.size() <= folder.size() || path[folder.size()] != '/') {
    return path;
  }
  return path.substr(folder.size() + 1);
}

KnownColumns::Column KnownColumns::ColumnOf(std::string_view name) {
  if (name == samples::kKeyColumn) return {.kind = Kind::kKey};
  if (name == samples::kFileColumn) return {.kind = Kind::kFile};
  if (name == kTimeColumn) return {.kind = Kind::kTime};
  if (const auto part = samples::PartOfFile(name)) return {.kind = Kind::kPart, .part = *part};
  TIDEMILL_CHECK(name == samples::kLabelColumn);
  return {.kind = Kind::kLabel};
}

KnownColumns::KnownColumns(std::span<const std::string> names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!IsKnownColumn(names[i])) continue;
    columns_.push_back(ColumnOf(names[i]));
    columns_.back().place = i;
  }
}

void KnownColumns::Read(const DatasetIndex& index, const SampleLocation& sample,
                        std::span<std::optional<std::string_view>> values) {
  for (Column& column : columns_) {
    std::optional<std::string_view>& value = values[column.place];
    value.reset();
    switch (column.kind) {
      case Kind::kKey:
        value = column.text = std::to_string(sample.key());
        break;
      case Kind::kTime:
        value = column.text = FormatTimestamp({sample.event_time()});
        break;
      case Kind::kLabel:
        if (std::optional<std::string> label = LabelText(index, sample)) {
          value = column.text = *std::move(label);
        }
        break;
      case Kind::kFile:
      case Kind::kPart: {
        const std::string* const path = index.PathOf(sample.file());
        if (path == nullptr) break;
        const std::string_view below = BelowFolder(index.spec().path, *path);
        value = column.kind == Kind::kFile ? below : PartOfPath(below, column.part);
        break;
      }
    }
  }
}

}  // namespace tidemill::storage
