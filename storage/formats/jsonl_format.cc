#include "storage/spec/formats/jsonl_format.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "records/json_fields.h"
#include "records/text.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/record_expressions.h"
#include "storage/formats/record_facts.h"
#include "storage/formats/series_view.h"
#include "storage/formats/window_reader.h"

namespace tidemill::storage {

namespace {

// A line is a sample; its payload is the line without its end. Blank lines are not samples. A file
// system that lost power leaves zeros where bytes were not written: they cost what they replaced,
// and not the lines beside them.
class JsonlFiles final : public Format {
 public:
  JsonlFiles(const JsonlFormat& format, const DatasetSpec& spec, TimeReader times,
             std::vector<CompiledExpression> expressions, UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }
  absl::StatusOr<RecordStarts> FindRecords(const OpenFile& file, int64_t offset) const override {
    return FindLines(file, offset, /*quote=*/std::nullopt);
  }

 private:
  class Indexing;

  const DatasetSpec spec_;
  const size_t max_record_;
  const TimeReader times_;
  const LabelReader labels_;
  const std::vector<CompiledExpression> expressions_;
  UnpackedCache& files_;
};

// The indexing of one file.
class JsonlFiles::Indexing {
 public:
  Indexing(const JsonlFiles& format, const FileInput& input, RecordFacts facts,
           RecordExpressions expressions)
      : format_(format),
        input_(input),
        facts_(std::move(facts)),
        expressions_(std::move(expressions)),
        group_part_(GroupPartOf(format.spec_)),
        names_(NamesOf(format.spec_, expressions_)),
        fields_(names_) {
    found_.bytes_done = input.from_byte;
    found_.records_done = input.from_record;
  }

  absl::StatusOr<size_t> Consume(std::string_view window, int64_t offset, bool last) {
    size_t at = offset == 0 && window.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    // A growing file may still grow: only a line end ends its last line.
    const bool ends = last && !format_.spec_.append;
    while (at < window.size()) {
      if (!runs_on_ && window[at] == '\0') {
        at += TakeZeros(window.substr(at), offset + static_cast<int64_t>(at));
        continue;
      }
      if (num_zeros_ > 0) {
        AddLost(std::exchange(num_zeros_, 0), zeros_from_);
        if (EndsPiece(offset + static_cast<int64_t>(at))) return Cancelled("the piece is full");
      }
      const size_t line_end = window.find('\n', at);
      const bool whole = line_end != std::string_view::npos;
      const std::string_view line = window.substr(at, whole ? line_end - at : line_end);
      // One byte more than a line may have: it may be part of the line's end.
      if (!whole && !ends && !runs_on_ && line.size() <= format_.max_record_ + 1) break;
      TakeLine(line, offset + static_cast<int64_t>(at), whole || ends);
      at += line.size() + (whole ? 1 : 0);
      if (EndsPiece(offset + static_cast<int64_t>(at))) return Cancelled("the piece is full");
    }
    found_.bytes_done = offset + static_cast<int64_t>(at);
    found_.num_bytes = offset + static_cast<int64_t>(last ? window.size() : at);
    return at;
  }

  IndexedFile Finish() {
    if (num_zeros_ > 0) {
      found_.AddRemark(
          fmt::format("the file ends with '{}' zeros, which are not a record", num_zeros_),
          /*num_members=*/0);
      // A growing file may continue in their place, or after them.
      if (format_.spec_.append) found_.bytes_done -= num_zeros_;
    }
    // An over-long line that is still being written is read again, from its beginning: what follows
    // of it must not pass for a line.
    if (runs_on_ && format_.spec_.append) {
      found_.RemoveLastBad();
      --found_.records_done;
      found_.bytes_done = long_from_;
    }
    found_.tallies = expressions_.Tallies();
    return std::move(found_);
  }

 private:
  // Whether the piece is full when it is read up to `end`.
  bool EndsPiece(int64_t end) {
    found_.more = !runs_on_ && IsFull(input_, found_.records_done, end);
    if (found_.more) found_.bytes_done = found_.num_bytes = end;
    return found_.more;
  }

  // A line, or as much of an over-long one as the window holds.
  void TakeLine(std::string_view line, int64_t offset, bool whole) {
    const bool is_rest = runs_on_;
    runs_on_ = !whole;
    if (is_rest) return;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > format_.max_record_) {
      long_from_ = offset;
      found_.AddBad(found_.records_done++, "the line is longer than format.max_record");
      return;
    }
    if (IsBlank(line)) return;
    if (line.find('\0') != std::string_view::npos) return TakeParts(line, offset);
    const int64_t position = found_.records_done++;
    if (const absl::Status status = TakeRecord(line, offset, position); !status.ok()) {
      found_.AddBad(position, std::string(status.message()));
    }
  }

  // Takes the zeros at the front, where a line should begin. Returns how many there are.
  size_t TakeZeros(std::string_view bytes, int64_t offset) {
    const size_t count = std::min(bytes.find_first_not_of('\0'), bytes.size());
    if (num_zeros_ == 0) zeros_from_ = offset;
    num_zeros_ += static_cast<int64_t>(count);
    return count;
  }

