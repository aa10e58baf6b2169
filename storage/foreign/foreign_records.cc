#include "storage/foreign/foreign_records.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/time.h"
#include "base/whole_io.h"
#include "records/text.h"
#include "storage/foreign/input_layout.h"
#include "storage/spec/label_reader.h"

// The way of a record is drawn in foreign_records.h.

namespace tidemill::storage {
namespace {

constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kStart = size_t{64} << 10;
constexpr size_t kMaxWholeFile = size_t{64} << 20;
constexpr char kStandardInput[] = "-";
// How often a wait for a pipe checks whether its records are still wanted.
constexpr int kLookMillis = 100;

absl::Status WhyNot(const std::string& path, int error) {
  const std::string what = fmt::format("cannot read {}: {}", path, std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return NotFound("{}", what);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(what);
  return InvalidArgument("{}", what);
}

absl::StatusOr<Descriptor> OpenToRead(const std::string& path) {
  const bool is_standard = path == kStandardInput;
  Descriptor file(is_standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return WhyNot(path, errno);
  return file;
}

// Appends up to `most` bytes. Returns false at the end.
absl::StatusOr<bool> ReadMore(const Descriptor& file, const std::string& path, size_t most,
                              std::string& bytes) {
  const size_t held = bytes.size();
  bytes.resize(held + most);
  const ssize_t count = ReadSome(file.number(), std::span(bytes).subspan(held));
  const int error = errno;
  bytes.resize(held + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0) return WhyNot(path, error);
  return count > 0;
}

// Whether there is something to read, or the end, within that time.
bool IsReadable(const Descriptor& file, int milliseconds = 0) {
  pollfd wanted = {.fd = file.number(), .events = POLLIN, .revents = 0};
  return ::poll(&wanted, 1, milliseconds) > 0;
}

absl::Status AwaitInput(const Descriptor& file, const std::stop_token& stop) {
  while (!IsReadable(file, kLookMillis)) {
    if (stop.stop_requested()) return Cancelled("nobody waits for the input any more");
  }
  return absl::OkStatus();
}

int64_t LongestRecordOf(const DatasetSpec& spec) {
  const auto fixed = spec.format->RecordBytes();
  return fixed ? *fixed : spec.format->MaxRecordBytes().value_or(int64_t{kMaxWholeFile});
}

std::vector<std::string> ColumnsOf(const DatasetSpec& spec) {
  return {spec.format->Columns().begin(), spec.format->Columns().end()};
}

// The spec for files elsewhere: what is beside a dataset's files does not exist, and a record
// without a label is a record.
DatasetSpec ForForeign(DatasetSpec spec) {
  const EventTimeSpec& time = spec.event_time;
  if (time.path || time.sidecar || time.member || time.exif) spec.event_time = {};
  LabelSpec& label = spec.label;
  label.file.reset();
  label.sidecar.reset();
  label.member.reset();
  if (spec.format->Unit() != SampleUnit::kWholeFile) label.folder = false;
  label.unlabelled.reset();
  if (std::ranges::find(label.missing, "") == label.missing.end()) label.missing.emplace_back();
  spec.append = false;
  spec.max_bad_fraction = 1;
  return spec;
}

}  // namespace

ForeignRecords::ForeignRecords(DatasetSpec spec, ForeignOptions options)
    : spec_(std::move(spec)), options_(std::move(options)) {}

ForeignRecords::~ForeignRecords() = default;

absl::StatusOr<std::unique_ptr<ForeignRecords>> ForeignRecords::Open(const DatasetSpec& spec,
                                                                     ForeignOptions options) {
  if (options.inputs.empty()) return InvalidArgument("there is no input");
  std::unique_ptr<ForeignRecords> records(new ForeignRecords(ForForeign(spec), std::move(options)));
  RETURN_IF_ERROR(records->OpenInput());
  return records;
}

absl::Status ForeignRecords::Check(const std::vector<std::string>& inputs) {
  if (inputs.empty()) return InvalidArgument("there is no input");
  if (inputs.size() > 1 || inputs.front() == kStandardInput) return absl::OkStatus();
  RETURN_IF_ERROR(OpenToRead(inputs.front()).status());
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(inputs.front(), error);
  if (is_file && std::filesystem::is_empty(inputs.front(), error)) {
    return InvalidArgument("{} is empty", inputs.front());
  }
  return absl::OkStatus();
}

absl::Status ForeignRecords::OpenInput() {
  if (spec_.format->Unit() == SampleUnit::kMembers) {
    return InvalidArgument(
        "samples of the model's dataset are members of archives; give a dataset with --dataset");
  }
  if (spec_.format->Unit() == SampleUnit::kWholeFile) return absl::OkStatus();
  if (options_.inputs.size() != 1) {
    return InvalidArgument(
        "{} inputs are given, but the records of {} come from one file; run the command once for "
        "each file",
        options_.inputs.size(), spec_.format.type());
  }
  ASSIGN_OR_RETURN(input_, OpenToRead(options_.inputs.front()));
  RETURN_IF_ERROR(Sniff());
  RETURN_IF_ERROR(spool_.Create());
  ASSIGN_OR_RETURN(files_, UnpackedCache::Create({.folder = {}}, spool_));
  ASSIGN_OR_RETURN(complete_, MakeFormat(spec_, *files_, WindowLabels::kWhereKnown));
  DatasetSpec growing = spec_;
  growing.append = true;
  ASSIGN_OR_RETURN(growing_, MakeFormat(growing, *files_));
  piece_ = {.root = Spool::kFolder, .path = Spool::kName};
  const std::optional<DelimitedText> text = spec_.format->Delimited();
  if (converter_ == nullptr || !text || !text->header) return absl::OkStatus();
  // Converted text has the dataset's own header.
  const std::unique_ptr<RowConverter> header = ConvertCsv({.columns = ColumnsOf(spec_)}, spec_);
  ConvertedRows line;
  std::string names;
  for (const std::string& name : ColumnsOf(spec_)) {
    std::string quoted = "\"";
    for (const char byte : name) quoted += byte == '"' ? "\"\"" : std::string(1, byte);
    names += (names.empty() ? "" : ",") + quoted + "\"";
  }
  header->Convert(names + "\n", /*last=*/true, line);
  return spool_.Append(line.text);
}

absl::Status ForeignRecords::Sniff() {
  const std::string& path = options_.inputs.front();
  bool has_more = true;
  // A pipe need not have more than its first rows yet, and the first row may be long.
  const auto wants_more = [&] {
    if (HasFirstRow(spec_, bytes_)) return bytes_.size() < kStart && IsReadable(input_);
    return bytes_.size() < MaxFirstRow(spec_);
  };
  while (has_more && wants_more()) {
    ASSIGN_OR_RETURN(has_more, ReadMore(input_, path, kStart, bytes_));
  }
  ASSIGN_OR_RETURN(
      InputLayout layout,
      ChooseLayout(spec_, {.path = path, .header = options_.header, .fields = options_.fields},
                   bytes_));
  spec_ = std::move(layout.spec);
  converter_ = std::move(layout.converter);
  missing_columns_ = std::move(layout.missing_columns);
  notes_ = std::move(layout.notes);
  return absl::OkStatus();
}

absl::StatusOr<bool> ForeignRecords::Next(int64_t most, ForeignBlock& block,
                                          const std::stop_token& stop) {
  block = {};
  if (spec_.format->Unit() == SampleUnit::kWholeFile) return NextFile(block, most);
  const auto num_rows = [&] { return std::ssize(block.rows) + std::ssize(block.left_out); };
  while (num_rows() < most && !is_done_) {
    // Rows that have come do not wait for those that have not.
    if (num_rows() > 0 && NeedsInput() && !IsReadable(input_)) break;
    if (next_position_ == found_.records_done) RETURN_IF_ERROR(Index(most - num_rows(), stop));
    RETURN_IF_ERROR(Take(most - num_rows(), block));
    if (next_position_ == found_.records_done) EndPiece();
    // They count, so that a file without a good row does not fill the memory.
    Release(block);
  }
  return num_rows() > 0;
}

absl::Status ForeignRecords::Index(int64_t most, const std::stop_token& stop) {
  // A series is one piece, because its windows overlap.
  while (spec_.series && !is_at_end_) RETURN_IF_ERROR(Fill(stop));
  if (NeedsInput()) RETURN_IF_ERROR(FillMore(stop));
  if (!spec_.series) piece_.max_records = most;
  piece_.present = Now();
  ASSIGN_OR_RETURN(piece_.identity, spool_.IdentityOf(files::Join(piece_.root, piece_.path)));
  ASSIGN_OR_RETURN(found_, (is_at_end_ ? *complete_ : *growing_).Index(piece_));
  next_good_ = next_bad_ = next_unknown_ = 0;
  if (!found_.misfit.empty()) return InvalidArgument("{}", found_.misfit);
  const bool is_stuck = !is_at_end_ && found_.records_done == piece_.from_record;
  const int64_t num_unread = spool_.size() - found_.bytes_done;
  if (is_stuck && num_unread > 2 * LongestRecordOf(spec_) + int64_t{kChunk}) return GiveUpRecord();
  return absl::OkStatus();
}

absl::Status ForeignRecords::GiveUpRecord() {
  const int64_t max_record = LongestRecordOf(spec_);
  const auto kind = spec_.format->Payload();
  if (kind != batch::PayloadKind::kCsv && kind != batch::PayloadKind::kJson) {
    return InvalidArgument(
        "{}: no record ends within the {} bytes from byte {} on; a record has at "
        "most {}",
        options_.inputs.front(), NumPending(), piece_.from_byte, max_record);
  }
  found_ = {};
  found_.records_done = piece_.from_record + 1;
  found_.bytes_done = spool_.size();
  found_.AddBad(piece_.from_record,
                fmt::format("it is longer than format.max_record of the dataset, {} bytes, and its "
                            "line has no end in them",
                            max_record));
  skips_row_ = true;
  return absl::OkStatus();
}

absl::Status ForeignRecords::FillMore(const std::stop_token& stop) {
  const int64_t before = NumPending();
  do {
    RETURN_IF_ERROR(Fill(stop));
    // What is converted has ends.
  } while (converter_ == nullptr && !is_at_end_ && NumPending() < 2 * before && IsReadable(input_));
  return absl::OkStatus();
}

void ForeignRecords::SkipRest() {
  const size_t line_end = bytes_.find_first_of("\r\n");
  skips_row_ = line_end == std::string::npos;
  bytes_.erase(0, line_end);
}

void ForeignRecords::EndPiece() {
  piece_.from_byte = found_.bytes_done;
  piece_.from_record = found_.records_done;
  spool_.Forget(found_.bytes_done);
  is_done_ = is_at_end_ && !found_.more;
}

absl::Status ForeignRecords::Fill(const std::stop_token& stop) {
  // What was sniffed comes first.
  if (bytes_.empty() || is_sniffed_used_) {
    RETURN_IF_ERROR(AwaitInput(input_, stop));
    ASSIGN_OR_RETURN(const bool has_more,
                     ReadMore(input_, options_.inputs.front(), kChunk, bytes_));
    is_at_end_ = !has_more;
  }
  is_sniffed_used_ = true;
  if (skips_row_) SkipRest();
  if (converter_ == nullptr) {
    RETURN_IF_ERROR(spool_.Append(bytes_));
    bytes_.clear();
    return absl::OkStatus();
  }
  ConvertedRows converted;
  bytes_.erase(0, converter_->Convert(bytes_, is_at_end_, converted));
  rows_.insert(rows_.end(), converted.rows.begin(), converted.rows.end());
  std::ranges::move(converted.left_out, std::back_inserter(pending_));
  return spool_.Append(converted.text);
}

bool ForeignRecords::NeedsInput() const {
  return next_position_ == found_.records_done && !found_.more && !is_at_end_;
}

int64_t ForeignRecords::RowOf(int64_t position) const {
  if (converter_ == nullptr) return position + 1;
  return rows_[static_cast<size_t>(position - first_position_)];
}

absl::Status ForeignRecords::Take(int64_t most, ForeignBlock& block) {
  const PayloadCut cut = CutOf(spec_);
  const int64_t end = std::min(found_.records_done, next_position_ + most);
  const auto end_good = static_cast<size_t>(
      std::lower_bound(found_.positions.begin() + static_cast<std::ptrdiff_t>(next_good_),
                       found_.positions.end(), end) -
      found_.positions.begin());
  int64_t offset = 0;
  std::string bytes;
  if (next_good_ < end_good) {
    offset = found_.rows.byte_from[next_good_];
    ASSIGN_OR_RETURN(bytes, spool_.Read(offset, found_.rows.byte_to[end_good - 1]));
  }
  for (; next_position_ < end; ++next_position_) {
    const int64_t position = next_position_;
    if (next_good_ < end_good && found_.positions[next_good_] == position) {
      const size_t good = next_good_++;
      const int64_t from = found_.rows.byte_from[good];
      std::string& record =
          block.records.emplace_back(bytes, static_cast<size_t>(from - offset),
                                     static_cast<size_t>(found_.rows.byte_to[good] - from));
      record.erase(static_cast<size_t>(cut.offset), static_cast<size_t>(cut.size));
      block.rows.push_back(RowOf(position));
      block.event_times.push_back(found_.rows.event_time[good]);
      block.class_labels.push_back(found_.rows.class_label[good]);
      block.real_labels.push_back(found_.rows.real_label[good]);
      TakeUnknown(position, block);
    } else if (next_bad_ < found_.bad.size() && found_.bad[next_bad_].position == position) {
      block.left_out.push_back({RowOf(position), found_.bad[next_bad_++].reason});
    } else {
      block.left_out.push_back(
          {RowOf(position),
           spec_.series ? "no window of the series ends here" : "`where` of the dataset filters it",
           /*filtered=*/true});
    }
  }
  if (converter_ != nullptr) {
    rows_.erase(rows_.begin(), rows_.begin() + (next_position_ - first_position_));
    first_position_ = next_position_;
  }
  return absl::OkStatus();
}

void ForeignRecords::TakeUnknown(int64_t position, ForeignBlock& block) {
  const std::vector<UnknownFact>& unknown = found_.unknown;
  for (; next_unknown_ < unknown.size() && unknown[next_unknown_].record <= position;
       ++next_unknown_) {
    // Missing fields of a row that gave no record are not reported.
    if (unknown[next_unknown_].record < position) continue;
    block.unknown.push_back(unknown[next_unknown_]);
    block.unknown.back().record = block.rows.back();
  }
  if (spec_.format->Payload() == batch::PayloadKind::kCsv && !IsText(block.records.back())) {
    block.unknown.push_back({.record = block.rows.back(), .kind = UnknownFact::Kind::kEncoding});
  }
}

void ForeignRecords::Release(ForeignBlock& block) {
  const int64_t end = rows_.empty() ? std::numeric_limits<int64_t>::max() : rows_.front();
  while (!pending_.empty() && pending_.front().row < end) {
    block.left_out.push_back(std::move(pending_.front()));
    pending_.pop_front();
  }
  std::ranges::stable_sort(block.left_out, {}, &UnansweredRow::row);
}

absl::StatusOr<bool> ForeignRecords::NextFile(ForeignBlock& block, int64_t most) {
  const LabelReader labels(spec_.label);
  int64_t num_bytes = 0;
  while (next_input_ < options_.inputs.size() && std::ssize(block.rows) < most &&
         num_bytes < static_cast<int64_t>(kChunk)) {
    const std::string& path = options_.inputs[next_input_++];
    const auto row = static_cast<int64_t>(next_input_);
    const auto file = OpenToRead(path);
    std::string bytes;
    absl::StatusOr<bool> has_more = file.ok() ? absl::StatusOr<bool>(true) : file.status();
    while (has_more.ok() && *has_more && bytes.size() <= kMaxWholeFile) {
      has_more = ReadMore(*file, path, kChunk, bytes);
    }
    std::string problem;
    if (!has_more.ok()) problem = std::string(has_more.status().message());
    if (bytes.size() > kMaxWholeFile) {
      problem = fmt::format("{} is larger than {} MiB", path, kMaxWholeFile >> 20);
    } else if (problem.empty() && bytes.empty()) {
      problem = fmt::format("{} is empty", path);
    }
    if (!problem.empty()) {
      block.left_out.push_back({row, std::move(problem)});
      continue;
    }
    num_bytes += std::ssize(bytes);
    Label label;
    if (spec_.label.folder) {
      // A folder that is none of the classes says nothing about the label.
      label = labels.FromText(std::filesystem::path(path).parent_path().filename().string())
                  .value_or(Label());
    }
    block.records.push_back(std::move(bytes));
    block.rows.push_back(row);
    block.event_times.push_back(Now().micros);
    block.class_labels.push_back(label.class_label);
    block.real_labels.push_back(label.real_label);
  }
  return !block.rows.empty() || !block.left_out.empty();
}

}  // namespace tidemill::storage
