#include "storage/client/formats/csv_format.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "records/csv_splitter.h"
#include "records/text.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/series_view.h"
#include "storage/formats/window_reader.h"

namespace tidemill::storage {

namespace {

std::optional<char> QuoteOf(const CsvFormat& format) {
  return format.quote.empty() ? std::nullopt : std::optional<char>(format.quote.front());
}

CsvSplitter SplitterOf(const CsvFormat& format) {
  return {format.delimiter.front(), QuoteOf(format), static_cast<size_t>(format.max_record.bytes)};
}

std::optional<size_t> PlaceOf(const std::vector<std::string>& names,
                              const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), *name);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

absl::Status CheckHeader(const std::string& path, const std::vector<std::string>& names) {
  std::set<std::string_view> known;
  for (const std::string& name : names) {
    if (!IsText(name)) {
      return InvalidArgument("the header of {} names '{}', which is not UTF-8 text", path,
                             AsText(name));
    }
    if (!known.insert(name).second) {
      return InvalidArgument("the header of {} names '{}' twice", path, name);
    }
  }
  return absl::OkStatus();
}

// One record, which may span lines, is a sample; its payload is the record without its line end.
class CsvFiles final : public Format {
 public:
  // `spec` names the columns; see CompleteSpec.
  CsvFiles(const CsvFormat& format, const DatasetSpec& spec, TimeReader times,
           UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }
  absl::StatusOr<RecordStarts> FindRecords(const OpenFile& file, int64_t offset) const override {
    return FindLines(file, offset, QuoteOf(format_));
  }

 private:
  class Indexing;

  const DatasetSpec spec_;
  const CsvFormat format_;
  const CsvSplitter splitter_;
  const TimeReader times_;
  const LabelReader labels_;
  std::vector<size_t> time_columns_;
  std::optional<size_t> label_column_;
  std::optional<size_t> group_column_;  // Of a series.
  UnpackedCache& files_;
};

// The indexing of one file.
class CsvFiles::Indexing {
 public:
  Indexing(const CsvFiles& format, const FileInput& input, std::optional<FileTimes> file_times,
           std::optional<Label> file_label)
      : format_(format), input_(input), file_times_(file_times), file_label_(file_label) {
    found_.bytes_done = input.from_byte;
    found_.records_done = input.from_record;
    at_start_ = input.from_byte == 0;
    expects_header_ = at_start_ && format.format_.header;
  }

  absl::StatusOr<size_t> Consume(std::string_view window, int64_t offset, bool last) {
    size_t at = at_start_ && window.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    at_start_ = false;
    while (at < window.size()) {
      if (runs_on_) {
        SkipRest(window, at);
        continue;
      }
      // What grows may still grow: only a line end ends its last record.
      format_.splitter_.First(window.substr(at), last && !format_.spec_.append, record_);
      if (record_.kind == CsvRecord::Kind::kIncomplete) break;
      RETURN_IF_ERROR(Take(window.substr(at, record_.content), offset + static_cast<int64_t>(at)));
      at += record_.size;
      found_.more = !runs_on_ && !expects_header_ &&
                    IsFull(input_, found_.records_done, offset + static_cast<int64_t>(at));
      if (found_.more) {
        found_.bytes_done = offset + static_cast<int64_t>(at);
        return Cancelled("the piece is full");
      }
    }
    // Until its header is whole a file is read from its beginning.
    if (!expects_header_) found_.bytes_done = offset + static_cast<int64_t>(at);
    return at;
  }

  IndexedFile Finish() {
    // An over-long record that is still being written is read again, from its beginning: what
    // follows of it must not pass for a record.
    if (runs_on_ && format_.spec_.append) {
      found_.RemoveLastBad();
      --found_.records_done;
      found_.bytes_done = long_from_;
    }
    return std::move(found_);
  }

 private:
  void SkipRest(std::string_view window, size_t& at) {
    const size_t line_end = window.find('\n', at);
    runs_on_ = line_end == std::string_view::npos;
    at = runs_on_ ? window.size() : line_end + 1;
  }

  absl::Status Take(std::string_view bytes, int64_t offset) {
    if (record_.kind == CsvRecord::Kind::kBlank) return absl::OkStatus();
    runs_on_ = record_.runs_on;
    if (runs_on_) long_from_ = offset;
    if (expects_header_) return TakeHeader();
    const int64_t position = found_.records_done++;
    if (record_.kind == CsvRecord::Kind::kBad) {
      found_.AddBad(position, record_.reason);
    } else if (absl::Status status = TakeRecord(bytes, offset, position); !status.ok()) {
      found_.AddBad(position, std::string(status.message()));
    }
    return absl::OkStatus();
  }

  absl::Status TakeHeader() {
    expects_header_ = false;
    std::vector<std::string> names;
    for (const CsvField& field : record_.fields) {
      names.push_back(Unquote(field, QuoteOf(format_.format_)));
    }
    if (record_.kind == CsvRecord::Kind::kBad || names != format_.format_.columns) {
      return InvalidArgument("the header is [{}], but the dataset has [{}]", fmt::join(names, ", "),
                             fmt::join(format_.format_.columns, ", "));
    }
    return absl::OkStatus();
  }

