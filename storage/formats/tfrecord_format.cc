#include "storage/spec/formats/tfrecord_format.h"

#include <memory>

#include "fmt/format.h"

#include "base/files.h"
#include "records/tf_example.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/record_expressions.h"
#include "storage/formats/record_facts.h"
#include "storage/formats/tfrecord_reader.h"
#include "storage/formats/window_reader.h"

namespace tidemill::storage {

namespace {

// Fewer zeros at the end of a file are not worth a remark.
constexpr int64_t kLeastZeros = 12;

// A record is a sample; its payload is the record's bytes without lengths and checksums. A wrong
// checksum of the bytes costs that sample; one of the length costs the bytes up to the next sound
// record.
class TfrecordFiles final : public Format {
 public:
  TfrecordFiles(const TfrecordFormat& format, const DatasetSpec& spec, TimeReader times,
                std::vector<CompiledExpression> expressions, UnpackedCache& files);

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
  const std::vector<CompiledExpression> expressions_;
  UnpackedCache& files_;
};

// The indexing of one file.
class TfrecordFiles::Indexing {
 public:
  Indexing(const TfrecordFiles& format, const FileInput& input, RecordFacts facts,
           RecordExpressions expressions, TfrecordReader reader)
      : format_(format),
        input_(input),
        facts_(std::move(facts)),
        expressions_(std::move(expressions)),
        names_(NamesOf(format.spec_, expressions_)),
        example_(names_),
        reader_(reader) {
    found_.bytes_done = input.from_byte;
    found_.records_done = input.from_record;
  }

  absl::StatusOr<size_t> Consume(std::string_view window, int64_t offset, bool last) {
    size_t at = 0;
    while (at < window.size()) {
      const int64_t here = offset + static_cast<int64_t>(at);
      ASSIGN_OR_RETURN(const TfrecordReader::Step step,
                       reader_.Next(window.substr(at), here, last));
      Take(step.part);
      at += step.num_done;
      found_.num_bytes = here + static_cast<int64_t>(step.num_done);
      if (reader_.at_record()) found_.bytes_done = found_.num_bytes;
      found_.more = reader_.at_record() && IsFull(input_, found_.records_done, found_.bytes_done);
      if (found_.more) return Cancelled("the piece is full");
      if (step.num_done == 0) break;
    }
    if (last) TakeTail(offset + static_cast<int64_t>(window.size()));
    return reader_.waits() ? absl::StatusOr<size_t>(Cancelled("the record is not complete")) : at;
  }

  IndexedFile Finish() {
    found_.tallies = expressions_.Tallies();
    return std::move(found_);
  }

 private:
  void Take(const TfrecordPart& part) {
    switch (part.kind) {
      case TfrecordPart::Kind::kNone:
        return;
      case TfrecordPart::Kind::kLost:
        return AddLost(part.offset, part.offset + part.size);
      case TfrecordPart::Kind::kTooLong:
        return found_.AddBad(found_.records_done++, "the record is longer than format.max_record");
      case TfrecordPart::Kind::kWrongSum:
        return found_.AddBad(found_.records_done++,
                             "the record's bytes do not match their checksum");
      case TfrecordPart::Kind::kRecord:
        break;
    }
    const int64_t position = found_.records_done++;
    const absl::Status status =
        TakeRecord(part.bytes, part.offset + kTfrecordHeaderBytes, position);
    if (!status.ok()) found_.AddBad(position, std::string(status.message()));
  }

  void AddLost(int64_t from, int64_t to) {
    found_.AddLost(
        found_.records_done++, to - from,
        fmt::format("{}: {} bytes from byte {} on hold no record",
                    reader_.was_cut() ? "a record is cut off" : "the length of a record is damaged",
                    to - from, from));
  }

  absl::Status TakeRecord(std::string_view record, int64_t offset, int64_t position) {
    if (!names_.empty()) RETURN_IF_ERROR(Annotate(example_.Read(record), "the record"));
    const auto text = [&](size_t part) { return TextOf(part); };
    ASSIGN_OR_RETURN(const std::optional<SampleFacts> facts,
                     expressions_.FactsOf([&](size_t field) { return Operand(field); },
                                          [&] { return facts_.TimeOf(position, text); },
                                          [&] { return facts_.LabelOf(text); },
                                          ForeignRecord::At(position, input_, found_)));
    if (facts) {
      found_.AddGood(position, offset, record, facts->time, facts->label);
    } else {
      ++found_.num_filtered;
    }
    return absl::OkStatus();
  }