  void AddLost(int64_t num_bytes, int64_t offset) {
    found_.AddZeroed(found_.records_done++, num_bytes,
                     fmt::format("{} bytes from byte {} on are zeros, or parts of lines beside "
                                 "zeros",
                                 num_bytes, offset));
  }

  // Takes the records between the zeros of a line. The bytes between two of them are one loss, so
  // that no window of a series goes across it.
  void TakeParts(std::string_view line, int64_t offset) {
    int64_t lost = 0, lost_from = offset;
    for (size_t from = 0; from < line.size();) {
      const size_t to = std::min(line.find('\0', from), line.size());
      const size_t next = std::min(line.find_first_not_of('\0', to), line.size());
      const int64_t position = found_.records_done + (lost > 0 ? 1 : 0);
      const int64_t here = offset + static_cast<int64_t>(from);
      if (TakeRecord(line.substr(from, to - from), here, position).ok()) {
        if (lost > 0) AddLost(lost, lost_from);
        ++found_.records_done;
        lost_from = offset + static_cast<int64_t>(to);
        lost = static_cast<int64_t>(next - to);
      } else {
        lost += static_cast<int64_t>(next - from);
      }
      from = next;
    }
    if (lost > 0) AddLost(lost, lost_from);
  }

  absl::Status TakeRecord(std::string_view line, int64_t offset, int64_t position) {
    RETURN_IF_ERROR(Annotate(fields_.Read(line), "the line"));
    const auto text = [&](size_t part) { return TextOf(fields_.values()[part], names_[part]); };
    ASSIGN_OR_RETURN(const std::optional<SampleFacts> facts,
                     expressions_.FactsOf([&](size_t field) { return Operand(field); },
                                          [&] { return facts_.TimeOf(position, text); },
                                          [&] { return facts_.LabelOf(text); },
                                          ForeignRecord::At(position, input_, found_)));
    if (!facts) {
      ++found_.num_filtered;
      return absl::OkStatus();
    }
    if (group_part_) {
      ASSIGN_OR_RETURN(const std::string_view group, text(*group_part_));
      found_.groups.push_back(groups_.Of(group));
    }
    found_.AddGood(position, offset, line, facts->time, facts->label);
    return absl::OkStatus();
  }

  // What an expression reads.
  absl::StatusOr<std::optional<std::string_view>> Operand(size_t field) const {
    const size_t part = names_.size() - expressions_.fields().size() + field;
    const JsonValue& value = fields_.values()[part];
    if (IsSingle(value)) return value.text;
    if (value.kind != JsonValue::Kind::kNested) return std::nullopt;
    return InvalidArgument("field {} is a list or an object", names_[part]);
  }

  // Time, label, the group of a series and, after them, what the expressions read.
  static std::vector<std::string> NamesOf(const DatasetSpec& spec,
                                          const RecordExpressions& expressions) {
    std::vector<std::string> names = NamedFields(spec);
    if (GroupPartOf(spec)) names.push_back(*spec.series->group);
    names.insert(names.end(), expressions.fields().begin(), expressions.fields().end());
    return names;
  }
  static std::optional<size_t> GroupPartOf(const DatasetSpec& spec) {
    if (!spec.series || !spec.series->group) return std::nullopt;
    return NamedFields(spec).size();
  }

  const JsonlFiles& format_;
  const FileInput& input_;
  RecordFacts facts_;
  RecordExpressions expressions_;
  const std::optional<size_t> group_part_;
  const std::vector<std::string> names_;
  JsonFields fields_;
  bool runs_on_ = false;
  int64_t long_from_ = 0;  // Where the line begins that runs on.
  // The zeros before the line that begins next, and where they are.
  int64_t num_zeros_ = 0;
  int64_t zeros_from_ = 0;
  GroupNumbers groups_;
  IndexedFile found_;
};

JsonlFiles::JsonlFiles(const JsonlFormat& format, const DatasetSpec& spec, TimeReader times,
                       std::vector<CompiledExpression> expressions, UnpackedCache& files)
    : spec_(spec),
      max_record_(static_cast<size_t>(format.max_record.bytes)),
      times_(std::move(times)),
      labels_(spec.label),
      expressions_(std::move(expressions)),
      files_(files) {}

absl::StatusOr<IndexedFile> JsonlFiles::Index(const FileInput& input) const {
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(files::Join(input.root, input.path)));
  ASSIGN_OR_RETURN(RecordFacts facts,
                   RecordFacts::Create(spec_, times_, labels_, input, files_.source()));
  ASSIGN_OR_RETURN(RecordExpressions expressions,
                   RecordExpressions::Make(spec_, expressions_, labels_));
  Indexing indexing(*this, input, std::move(facts), std::move(expressions));
  const auto consume = [&](std::string_view window, int64_t offset, bool last) {
    return indexing.Consume(window, offset, last);
  };
  absl::Status status =
      ReadWindows(file, input.from_byte, consume, input.most_bytes, input.is_unwanted).status();
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  return indexing.Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const JsonlFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  ASSIGN_OR_RETURN(auto expressions, CompileExpressions(spec));
  return std::make_unique<JsonlFiles>(format, spec, std::move(times), std::move(expressions),
                                      files);
}

}  // namespace tidemill::storage