  absl::Status TakeRecord(std::string_view bytes, int64_t offset, int64_t position) {
    const std::vector<std::string>& columns = format_.format_.columns;
    if (record_.fields.size() != columns.size()) {
      return InvalidArgument("{} fields where {} columns are expected", record_.fields.size(),
                             columns.size());
    }
    Label label = file_label_.value_or(Label{});
    if (format_.label_column_) {
      ASSIGN_OR_RETURN(label, format_.labels_.FromText(Field(*format_.label_column_)));
    }
    ASSIGN_OR_RETURN(const Timestamp time, TimeOf(position));
    if (format_.group_column_) {
      found_.groups.push_back(groups_.Of(Field(*format_.group_column_)));
    }
    found_.AddGood(position, offset, bytes, time, label);
    return absl::OkStatus();
  }

  absl::StatusOr<Timestamp> TimeOf(int64_t position) {
    if (format_.time_columns_.empty()) return file_times_->At(position);
    if (format_.time_columns_.size() == 1) {
      return format_.times_.Read(Field(format_.time_columns_.front()));
    }
    joined_.clear();
    for (size_t i = 0; i < format_.time_columns_.size(); ++i) {
      if (i > 0) joined_ += ' ';
      joined_ += Field(format_.time_columns_[i]);
    }
    return format_.times_.Read(joined_);
  }

  // The field's text; valid until the next call.
  std::string_view Field(size_t column) {
    const CsvField& field = record_.fields[column];
    if (!field.quoted) return field.text;
    unquoted_ = Unquote(field, QuoteOf(format_.format_));
    return unquoted_;
  }

  const CsvFiles& format_;
  const FileInput& input_;
  const std::optional<FileTimes> file_times_;
  const std::optional<Label> file_label_;
  bool at_start_ = true;
  bool expects_header_ = false;
  bool runs_on_ = false;
  int64_t long_from_ = 0;  // Where the record begins that runs on.
  CsvRecord record_;
  std::string unquoted_;
  GroupNumbers groups_;
  std::string joined_;
  IndexedFile found_;
};

CsvFiles::CsvFiles(const CsvFormat& format, const DatasetSpec& spec, TimeReader times,
                   UnpackedCache& files)
    : spec_(spec),
      format_(format),
      splitter_(SplitterOf(format_)),
      times_(std::move(times)),
      labels_(spec.label),
      label_column_(PlaceOf(format_.columns, spec.label.column)),
      group_column_(PlaceOf(format_.columns, spec.series ? spec.series->group : std::nullopt)),
      files_(files) {
  for (const std::string& name : spec.event_time.TimeFields()) {
    time_columns_.push_back(PlaceOf(format_.columns, name).value_or(0));
  }
}

absl::StatusOr<IndexedFile> CsvFiles::Index(const FileInput& input) const {
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(files::Join(input.root, input.path)));
  ASSIGN_OR_RETURN(const std::optional<FileTimes> times,
                   TimesOf(spec_, times_, input, files_.source()));
  ASSIGN_OR_RETURN(const std::optional<Label> label,
                   LabelOf(spec_, labels_, input, files_.source()));
  Indexing indexing(*this, input, times, label);
  const auto consume = [&](std::string_view window, int64_t offset, bool last) {
    return indexing.Consume(window, offset, last);
  };
  absl::Status status = ReadWindows(file, input.from_byte, consume).status();
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  return indexing.Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const CsvFormat& format, const DatasetSpec& spec,
                                                   UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  return std::make_unique<CsvFiles>(format, spec, std::move(times), files);
}

absl::StatusOr<std::vector<std::string>> ReadColumns(const CsvFormat& format,
                                                     const OpenFile& file) {
  const CsvSplitter splitter = SplitterOf(format);
  std::vector<std::string> names;
  bool bad = false;
  // A header without a line end may be half written, and has no records behind it.
  const auto consume = [&](std::string_view window, int64_t offset,
                           bool) -> absl::StatusOr<size_t> {
    size_t at = offset == 0 && window.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    CsvRecord record;
    while (names.empty() && !bad && at < window.size()) {
      splitter.First(window.substr(at), /*last=*/false, record);
      if (record.kind == CsvRecord::Kind::kIncomplete) return at;
      bad = record.kind == CsvRecord::Kind::kBad;
      for (const CsvField& field : record.fields) names.push_back(Unquote(field, QuoteOf(format)));
      at += record.size;
    }
    // The rest of the file is of no interest; see below.
    return names.empty() && !bad ? at : absl::StatusOr<size_t>(Cancelled("the header is known"));
  };
  absl::Status status = ReadWindows(file, 0, consume).status();
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  if (bad || names.empty()) return InvalidArgument("{} has no complete header", file.path());
  RETURN_IF_ERROR(CheckHeader(file.path(), names));
  return names;
}

}  // namespace tidemill::storage
