#include "storage/ingest/file_parser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/logs/log.h"
#include "base/numbers/thousands.h"
#include "records/file_kind.h"
#include "storage/catalog/left_out_table.h"
#include "storage/compression/content_hash.h"
#include "storage/compression/decoder.h"
#include "xxhash.h"

// What Parse() does with a file, by its change:
//
//   kNew        reads it, in pieces if the format can
//   kGrown      reads on after the last record taken, if the samples taken before are still there;
//               otherwise as kReplaced
//   kResumed    reads the next piece, and judges all pieces together
//   kReplaced   reads all of it, and compares it with its old segments
//   kVanished   reads nothing; its old segments are tombstoned
//
//   failed to read, or changed meanwhile    postponed: the next sync tries again
//   never readable, or too many bad         quarantined

namespace tidemill::storage {

namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
// The bytes to compare when a file has grown: in all, or for each byte that is new.
constexpr int64_t kLeastCompared = int64_t{32} << 20;
constexpr int64_t kComparedForGrowth = 4;
constexpr char kChangedMeanwhile[] = "it changed while it was read";
constexpr char kVanishedMeanwhile[] = "it vanished while it was read";

// The bytes at each end of what was taken of a growing file.
constexpr int64_t kEdgeBytes = kLeastCompared / 2;
constexpr int64_t kSumBlock = int64_t{1} << 18;

// Returns the sum of the first and the last bytes of [0, end). std::nullopt when the file does not
// have as many, or cannot be read.
std::optional<int64_t> EdgeSum(const OpenFile& file, int64_t end) {
  ContentHash hash;
  std::string block;
  for (int64_t at = 0; at < end; at += std::ssize(block)) {
    if (at >= kEdgeBytes && at < end - kEdgeBytes) at = end - kEdgeBytes;
    block.resize(static_cast<size_t>(std::min(kSumBlock, end - at)));
    const absl::StatusOr<size_t> got = file.ReadAt(at, block.data(), block.size());
    if (!got.ok() || *got < block.size()) return std::nullopt;
    hash.Add(block);
  }
  return static_cast<int64_t>(hash.Sum());
}

Postponement CannotRead(const absl::Status& status) {
  return {.changed = false,
          .reason = fmt::format("it cannot be read now: {}", std::string(status.message()))};
}

std::string SummaryOf(int64_t num_bad, int64_t num_records, int64_t lost_bytes, int64_t num_bytes) {
  std::string summary = fmt::format("{} of {} records are bad", num_bad, num_records);
  if (lost_bytes == 0) return summary;
  return fmt::format("{}, and {} hold no readable record", summary,
                     ShareOfBytes(lost_bytes, num_bytes));
}

// A file with too many bad records is not what the spec says it is. If the number of missing
// records is unknown, the bytes decide.
std::optional<std::string> TooManyBad(const DatasetSpec& spec, const PieceTally& before,
                                      const IndexedFile& found) {
  const int64_t num_bad = before.num_bad + found.num_bad;
  // Not every good record of a series is a sample.
  const int64_t num_good =
      std::max(static_cast<int64_t>(found.positions.size()), found.records_done - num_bad);
  const auto total = static_cast<double>(num_good + num_bad);
  const int64_t lost_bytes = before.lost_bytes + found.lost_bytes;
  const int64_t zeroed_bytes = before.zeroed_bytes + found.zeroed_bytes;
  const auto all_bytes = static_cast<double>(found.num_bytes - zeroed_bytes);
  if (static_cast<double>(num_bad) <= spec.max_bad_fraction * total &&
      static_cast<double>(lost_bytes - zeroed_bytes) <= spec.max_bad_fraction * all_bytes) {
    return std::nullopt;
  }
  std::string summary = SummaryOf(num_bad, num_good + num_bad, lost_bytes, found.num_bytes);
  // Later ones may not be listed any more.
  std::optional<BadRecord> first = before.first_bad;
  if (!first && !found.bad.empty()) first = found.bad.front();
  if (!first) return summary;
  return fmt::format("{}; record {}: {}", summary, first->position, first->reason);
}

// The part that is kept of a quarantined file whose records are known: how many there were, and why
// each of them is left out.
IndexedFile OnlyCounts(IndexedFile found, std::string_view why_sound_ones) {
  IndexedFile counts;
  counts.left_out = std::move(found.left_out);
  counts.num_filtered = found.num_filtered;
  counts.left_out.Add(std::nullopt,
                      found.records_done - found.num_filtered - counts.left_out.num_records(),
                      why_sound_ones,
                      /*wanted=*/false);
  counts.records_done = found.records_done;
  counts.num_bytes = found.num_bytes;
  counts.remarks = std::move(found.remarks);
  return counts;
}

}  // namespace

