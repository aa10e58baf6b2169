#include "storage/spec/formats/binary_format.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/files.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

namespace {

// Little enough to be hashed while it is in the cache.
constexpr int64_t kBlockBytes = 256 << 10;

// Bytes of a number of an IDX type code, 0 for an unknown code.
int64_t IdxNumberBytes(unsigned char code) {
  switch (code) {
    case 0x08:
    case 0x09:
      return 1;
    case 0x0b:
      return 2;
    case 0x0c:
    case 0x0d:
      return 4;
    case 0x0e:
      return 8;
    default:
      return 0;
  }
}

int64_t BigEndian32(const unsigned char* bytes) {
  return int64_t{bytes[0]} << 24 | int64_t{bytes[1]} << 16 | int64_t{bytes[2]} << 8 | bytes[3];
}

int64_t RecordsIn(int64_t size_bytes, int64_t header_bytes, int64_t record_bytes) {
  return std::max<int64_t>(0, size_bytes - header_bytes) / record_bytes;
}

// A record is a sample; its payload is the record without the label that it may contain.
class BinaryFiles final : public Format {
 public:
  BinaryFiles(const BinaryFormat& format, const DatasetSpec& spec, TimeReader times,
              UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }
  absl::StatusOr<RecordStarts> FindRecords(const OpenFile& file, int64_t offset) const override;

 private:
  class Indexing;
  absl::Status CheckIdx(const OpenFile& file, int64_t header_bytes, int64_t record_bytes) const;

  const DatasetSpec spec_;
  const BinaryFormat format_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

// The indexing of one file.
class BinaryFiles::Indexing {
 public:
  Indexing(const BinaryFiles& format, const FileInput& input)
      : format_(format), input_(input), position_(input.from_record) {}

  absl::StatusOr<IndexedFile> Run() {
    ASSIGN_OR_RETURN(const OpenFile file,
                     format_.files_.Open(files::Join(input_.root, input_.path)));
    ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
    RETURN_IF_ERROR(Prepare());
    const BinaryFormat& layout = format_.format_;
    if (layout.idx) {
      RETURN_IF_ERROR(format_.CheckIdx(file, layout.header_bytes, layout.record_bytes));
    }
    int64_t end = RecordsIn(identity.size_bytes, layout.header_bytes, layout.record_bytes);
    if (label_file_) RETURN_IF_ERROR(FitToLabels(end));
    const int64_t stop = StopOf(end);
    found_.more = stop < end;
    Reserve(stop - position_);
    while (position_ < stop) {
      RETURN_IF_ERROR(CheckWanted(input_));
      RETURN_IF_ERROR(TakeBlock(file, stop));
    }
    const int64_t tail = identity.size_bytes - layout.header_bytes - end * layout.record_bytes;
    if (!format_.spec_.append && tail != 0 && !found_.more) {
      found_.AddLost(
          position_++, tail > 0 ? tail : identity.size_bytes,
          tail > 0 ? "the file ends within a record" : "the file ends within its header");
    }
    found_.records_done = position_;
    found_.num_bytes =
        found_.more ? layout.header_bytes + stop * layout.record_bytes : identity.size_bytes;
    found_.bytes_done = layout.header_bytes + stop * layout.record_bytes;
    return std::move(found_);
  }

 private:
  absl::Status Prepare() {
    ASSIGN_OR_RETURN(file_times_,
                     TimesOf(format_.spec_, format_.times_, input_, format_.files_.source()));
    ASSIGN_OR_RETURN(file_label_,
                     LabelOf(format_.spec_, format_.labels_, input_, format_.files_.source()));
    if (const auto& in_record = format_.spec_.label.record) {
      layout_ = &*in_record;
      label_offset_ = in_record->offset;
    }
    if (!format_.spec_.label.file) return absl::OkStatus();
    layout_ = &*format_.spec_.label.file;
    ASSIGN_OR_RETURN(const std::string path, LabelFileOf(*format_.spec_.label.file, input_));
    ASSIGN_OR_RETURN(OpenFile labels, format_.files_.Open(path));
    label_file_.emplace(std::move(labels));
    return absl::OkStatus();
  }

  // Where a piece ends, of the records up to `end`.
  int64_t StopOf(int64_t end) const {
    if (position_ >= end) return end;
    const int64_t size = format_.format_.record_bytes;
    const int64_t by_bytes = std::max<int64_t>(1, input_.max_bytes / size);
    return position_ + std::min({end - position_, input_.max_records, by_bytes});
  }

  // A column that grows row by row is copied again and again.
  void Reserve(int64_t num_rows) {
    const auto count = static_cast<size_t>(std::max<int64_t>(0, num_rows));
    for (std::vector<int64_t>* column :
         {&found_.rows.byte_from, &found_.rows.byte_to, &found_.rows.event_time, &found_.rows.hash,
          &found_.positions}) {
      column->reserve(count);
    }
  }

  // As many labels as records, or, while both files grow, no more records than labels.
  absl::Status FitToLabels(int64_t& num_records) const {
    const LabelFile& layout = *format_.spec_.label.file;
    ASSIGN_OR_RETURN(const FileIdentity identity, label_file_->Identity());
    if (format_.format_.idx) {
      RETURN_IF_ERROR(format_.CheckIdx(*label_file_, layout.header_bytes, layout.width));
    }
    const int64_t num_labels = RecordsIn(identity.size_bytes, layout.header_bytes, layout.width);
    if (num_labels != num_records && !format_.spec_.append) {
      return InvalidArgument("{} records have {} labels", num_records, num_labels);
    }
    num_records = std::min(num_records, num_labels);
    return absl::OkStatus();
  }

