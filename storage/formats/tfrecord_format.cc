#include "storage/client/formats/tfrecord_format.h"

#include <bit>
#include <cstring>
#include <memory>

#include "fmt/format.h"

#include "base/files.h"
#include "records/crc32c.h"
#include "records/tf_example.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/record_facts.h"
#include "storage/formats/window_reader.h"

namespace tidemill::storage {

namespace {

constexpr size_t kLengthBytes = 8;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kHeaderBytes = kLengthBytes + kChecksumBytes;

template <typename T>
T LittleEndian(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  T number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

bool SumFits(std::string_view bytes, std::string_view stored) {
  return MaskCrc32c(Crc32c(bytes)) == LittleEndian<uint32_t>(stored);
}

// A record is a sample; its payload is the record's bytes without lengths and checksums. A wrong
// checksum of the bytes costs that sample; one of the length costs what follows in the file, as
// nothing tells where the next record begins.
class TfrecordFiles final : public Format {
 public:
  TfrecordFiles(const TfrecordFormat& format, const DatasetSpec& spec, TimeReader times,
                UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }
  absl::StatusOr<RecordStarts> FindRecords(const OpenFile& file, int64_t offset) const override;
  int64_t LeadBytes() const override;

 private:
  class Indexing;

  const DatasetSpec spec_;
  const uint64_t max_record_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

// The indexing of one file.
class TfrecordFiles::Indexing {
 public:
  Indexing(const TfrecordFiles& format, const FileInput& input, RecordFacts facts)
      : format_(format),
        input_(input),
        facts_(std::move(facts)),
        names_(NamedFields(format.spec_)),
        example_(names_) {
    found_.bytes_done = input.from_byte;
    found_.records_done = input.from_record;
  }

  absl::StatusOr<size_t> Consume(std::string_view window, int64_t offset, bool last) {
    size_t at = 0;
    while (at < window.size() && !lost_) {
      if (to_skip_ > 0) {
        const size_t skipped = std::min<uint64_t>(to_skip_, window.size() - at);
        to_skip_ -= skipped;
        at += skipped;
      } else if (const size_t taken = Take(window.substr(at), offset + static_cast<int64_t>(at));
                 taken > 0) {
        at += taken;
      } else {
        break;
      }
      found_.more =
          to_skip_ == 0 && IsFull(input_, found_.records_done, offset + static_cast<int64_t>(at));
      if (found_.more) {
        found_.bytes_done = offset + static_cast<int64_t>(at);
        return Cancelled("the piece is full");
      }
    }
    if (to_skip_ == 0) found_.bytes_done = offset + static_cast<int64_t>(at);
    if (lost_) return Cancelled("the rest of the file is lost");
    if (last) TakeTail(window.size() - at);
    return at;
  }

  IndexedFile Finish() { return std::move(found_); }

 private:
  // The bytes of the record at the front of `bytes`, 0 when it is not there whole.
  size_t Take(std::string_view bytes, int64_t offset) {
    if (bytes.size() < kHeaderBytes) return 0;
    if (!SumFits(bytes.substr(0, kLengthBytes), bytes.substr(kLengthBytes))) {
      // What grows is looked at again from here, should it be mended.
      found_.AddBad(found_.records_done,
                    "the record's length is damaged; the rest of the file is lost");
      if (!format_.spec_.append) ++found_.records_done;
      lost_ = true;
      return 0;
    }
    const auto length = LittleEndian<uint64_t>(bytes);
    if (length > format_.max_record_) {
      long_from_ = offset;
      found_.AddBad(found_.records_done++, "the record is longer than format.max_record");
      to_skip_ = length + kChecksumBytes < length ? length : length + kChecksumBytes;
      return kHeaderBytes;
    }
    if (bytes.size() - kHeaderBytes < length + kChecksumBytes) return 0;
    const int64_t position = found_.records_done++;
    const std::string_view record = bytes.substr(kHeaderBytes, length);
    if (!SumFits(record, bytes.substr(kHeaderBytes + length))) {
      found_.AddBad(position, "the record's bytes do not match their checksum");
    } else if (const absl::Status status =
                   TakeRecord(record, offset + static_cast<int64_t>(kHeaderBytes), position);
               !status.ok()) {
      found_.AddBad(position, std::string(status.message()));
    }
    return kHeaderBytes + length + kChecksumBytes;
  }

  absl::Status TakeRecord(std::string_view record, int64_t offset, int64_t position) {
    if (!names_.empty()) RETURN_IF_ERROR(Annotate(example_.Read(record), "the record"));
    const auto text = [&](size_t part) { return TextOf(part); };
    ASSIGN_OR_RETURN(const Label label, facts_.LabelOf(text));
    ASSIGN_OR_RETURN(const Timestamp time, facts_.TimeOf(position, text));
    found_.AddGood(position, offset, record, time, label);
    return absl::OkStatus();
  }

  absl::StatusOr<std::string_view> TextOf(size_t part) {
    const ExampleFeature& feature = example_.feature(part);
    if (feature.size() == 0) return NotFound("feature {} has 0 values, not one", names_[part]);
    if (feature.size() != 1) {
      return InvalidArgument("feature {} has {} values, not one", names_[part], feature.size());
    }
    if (!feature.bytes.empty()) return feature.bytes.front();
    text_ = feature.floats.empty() ? fmt::format("{}", feature.ints.front())
                                   : fmt::format("{}", feature.floats.front());
    return text_;
  }

  // What lies at the end of the file and is no whole record.
  void TakeTail(size_t num_bytes) {
    if (num_bytes == 0 && to_skip_ == 0) return;
    if (!format_.spec_.append) {
      if (to_skip_ == 0) found_.AddBad(found_.records_done++, "the file ends within a record");
    } else if (to_skip_ > 0) {
      // Still being written: read again from its beginning.
      found_.RemoveLastBad();
      --found_.records_done;
      found_.bytes_done = long_from_;
    }
  }

  const TfrecordFiles& format_;
  const FileInput& input_;
  RecordFacts facts_;
  const std::vector<std::string> names_;
  ExampleFeatures example_;
  std::string text_;
  bool lost_ = false;
  uint64_t to_skip_ = 0;   // Of a record that is too long.
  int64_t long_from_ = 0;  // Where it begins.
  IndexedFile found_;
};

TfrecordFiles::TfrecordFiles(const TfrecordFormat& format, const DatasetSpec& spec,
                             TimeReader times, UnpackedCache& files)
    : spec_(spec),
      max_record_(static_cast<uint64_t>(format.max_record.bytes)),
      times_(std::move(times)),
      labels_(spec.label),
      files_(files) {}

int64_t TfrecordFiles::LeadBytes() const { return kHeaderBytes; }

// A length with its checksum: twelve bytes that chance does not make.
absl::StatusOr<RecordStarts> TfrecordFiles::FindRecords(const OpenFile& file,
                                                        int64_t offset) const {
  ASSIGN_OR_RETURN(const std::string read, BytesAt(file, offset, kMostRecordSearch));
  const std::string_view bytes = read;
  for (size_t at = 0; at + kHeaderBytes <= bytes.size(); ++at) {
    const std::string_view header = bytes.substr(at, kHeaderBytes);
    if (LittleEndian<uint64_t>(header) > max_record_) continue;
    if (!SumFits(header.substr(0, kLengthBytes), header.substr(kLengthBytes))) continue;
    return RecordStarts{.candidates = {{.byte = offset + static_cast<int64_t>(at), .record = 1}}};
  }
  return RecordStarts();
}

absl::StatusOr<IndexedFile> TfrecordFiles::Index(const FileInput& input) const {
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(files::Join(input.root, input.path)));
  ASSIGN_OR_RETURN(RecordFacts facts,
                   RecordFacts::Create(spec_, times_, labels_, input, files_.source()));
  Indexing indexing(*this, input, std::move(facts));
  const auto consume = [&](std::string_view window, int64_t offset, bool last) {
    return indexing.Consume(window, offset, last);
  };
  absl::Status status = ReadWindows(file, input.from_byte, consume).status();
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  return indexing.Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const TfrecordFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  return std::make_unique<TfrecordFiles>(format, spec, std::move(times), files);
}

}  // namespace tidemill::storage