ChangedFile RestOf(const ParsedFile& piece, FileId id) {
  TIDEMILL_CHECK(piece.found.more);
  ChangedFile rest = piece.file;
  rest.change = FileChange::kResumed;
  rest.known.emplace().id = id;
  rest.input.from_byte = piece.found.bytes_done;
  rest.input.from_record = piece.found.records_done;
  rest.input.columns_moved = piece.found.columns_moved;
  if (!rest.tally) rest.tally.emplace();
  rest.tally->num_bad += piece.found.num_bad;
  rest.tally->lost_bytes += piece.found.lost_bytes;
  rest.tally->zeroed_bytes += piece.found.zeroed_bytes;
  if (!rest.tally->first_bad && !piece.found.bad.empty()) {
    rest.tally->first_bad = piece.found.bad.front();
  }
  return rest;
}

FileParser::FileParser(db::Database& database, UnpackedCache& files, const Format& format,
                       const DatasetEntry& dataset, std::string storage_folder,
                       const EarlierVersion* earlier, std::function<bool()> is_unwanted)
    : database_(database),
      files_(files),
      format_(format),
      spec_(dataset.spec),
      old_segments_(database, std::move(storage_folder), dataset.id),
      earlier_(earlier),
      is_unwanted_(std::move(is_unwanted)) {}

absl::Status FileParser::CheckStays() const {
  if (!is_unwanted_()) return absl::OkStatus();
  return Cancelled("the dataset of {} is being deleted or replaced", spec_.path);
}

absl::StatusOr<ParsedFile> FileParser::Parse(ChangedFile file) const {
  RETURN_IF_ERROR(CheckStays());
  ParsedFile parsed{.file = std::move(file)};
  parsed.file.input.is_unwanted = is_unwanted_;
  FileChange& change = parsed.file.change;
  if (change == FileChange::kGrown) {
    ASSIGN_OR_RETURN(parsed.old, old_segments_.LastOf(parsed.file.known->id));
    ASSIGN_OR_RETURN(const bool continues, ContinuesWhatWasTaken(parsed.file, parsed.old));
    if (continues) {
      parsed.file.input.from_byte = parsed.file.known->bytes_done;
      parsed.file.input.from_record = parsed.file.known->records_done;
      parsed.file.input.columns_moved = parsed.file.known->columns_moved;
    } else {
      change = FileChange::kReplaced;
    }
  }
  if (change == FileChange::kResumed && !parsed.file.tally) {
    RETURN_IF_ERROR(Resume(parsed.file));
  }
  if (change == FileChange::kNew) parsed.file.tally = PieceTally{.judged = true};
  if (change == FileChange::kReplaced || parsed.file.earlier || !format_.ReadsInPieces()) {
    parsed.file.input.max_records = parsed.file.input.max_bytes = kNoLimit;
  }
  if (change != FileChange::kVanished) {
    Index(parsed);
    // Its failure is not recorded.
    RETURN_IF_ERROR(CheckStays());
  }
  if (!parsed.postponed && (change == FileChange::kReplaced || change == FileChange::kVanished)) {
    ASSIGN_OR_RETURN(parsed.old, old_segments_.AllOf(*parsed.file.known));
  }
  if (!parsed.postponed && parsed.file.earlier) {
    ASSIGN_OR_RETURN(parsed.old, earlier_->SegmentsOf(*parsed.file.earlier));
  }
  return parsed;
}

absl::Status FileParser::GiveUp(ParsedFile& piece) const {
  TIDEMILL_CHECK(piece.file.known.has_value());
  piece.file.change = FileChange::kReplaced;
  ASSIGN_OR_RETURN(piece.old, old_segments_.AllOf(*piece.file.known));
  return absl::OkStatus();
}