  // What an expression reads.
  absl::StatusOr<std::optional<std::string_view>> Operand(size_t field) {
    const size_t part = names_.size() - expressions_.fields().size() + field;
    if (example_.feature(part).size() == 0) return std::nullopt;
    ASSIGN_OR_RETURN(const std::string_view text, TextOf(part));
    return text;
  }

  // Time, label and, after them, what the expressions read.
  static std::vector<std::string> NamesOf(const DatasetSpec& spec,
                                          const RecordExpressions& expressions) {
    std::vector<std::string> names = NamedFields(spec);
    names.insert(names.end(), expressions.fields().begin(), expressions.fields().end());
    return names;
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

  // Handles the end of the file, up to `end`, which is not a whole record.
  void TakeTail(int64_t end) {
    found_.num_bytes = end;
    if (!reader_.lost_from()) return;
    const int64_t from = *reader_.lost_from();
    const int64_t zeros = end - reader_.zeros_from() < kLeastZeros ? end : reader_.zeros_from();
    // A growing file is read again from here: it may be repaired, or continue.
    if (!format_.spec_.append) {
      if (from < zeros) AddLost(from, zeros);
      found_.bytes_done = end;
    } else if (from < zeros) {
      found_.AddRemark(
          fmt::format("{} bytes from byte {} on hold no record so far", zeros - from, from),
          /*num_members=*/0);
    }
    if (zeros == end) return;
    found_.AddRemark(
        fmt::format("the file ends with '{}' zeros, which are not a record", end - zeros),
        /*num_members=*/0);
  }

  const TfrecordFiles& format_;
  const FileInput& input_;
  RecordFacts facts_;
  RecordExpressions expressions_;
  const std::vector<std::string> names_;
  ExampleFeatures example_;
  std::string text_;
  TfrecordReader reader_;
  IndexedFile found_;
};

TfrecordFiles::TfrecordFiles(const TfrecordFormat& format, const DatasetSpec& spec,
                             TimeReader times, std::vector<CompiledExpression> expressions,
                             UnpackedCache& files)
    : spec_(spec),
      max_record_(static_cast<uint64_t>(format.max_record.bytes)),
      times_(std::move(times)),
      labels_(spec.label),
      expressions_(std::move(expressions)),
      files_(files) {}

int64_t TfrecordFiles::LeadBytes() const { return kTfrecordHeaderBytes; }

// A length with its checksum: twelve bytes that random data do not match.
absl::StatusOr<RecordStarts> TfrecordFiles::FindRecords(const OpenFile& file,
                                                        int64_t offset) const {
  ASSIGN_OR_RETURN(const std::string read, BytesAt(file, offset, kMaxRecordSearch));
  const std::string_view bytes = read;
  for (size_t at = 0; at + kTfrecordHeaderBytes <= bytes.size(); ++at) {
    const std::optional<uint64_t> length = TfrecordLength(bytes.substr(at, kTfrecordHeaderBytes));
    if (!length || *length > max_record_) continue;
    return RecordStarts{.candidates = {{.byte = offset + static_cast<int64_t>(at), .record = 1}}};
  }
  return RecordStarts();
}

absl::StatusOr<IndexedFile> TfrecordFiles::Index(const FileInput& input) const {
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(files::Join(input.root, input.path)));
  ASSIGN_OR_RETURN(RecordFacts facts,
                   RecordFacts::Create(spec_, times_, labels_, input, files_.source()));
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  ASSIGN_OR_RETURN(RecordExpressions expressions,
                   RecordExpressions::Make(spec_, expressions_, labels_));
  Indexing indexing(*this, input, std::move(facts), std::move(expressions),
                    TfrecordReader(file, identity.size_bytes, max_record_, spec_.append));
  const auto consume = [&](std::string_view window, int64_t offset, bool last) {
    return indexing.Consume(window, offset, last);
  };
  absl::Status status =
      ReadWindows(file, input.from_byte, consume, input.most_bytes, input.is_unwanted).status();
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  return indexing.Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const TfrecordFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  ASSIGN_OR_RETURN(auto expressions, CompileExpressions(spec));
  return std::make_unique<TfrecordFiles>(format, spec, std::move(times), std::move(expressions),
                                         files);
}

}  // namespace tidemill::storage
