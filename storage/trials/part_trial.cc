#include "storage/trials/part_trial.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/files.h"
#include "storage/spec/dataset_expressions.h"

namespace tidemill::storage {

namespace {

constexpr auto kPiece = static_cast<int64_t>(kHeadBytes);
// A record that is too long, such as a hole in a file, is looked at no farther.
constexpr int64_t kMaxReadBytes = int64_t{128} << 20;
constexpr int64_t kMaxSampleBytes = int64_t{32} << 20;

// Rows of a series are tried one by one.
DatasetSpec OfRows(const DatasetSpec& spec) {
  DatasetSpec rows = spec;
  rows.label = EffectiveLabel(spec);
  rows.series.reset();
  return rows;
}

// Whether a record may be bad only because it was cut where it does not begin.
bool IsOfCutting(const LeftOutReason& reason) {
  for (const std::string_view part : {"fields where", "quote", "max_record", "longer than"}) {
    if (reason.first_reason.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<PartTrial> PartTrial::Create(const DatasetSpec& spec, TriedFiles& files) {
  PartTrial trial(OfRows(spec), files);
  ASSIGN_OR_RETURN(trial.format_, MakeFormat(trial.spec_, files.unpacked()));
  trial.in_pieces_ = trial.format_->ReadsInPieces();
  DatasetSpec growing = trial.spec_;
  growing.append = true;
  ASSIGN_OR_RETURN(trial.format_of_cut_, MakeFormat(growing, files.unpacked()));
  return trial;
}

void PartTrial::Try(const ListedFile& file, std::vector<TriedPart>& parts) {
  FileInput input{.root = spec_.path, .path = file.path, .identity = file.identity};
  parts.push_back(TryStart(input));
  if (!in_pieces_ || !parts.back().refusal.empty()) return;
  const std::string path = files::Join(spec_.path, file.path);
  const absl::StatusOr<OpenFile> open = files_.Open(path);
  if (!open.ok() || open->is_remote()) return;  // Only the beginning of a packed file is seen.
  const int64_t size = file.identity.size_bytes;
  int64_t seen = parts.back().to_byte;
  for (const int64_t offset : {(size - kPiece) / 2, size - kPiece}) {
    if (size - kPiece <= kPiece && offset < size - kPiece) continue;  // Too small for a middle.
    if (std::max(offset, seen) >= size) continue;
    TryFrom(input, std::max(offset, seen), parts);
    seen = std::max(seen, parts.back().to_byte);
  }
}

TriedPart PartTrial::TryStart(const FileInput& input) const {
  FileInput start = input;
  start.max_bytes = kPiece;
  start.most_bytes = kMaxReadBytes;
  const absl::StatusOr<bool> cut = files_.IsCut(files::Join(spec_.path, input.path));
  if (!cut.ok()) return Judge(start, cut.status());
  return Judge(start, (*cut ? format_of_cut_ : format_)->Index(start));
}

void PartTrial::TryFrom(FileInput input, int64_t offset, std::vector<TriedPart>& parts) const {
  const absl::StatusOr<OpenFile> file = files_.Open(files::Join(spec_.path, input.path));
  if (!file.ok()) return;
  const auto starts = format_->FindRecords(*file, offset);
  if (!starts.ok()) return;
  input.max_bytes = kPiece;
  input.most_bytes = kMaxReadBytes;
  std::optional<IndexedFile> best;
  FileInput best_input;
  for (const RecordStart& start : starts->candidates) {
    input.from_byte = start.byte;
    input.from_record = start.record;
    if (start.byte >= input.identity.size_bytes) continue;
    auto found = format_->Index(input);
    if (!found.ok() || (best && best->num_bad <= found->num_bad)) continue;
    best = *std::move(found);
    best_input = input;
  }
  if (best) parts.push_back(Judge(best_input, *std::move(best), starts->uncertain));
}

TriedPart PartTrial::Judge(const FileInput& input, const absl::StatusOr<IndexedFile>& found,
                           bool uncertain) const {
  TriedPart part{.file = input.path, .from_byte = input.from_byte, .to_byte = input.from_byte};
  if (!found.ok()) {
    part.refusal = std::string(found.status().message());
    return part;
  }
  part.to_byte = found->bytes_done;
  part.refusal = found->misfit;
  for (const LeftOutReason& reason : found->left_out.items()) {
    if (reason.wanted || (uncertain && IsOfCutting(reason))) continue;
    part.reasons.push_back({.reason = reason.first_reason, .num_records = reason.num_records});
    part.num_left_out += reason.num_records;
  }
  part.num_filtered = found->num_filtered;
  part.num_records = found->rows.num_rows() + part.num_left_out + part.num_filtered;
  TakeValues(*found, part);
  TakeSamples(input, *found, part);
  return part;
}

void PartTrial::TakeValues(const IndexedFile& found, TriedPart& part) const {
  for (const DatasetExpression& each : ExpressionsOf(spec_)) {
    const auto tally = std::ranges::find(found.tallies, each.role, &ExpressionTally::role);
    if (tally == found.tallies.end()) continue;
    part.expressions.push_back({.key = std::string(each.key),
                                .text = each.text,
                                .num_values = tally->num_values,
                                .num_null = tally->num_null,
                                .num_bad = tally->num_bad,
                                .first_mistake = tally->first_mistake,
                                .first_values = tally->first_values});
  }
}

void PartTrial::TakeSamples(const FileInput& input, const IndexedFile& found,
                            TriedPart& part) const {
  const auto file = files_.unpacked().Open(files::Join(spec_.path, input.path));
  if (!file.ok()) return;
  const PayloadCut cut = CutOf(spec_);
  int64_t num_bytes = 0;
  for (size_t row = 0; row < found.positions.size(); ++row) {
    const int64_t size = found.rows.byte_to[row] - found.rows.byte_from[row];
    num_bytes += size;
    if (num_bytes > kMaxSampleBytes) return;
    std::string bytes(static_cast<size_t>(size), '\0');
    const auto count = file->ReadAt(found.rows.byte_from[row], bytes.data(), bytes.size());
    if (!count.ok() || *count != bytes.size()) return;
    bytes.erase(static_cast<size_t>(cut.offset), static_cast<size_t>(cut.size));
    part.samples.push_back({.bytes = std::move(bytes),
                            .event_time = found.rows.event_time[row],
                            .class_label = found.rows.class_label[row],
                            .real_label = found.rows.real_label[row]});
  }
}

}  // namespace tidemill::storage