absl::Status FileParser::Resume(ChangedFile& file) const {
  TIDEMILL_CHECK(file.known.has_value());
  const files_table::KnownFile& known = *file.known;
  file.input.from_byte = known.bytes_done;
  file.input.from_record = known.records_done;
  file.input.columns_moved = known.columns_moved;
  return database_.Transact([&](pqxx::work& work) {
    // It is unknown which part of a growing file was there at first.
    const left_out_table::BadShare bad = left_out_table::BadOf(work, known.id);
    file.tally = PieceTally{.num_bad = bad.num_records,
                            .lost_bytes = bad.lost_bytes,
                            .zeroed_bytes = bad.zeroed_bytes,
                            .first_bad = bad.first,
                            .judged = !spec_.append};
    return absl::OkStatus();
  });
}

void FileParser::Index(ParsedFile& parsed) const {
  const ChangedFile& file = parsed.file;
  absl::StatusOr<IndexedFile> found = format_.Index(file.input);
  FileSystem& source = files_.source();
  const absl::StatusOr<FileIdentity> identity = source.IdentityOf(file.path);
  if (!identity.ok()) {
    parsed.postponed = absl::IsNotFound(identity.status()) ? Postponement{true, kVanishedMeanwhile}
                                                           : CannotRead(identity.status());
    return;
  }
  FileInput now = file.input;
  now.identity = *identity;
  const bool grows = spec_.append && identity->size_bytes >= file.input.identity.size_bytes;
  const auto identity_of = [&](const std::string& path) { return source.IdentityOf(path); };
  if (!grows && FingerprintOf(spec_, now, identity_of) != file.fingerprint) {
    parsed.postponed = Postponement{true, kChangedMeanwhile};
    return;
  }
  if (!found.ok()) {
    const bool lasting = absl::IsInvalidArgument(found.status()) ||
                         absl::IsDataLoss(found.status()) || absl::IsNotFound(found.status()) ||
                         absl::IsResourceExhausted(found.status());
    if (absl::IsFailedPrecondition(found.status()) && TakeFault(found.status(), parsed)) return;
    // Recorded samples are not given up for a failure that may pass.
    if (file.change == FileChange::kGrown || file.change == FileChange::kResumed ||
        (!lasting && file.change == FileChange::kReplaced)) {
      log::Warn("cannot read the file now",
                {{"path", file.path}, {"error", found.status().ToString()}});
      parsed.postponed = CannotRead(found.status());
      return;
    }
    // Every sync looks again at files that may become readable without changing.
    if (!lasting) parsed.file.fingerprint = 0;
    parsed.failure = WithKind(file, std::string(found.status().message()));
    return;
  }
  if (!found->more) RemarkOnTrailingBytes(file, *found);
  if (found->num_bytes == 0) {
    const int64_t end = found->more ? 0 : file.input.identity.size_bytes;
    found->num_bytes = std::max(found->bytes_done, end);
  }
  const PieceTally before = file.tally.value_or(PieceTally{.judged = true});
  const auto num_listed = std::min(static_cast<size_t>(before.num_bad), kMaxBadRecords);
  found->bad.resize(std::min(found->bad.size(), kMaxBadRecords - num_listed));
  const std::string_view why = Judge(*found, parsed);
  if (parsed.failure) {
    parsed.found = OnlyCounts(*std::move(found), why);
    return;
  }
  if (!found->more) parsed.edge_sum = EdgeSumOf(file, found->bytes_done);
  if (DropsUnlabelled(spec_)) found->DropUnlabelled();
  parsed.found = *std::move(found);
}

std::string_view FileParser::Judge(const IndexedFile& found, ParsedFile& parsed) const {
  const ChangedFile& file = parsed.file;
  const PieceTally before = file.tally.value_or(PieceTally{.judged = true});
  std::string_view why = "the file has more bad records than max_bad_fraction allows";
  if (file.change != FileChange::kGrown && before.judged && !found.more) {
    parsed.failure = TooManyBad(spec_, before, found);
    if (parsed.failure && found.positions.empty()) {
      parsed.failure = WithKind(file, *std::move(parsed.failure));
    }
    if (!parsed.failure && !found.misfit.empty()) {
      parsed.failure = found.misfit;
      why = found.misfit;
    }
  }
  return why;
}

void FileParser::RemarkOnTrailingBytes(const ChangedFile& file, IndexedFile& found) const {
  const TrailingBytes behind = files_.TrailingBytesOf(file.path, file.input.identity);
  if (behind.num_bytes == 0) return;
  const char* const what = behind.is_padding ? "zeros or blanks" : "bytes that cannot be unpacked";
  found.AddRemark(
      fmt::format("{} {} follow the packed data; they were not read", behind.num_bytes, what),
      /*num_members=*/0);
  if (!behind.is_padding) found.left_out.AddLostBytes(behind.num_bytes);
}