  absl::Status TakeBlock(const OpenFile& file, int64_t end) {
    const int64_t size = format_.format_.record_bytes;
    const int64_t count = std::min(end - position_, std::max<int64_t>(1, kBlockBytes / size));
    records_.resize(static_cast<size_t>(count * size));
    const int64_t offset = format_.format_.header_bytes + position_ * size;
    ASSIGN_OR_RETURN(const size_t got, file.ReadAt(offset, records_.data(), records_.size()));
    if (got != records_.size()) {
      return Unavailable("{} became shorter while it was read", file.path());
    }
    int64_t width = 0;
    if (label_file_) {
      width = format_.spec_.label.file->width;
      label_bytes_.resize(static_cast<size_t>(count * width));
      ASSIGN_OR_RETURN(
          const size_t read,
          label_file_->ReadAt(format_.spec_.label.file->header_bytes + position_ * width,
                              label_bytes_.data(), label_bytes_.size()));
      if (read != label_bytes_.size()) {
        return Unavailable("{} became shorter while it was read", label_file_->path());
      }
    }
    for (int64_t i = 0; i < count; ++i, ++position_) {
      TakeRecord(records_.data() + i * size, label_bytes_.data() + i * width, offset + i * size);
    }
    return absl::OkStatus();
  }

  void TakeRecord(const char* record, const char* label_bytes, int64_t offset) {
    Label label = file_label_.value_or(Label{});
    if (layout_ != nullptr) {
      const char* const number = label_file_ ? label_bytes : record + label_offset_;
      label.class_label = format_.labels_.ClassFromBytes(number, *layout_);
      if (!label.class_label) {
        absl::StatusOr<Label> read = format_.labels_.FromBytes(number, *layout_);
        std::string problem(read.status().message());
        if (!read.ok() && !input_.present) return found_.AddBad(position_, std::move(problem));
        if (!read.ok()) {
          found_.unknown.push_back({.record = position_,
                                    .kind = UnknownFact::Kind::kLabel,
                                    .reason = std::move(problem)});
        }
        label = read.value_or(Label{});
      }
    }
    found_.AddGood(position_, offset, {record, static_cast<size_t>(format_.format_.record_bytes)},
                   file_times_->At(position_), label);
  }

  const BinaryFiles& format_;
  const FileInput& input_;
  int64_t position_;
  std::optional<FileTimes> file_times_;
  std::optional<Label> file_label_;
  // The layout of labels in bytes, in the record or in a separate file; else null.
  const NumberLayout* layout_ = nullptr;
  int64_t label_offset_ = 0;
  std::optional<OpenFile> label_file_;
  std::vector<char> records_;
  std::vector<char> label_bytes_;
  IndexedFile found_;
};

BinaryFiles::BinaryFiles(const BinaryFormat& format, const DatasetSpec& spec, TimeReader times,
                         UnpackedCache& files)
    : spec_(spec), format_(format), times_(std::move(times)), labels_(spec.label), files_(files) {}

absl::StatusOr<IndexedFile> BinaryFiles::Index(const FileInput& input) const {
  return Indexing(*this, input).Run();
}

absl::StatusOr<RecordStarts> BinaryFiles::FindRecords(const OpenFile& /*file*/,
                                                      int64_t offset) const {
  const int64_t size = format_.record_bytes;
  const int64_t record = std::max<int64_t>(0, offset - format_.header_bytes + size - 1) / size;
  return RecordStarts{
      .candidates = {{.byte = format_.header_bytes + record * size, .record = record}}};
}

// http://yann.lecun.com/exdb/mnist: 0, 0, type code, number of dimensions, big-endian dimensions.
absl::Status BinaryFiles::CheckIdx(const OpenFile& file, int64_t header_bytes,
                                   int64_t record_bytes) const {
  std::array<unsigned char, 4 + 4 * 255> header{};
  ASSIGN_OR_RETURN(const size_t got,
                   file.ReadAt(0, reinterpret_cast<char*>(header.data()), header.size()));
  const int64_t number_bytes = IdxNumberBytes(header[2]);
  const int64_t dimensions = header[3];
  if (got < 8 || header[0] != 0 || header[1] != 0 || number_bytes == 0 || dimensions == 0) {
    return InvalidArgument("{} does not start like an IDX file", file.path());
  }
  if (header_bytes != 4 + 4 * dimensions) {
    return InvalidArgument("{} has {} dimensions, so its header has {} bytes, not {}", file.path(),
                           dimensions, 4 + 4 * dimensions, header_bytes);
  }
  int64_t bytes = number_bytes;
  for (int64_t i = 1; i < dimensions && bytes <= record_bytes; ++i) {
    bytes *= BigEndian32(header.data() + 4 + 4 * i);
  }
  if (bytes != record_bytes) {
    return InvalidArgument("{} has records of {} bytes, not {}", file.path(), bytes, record_bytes);
  }
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  const int64_t stated = BigEndian32(header.data() + 4);
  const int64_t held = RecordsIn(identity.size_bytes, header_bytes, record_bytes);
  // More records may follow when the file grows, or when only its beginning is tried.
  const bool may_lack = spec_.append && held < stated;
  if (stated != held && !may_lack) {
    return InvalidArgument("{} states {} records but holds {}", file.path(), stated, held);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const BinaryFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  return std::make_unique<BinaryFiles>(format, spec, std::move(times), files);
}

}  // namespace tidemill::storage
