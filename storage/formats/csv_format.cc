#include "storage/spec/formats/csv_format.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "records/csv_header.h"
#include "records/csv_splitter.h"
#include "records/file_kind.h"
#include "records/skipped_lines.h"
#include "records/text.h"
#include "storage/formats/csv_indexing.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/record_starts.h"
#include "storage/formats/window_reader.h"

namespace tidemill::storage {

namespace {

// One record, which may span lines, is a sample; its payload is the record without its line end.
class CsvFiles final : public Format {
 public:
  // `spec` names the columns; see CompleteSpec.
  CsvFiles(const CsvFormat& format, const DatasetSpec& spec, TimeReader times,
           std::vector<CompiledExpression> expressions, UnpackedCache& files)
      : reading_(format.Delimited(), spec, std::move(times), std::move(expressions)),
        files_(files) {}

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return reading_.spec.append; }
  bool ReadsInPieces() const override { return true; }
  absl::StatusOr<RecordStarts> FindRecords(const OpenFile& file, int64_t offset) const override {
    return FindLines(file, offset, reading_.text.dialect.quote);
  }

 private:
  const CsvReading reading_;
  UnpackedCache& files_;
};

absl::StatusOr<IndexedFile> CsvFiles::Index(const FileInput& input) const {
  const DatasetSpec& spec = reading_.spec;
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(files::Join(input.root, input.path)));
  ASSIGN_OR_RETURN(const std::optional<FileTimes> times,
                   TimesOf(spec, reading_.times, input, files_.source()));
  ASSIGN_OR_RETURN(const std::optional<Label> label,
                   LabelOf(spec, reading_.labels, input, files_.source()));
  ASSIGN_OR_RETURN(RecordExpressions expressions,
                   RecordExpressions::Make(spec, reading_.expressions, reading_.labels));
  CsvIndexing indexing(reading_, input, times, label, std::move(expressions));
  const auto consume = [&](std::string_view window, int64_t offset, bool last) {
    return indexing.Consume(window, offset, last);
  };
  absl::Status status =
      ReadWindows(file, input.from_byte, consume, input.most_bytes, input.is_unwanted).status();
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  return indexing.Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const CsvFormat& format, const DatasetSpec& spec,
                                                   UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  ASSIGN_OR_RETURN(auto expressions, CompileExpressions(spec));
  return std::make_unique<CsvFiles>(format, spec, std::move(times), std::move(expressions), files);
}

absl::StatusOr<std::vector<std::string>> ReadColumns(const CsvFormat& format,
                                                     const OpenFile& file) {
  const DelimitedText text = format.Delimited();
  const CsvSplitter splitter(text.dialect, static_cast<size_t>(text.max_record_bytes));
  std::vector<std::string> names;
  std::optional<FileKind> kind;
  SkippedLines skipped(text.skip);
  bool bad = false;
  // A header without a line end may be half written, and has no records after it.
  const auto consume = [&](std::string_view window, int64_t offset,
                           bool last) -> absl::StatusOr<size_t> {
    if (offset == 0) kind = KindOfFile(window);
    size_t at = offset == 0 && window.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    if (!kind) at += skipped.Skip(window.substr(at), last);
    if (!kind && !skipped.IsDone()) return at;
    CsvRecord record;
    while (names.empty() && !bad && !kind && at < window.size()) {
      splitter.First(window.substr(at), /*last=*/false, record);
      if (record.kind == CsvRecord::Kind::kIncomplete) return at;
      bad = record.kind == CsvRecord::Kind::kBad;
      for (const CsvField& field : record.fields) {
        names.push_back(Unquote(field, text.dialect.quote));
      }
      at += record.size;
    }
    // The rest of the file is of no interest; see below.
    if (names.empty() && !bad && !kind) return at;
    return Cancelled("the header is known");
  };
  absl::Status status = ReadWindows(file, 0, consume).status();
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  if (kind) return InvalidArgument("{} is not a CSV file, {}", file.path(), kind->Explain());
  if (bad || names.empty()) return InvalidArgument("{} has no complete header", file.path());
  if (const auto problem = ProblemOfNames(names)) {
    return InvalidArgument("the header of {} {}", file.path(), *problem);
  }
  return names;
}

}  // namespace tidemill::storage