bool FileParser::TakeFault(const absl::Status& fault, ParsedFile& parsed) const {
  const ChangedFile& file = parsed.file;
  std::string text(fault.message());
  const bool is_at_start = file.change == FileChange::kNew || file.change == FileChange::kReplaced;
  if (is_at_start || (file.tally && file.tally->judged)) {
    parsed.failure = std::move(text);
    return true;
  }
  const int64_t lost = file.input.identity.size_bytes - file.input.from_byte;
  if (lost <= 0) return false;
  parsed.found = {};
  parsed.found.AddLost(file.input.from_record, lost, std::move(text));
  parsed.found.records_done = file.input.from_record + 1;
  parsed.found.bytes_done = parsed.found.num_bytes = file.input.identity.size_bytes;
  return true;
}

absl::StatusOr<bool> FileParser::ContinuesWhatWasTaken(ChangedFile& file,
                                                       const std::vector<OldSegment>& old) const {
  if (!format_.CanAppend()) return false;
  const absl::StatusOr<OpenFile> data = files_.source().Open(file.path);
  if (!data.ok()) return false;
  const absl::StatusOr<bool> compressed = IsCompressed(*data);
  if (!compressed.ok() || *compressed) return false;
  const std::optional<int64_t>& sum = file.known->edge_sum;
  if (!HasLastRecord(*data, old, sum.has_value())) return false;
  // Records that did not become samples may have changed, too.
  if (sum && EdgeSum(*data, file.known->bytes_done) != sum) return false;
  const int64_t growth = file.input.identity.size_bytes - file.known->size_bytes;
  ASSIGN_OR_RETURN(const std::optional<int64_t> compared,
                   old_segments_.Compare(file.known->id, *data, file.known->checked_key,
                                         std::max(kLeastCompared, kComparedForGrowth * growth)));
  if (!compared) {
    log::Warn("the ingested part of a growing file has changed; comparing the whole file",
              {{"path", file.path}});
    return false;
  }
  file.checked_key = *compared;
  return true;
}

std::optional<int64_t> FileParser::EdgeSumOf(const ChangedFile& file, int64_t bytes_done) const {
  if (!spec_.append || !format_.CanAppend() || bytes_done == 0) return std::nullopt;
  const absl::StatusOr<OpenFile> data = files_.source().Open(file.path);
  if (!data.ok() || IsCompressed(*data).value_or(true)) return std::nullopt;
  return EdgeSum(*data, bytes_done);
}

bool FileParser::HasLastRecord(const OpenFile& data, const std::vector<OldSegment>& old,
                               bool has_sum) {
  int64_t from = -1, to = -1, hash = 0;
  for (const OldSegment& segment : old) {
    if (!segment.columns) continue;
    for (int64_t row = 0; row < segment.columns->num_rows(); ++row) {
      const auto at = static_cast<size_t>(row);
      const LookupRow& place = segment.columns->lookup[at];
      if (place.byte_from <= from) continue;
      from = place.byte_from;
      to = segment.columns->byte_to[at];
      hash = place.hash;
    }
  }
  // Without a sum, nothing shows it to be the same file: read it whole again.
  if (from < 0) return has_sum;
  std::string record(static_cast<size_t>(to - from), '\0');
  const absl::StatusOr<size_t> got = data.ReadAt(from, record.data(), record.size());
  return got.ok() && *got == record.size() &&
         static_cast<int64_t>(XXH3_64bits(record.data(), record.size())) == hash;
}

std::string FileParser::WithKind(const ChangedFile& file, std::string failure) const {
  if (failure.find(" it is ") != std::string::npos) return failure;
  const absl::StatusOr<OpenFile> data = files_.OpenStart(file.path);
  if (!data.ok()) return failure;
  std::string start(kKindBytes, '\0');
  start.resize(data->ReadAt(0, start.data(), start.size()).value_or(0));
  const auto kind = KindOfFile(start);
  const bool is_archive = spec_.format->Unit() == SampleUnit::kMembers;
  if (!kind || (is_archive && kind->name == kTarArchive)) return failure;
  return fmt::format("{}; {}", failure, kind->Explain());
}

}  // namespace tidemill::storage
