#include "storage/spec/formats/single_file_format.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/files.h"
#include "records/exif.h"
#include "storage/compression/content_hash.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/window_reader.h"
#include "xxhash.h"

namespace tidemill::storage {

namespace {

constexpr int64_t kSmall = 1 << 20;

// For a file that is no larger than a window.
absl::StatusOr<int64_t> HashOfSmall(const OpenFile& file, size_t size_bytes) {
  const std::unique_ptr<char[]> bytes(new char[size_bytes]);  // Not cleared.
  ASSIGN_OR_RETURN(const size_t got, file.ReadAt(0, bytes.get(), size_bytes));
  if (got != size_bytes) return Unavailable("{} became shorter while it was read", file.path());
  return static_cast<int64_t>(XXH3_64bits(bytes.get(), size_bytes));
}

absl::StatusOr<int64_t> HashOf(const OpenFile& file, int64_t size_bytes) {
  if (size_bytes <= kSmall) return HashOfSmall(file, static_cast<size_t>(size_bytes));
  ContentHash hash;
  const auto add = [&](std::string_view window, int64_t, bool) -> absl::StatusOr<size_t> {
    hash.Add(window);
    return window.size();
  };
  RETURN_IF_ERROR(ReadWindows(file, 0, add).status());
  return static_cast<int64_t>(hash.Sum());
}

// When a photograph was taken, by its Exif data. These are at the front of the file.
absl::StatusOr<Timestamp> TimeOfPhotograph(const OpenFile& file, const TimeReader& times) {
  constexpr size_t kFrontBytes = 1 << 18;
  std::string front(kFrontBytes, '\0');
  ASSIGN_OR_RETURN(const size_t size, file.ReadAt(0, front.data(), front.size()));
  front.resize(size);
  const std::optional<Exif> exif = ReadExif(front);
  if (!exif || exif->taken_at.empty()) {
    return InvalidArgument("the file has no Exif data that say when it was taken");
  }
  // "2020:12:31 21:25:00"
  constexpr size_t kDateBytes = 10;
  std::string text = exif->taken_at;
  std::replace(text.begin(), text.begin() + std::min(text.size(), kDateBytes), ':', '-');
  if (!exif->fraction.empty()) text += "." + exif->fraction;
  return times.Read(text + exif->offset);
}

// The payload is the whole file.
class SingleFiles final : public Format {
 public:
  SingleFiles(const SingleFileFormat& format, const DatasetSpec& spec, TimeReader times,
              UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;

 private:
  absl::StatusOr<Timestamp> TimeOf(const FileInput& input, const OpenFile& file) const;

  const DatasetSpec spec_;
  const config::ByteSize max_file_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

SingleFiles::SingleFiles(const SingleFileFormat& format, const DatasetSpec& spec, TimeReader times,
                         UnpackedCache& files)
    : spec_(spec),
      max_file_(format.max_file),
      times_(std::move(times)),
      labels_(spec.label),
      files_(files) {}

absl::StatusOr<Timestamp> SingleFiles::TimeOf(const FileInput& input, const OpenFile& file) const {
  if (spec_.event_time.exif) return TimeOfPhotograph(file, times_);
  ASSIGN_OR_RETURN(const std::optional<FileTimes> times,
                   TimesOf(spec_, times_, input, files_.source()));
  return times->At(0);
}

absl::StatusOr<IndexedFile> SingleFiles::Index(const FileInput& input) const {
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(files::Join(input.root, input.path)));
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  if (identity.size_bytes == 0) return InvalidArgument("the file is empty");
  if (identity.size_bytes > max_file_.bytes) {
    return InvalidArgument("the file has {} bytes, more than format.max_file", identity.size_bytes);
  }
  ASSIGN_OR_RETURN(const Timestamp time, TimeOf(input, file));
  ASSIGN_OR_RETURN(const std::optional<Label> label,
                   LabelOf(spec_, labels_, input, files_.source()));
  ASSIGN_OR_RETURN(const int64_t hash, HashOf(file, identity.size_bytes));
  IndexedFile found;
  found.positions = {0};
  found.rows = {.byte_from = {0},
                .byte_to = {identity.size_bytes},
                .event_time = {time.micros},
                .class_label = {label.value_or(Label{}).class_label},
                .real_label = {label.value_or(Label{}).real_label},
                .hash = {hash},
                .file_id = {}};
  found.bytes_done = identity.size_bytes;
  found.records_done = 1;
  return found;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const SingleFileFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  return std::make_unique<SingleFiles>(format, spec, std::move(times), files);
}

}  // namespace tidemill::storage
