#include "storage/read/known_columns.h"

#include <charconv>

#include "fmt/format.h"

#include "base/time.h"
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

std::string_view BelowFolder(std::string_view folder, std::string_view path) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (!path.starts_with(folder) || path.size() <= folder.size() || path[folder.size()] != '/') {
    return path;
  }
  return path.substr(folder.size() + 1);
}

absl::StatusOr<KnownColumns::Column> KnownColumns::ColumnOf(const std::string& name) {
  Column column;
  if (name == "@key") return column;
  column.kind = Kind::kFile;
  if (name == "@file") return column;
  column.kind = Kind::kTime;
  if (name == "@time") return column;
  column.kind = Kind::kLabel;
  if (name == "@label") return column;
  column.kind = Kind::kPart;
  constexpr std::string_view kPartOfPath = "@file.";
  const std::string_view digits =
      std::string_view(name).substr(std::min(kPartOfPath.size(), name.size()));
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), column.part);
  if (name.starts_with(kPartOfPath) && error == std::errc() &&
      end == digits.data() + digits.size() && column.part > 0) {
    return column;
  }
  return InvalidArgument(
      "there is no column '{}'; the columns with @ are @key, @file, @file.1, @file.2 ... (the "
      "parts of the path), @time and @label",
      name);
}

absl::StatusOr<KnownColumns> KnownColumns::Make(std::span<const std::string> names) {
  KnownColumns known;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!IsKnownColumn(names[i])) continue;
    ASSIGN_OR_RETURN(Column column, ColumnOf(names[i]));
    column.place = i;
    known.columns_.push_back(std::move(column));
  }
  return known;
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
