#include "storage/formats/file_facts.h"

#include "base/files.h"

namespace tidemill::storage {

namespace {

constexpr size_t kMaxSidecarBytes = 1 << 16;

absl::StatusOr<std::string> ReadSidecar(FileSystem& source, const std::string& path) {
  ASSIGN_OR_RETURN(const OpenFile file, source.Open(path));
  std::string text(kMaxSidecarBytes + 1, '\0');
  ASSIGN_OR_RETURN(const size_t size, file.ReadAt(0, text.data(), text.size()));
  if (size > kMaxSidecarBytes) {
    return InvalidArgument("{} is longer than a label or a time can be", path);
  }
  text.resize(size);
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t from = text.find_first_not_of(kBlank);
  if (from == std::string::npos) return NotFound("{} is empty", path);
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

}  // namespace

absl::StatusOr<TimeReader> TimeReaderOf(const EventTimeSpec& spec) {
  return TimeReader::Create(spec.Format());
}

absl::StatusOr<Timestamp> ReadJoined(const TimeReader& times, std::string_view joined,
                                     bool lacks_part) {
  absl::StatusOr<Timestamp> time = times.Read(joined);
  if (time.ok() || !lacks_part) return time;
  return absl::NotFoundError(time.status().message());
}

absl::StatusOr<std::optional<FileTimes>> TimesOf(const DatasetSpec& spec, const TimeReader& times,
                                                 const FileInput& input, FileSystem& source) {
  const bool in_records = spec.event_time.in_fields() || spec.event_time.expression ||
                          spec.event_time.member || spec.event_time.from_format;
  if (in_records) return std::optional<FileTimes>();
  if (spec.event_time.row) {
    return std::optional(FileTimes{spec.event_time.row->start, spec.event_time.row->step});
  }
  if (spec.event_time.path) {
    ASSIGN_OR_RETURN(const Timestamp time, times.ReadFromPath(input.path));
    return std::optional(FileTimes{time, {}});
  }
  if (spec.event_time.sidecar) {
    const std::string path = files::Join(input.root, input.path);
    ASSIGN_OR_RETURN(const std::string text,
                     ReadSidecar(source, SidecarOf(path, *spec.event_time.sidecar)));
    ASSIGN_OR_RETURN(const Timestamp time, times.Read(text));
    return std::optional(FileTimes{time, {}});
  }
  return std::optional(FileTimes{input.identity.modified_at(), {}});
}

absl::StatusOr<std::optional<Label>> LabelOf(const DatasetSpec& spec, const LabelReader& labels,
                                             const FileInput& input, FileSystem& source) {
  if (spec.label.sidecar) {
    const std::string path = files::Join(input.root, input.path);
    const auto text = ReadSidecar(source, SidecarOf(path, *spec.label.sidecar));
    if (absl::IsNotFound(text.status())) return labels.FromNothing(text.status());
    RETURN_IF_ERROR(text.status());
    return labels.FromText(*text);
  }
  if (spec.label.folder) {
    const size_t name = input.path.rfind('/');
    if (name == std::string::npos) {
      return InvalidArgument("the file is not in the folder of a class");
    }
    const std::string folder = input.path.substr(0, name);
    return labels.FromText(folder.substr(folder.rfind('/') + 1));
  }
  return std::optional<Label>();
}

absl::StatusOr<std::string> LabelFileOf(const LabelFile& spec, const FileInput& input) {
  const size_t name = input.path.rfind('/') + 1;
  const size_t at = input.path.find(spec.pattern, name);
  if (at == std::string::npos) {
    return InvalidArgument("the file's name has no '{}' to replace with the name of its labels",
                           spec.pattern);
  }
  std::string path = input.path;
  path.replace(at, spec.pattern.size(), spec.replacement);
  return files::Join(input.root, path);
}

std::string SidecarOf(const std::string& path, const std::string& extension) {
  const size_t name = path.rfind('/') + 1;
  const size_t dot = path.rfind('.');
  const bool has_extension = dot != std::string::npos && dot > name;
  return path.substr(0, has_extension ? dot : path.size()) + extension;
}

}  // namespace tidemill::storage
