#include "storage/ingest/file_intake.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/catalog/datasets_table.h"
#include "storage/catalog/files_table.h"
#include "storage/ingest/ingest_writer.h"

namespace tidemill::storage {

namespace {

// The approximate bytes of a group of files that are parsed in parallel: the index of a file can be
// as large as the file.
constexpr int64_t kGroupBytes = 16 << 20;
// The first piece is so much smaller: until it is parsed there is nothing to commit.
constexpr int64_t kFirstPiece = 8;

}  // namespace

FileIntake::FileIntake(db::Database& database, const FileParser& parser, WorkerPool& parsers,
                       int num_parsers, std::string storage_folder, const DatasetEntry& dataset,
                       const IntakeOptions& options)
    : database_(database),
      parser_(parser),
      parsers_(parsers),
      num_parsers_(num_parsers),
      storage_folder_(std::move(storage_folder)),
      dataset_(dataset),
      options_(options),
      committer_(database, storage_folder_, dataset.id) {}

absl::Status FileIntake::Take(std::vector<ChangedFile> files,
                              const std::map<std::string, std::string>& misfits,
                              const Progress& progress) {
  if (files.empty()) return absl::OkStatus();
  progress_ = progress;
  int64_t last_key = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    last_key = datasets_table::AllocatedKey(work, dataset_.id);
    return absl::OkStatus();
  }));
  builder_.emplace(last_key, dataset_.spec.format->Unit() == SampleUnit::kWholeFile,
                   options_.samples_per_segment, deleted_);
  for (size_t from = 0; from < files.size();) {
    const size_t to = GroupEnd(files, from);
    RETURN_IF_ERROR(deleted_.Refresh(database_, dataset_.id));
    ASSIGN_OR_RETURN(std::vector<ParsedFile> parsed, Parse(files, from, to, misfits));
    std::vector<int64_t> ids;
    RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
      ids = files_table::NewFileIds(work, static_cast<int64_t>(to - from));
      return absl::OkStatus();
    }));
    for (size_t i = 0; i < parsed.size(); ++i) {
      RETURN_IF_ERROR(Add(std::move(parsed[i]), FileId{ids[i]}));
    }
    from = to;
  }
  RETURN_IF_ERROR(HandOver());
  RETURN_IF_ERROR(committer_.Finish());
  return progress_(committer_.counts());
}

size_t FileIntake::GroupEnd(const std::vector<ChangedFile>& files, size_t from) const {
  const auto least = static_cast<size_t>(num_parsers_);
  int64_t bytes = 0;
  size_t to = from;
  while (to < files.size() && to - from < static_cast<size_t>(options_.files_per_batch)) {
    bytes += files[to].input.identity.size_bytes;
    if (bytes > kGroupBytes && to - from >= least) break;
    ++to;
  }
  return to;
}

absl::StatusOr<std::vector<ParsedFile>> FileIntake::Parse(
    std::vector<ChangedFile>& files, size_t from, size_t to,
    const std::map<std::string, std::string>& misfits) {
  const int64_t part = from == 0 ? kFirstPiece : 1;
  std::vector<absl::StatusOr<ParsedFile>> results(to - from);
  const auto parse = [&](int64_t i) {
    ChangedFile& file = files[from + static_cast<size_t>(i)];
    auto& result = results[static_cast<size_t>(i)];
    file.input.max_records = std::max<int64_t>(1, options_.samples_per_batch / part);
    file.input.max_bytes = std::max<int64_t>(1, options_.bytes_per_batch / part);
    if (const auto misfit = misfits.find(file.path); misfit != misfits.end()) {
      result = ParsedFile{.file = std::move(file), .failure = misfit->second};
    } else {
      result = parser_.Parse(std::move(file));
    }
  };
  const auto count = static_cast<int64_t>(to - from);
  if (num_parsers_ > 1) {
    parsers_.ParallelFor(count, parse);
  } else {
    for (int64_t i = 0; i < count; ++i) parse(i);
  }
  std::vector<ParsedFile> parsed;
  for (absl::StatusOr<ParsedFile>& result : results) {
    RETURN_IF_ERROR(result.status());
    parsed.push_back(*std::move(result));
  }
  return parsed;
}

absl::Status FileIntake::Add(ParsedFile parsed, FileId new_id) {
  const FileId id = parsed.file.known ? parsed.file.known->id : new_id;
  while (true) {
    if (parsed.failure && parsed.file.change == FileChange::kResumed) {
      RETURN_IF_ERROR(HandOver());
      RETURN_IF_ERROR(committer_.Drain());
      RETURN_IF_ERROR(parser_.GiveUp(parsed));
    }
    if (!parsed.found.more) break;
    ChangedFile rest = RestOf(parsed, id);
    rest.input.max_records = options_.samples_per_batch;
    rest.input.max_bytes = options_.bytes_per_batch;
    builder_->Add(std::move(parsed), id);
    // A batch has one row of a file, so each piece ends one.
    RETURN_IF_ERROR(HandOver());
    ASSIGN_OR_RETURN(parsed, parser_.Parse(std::move(rest)));
  }
  if (parsed.postponed) postponed_.push_back({parsed.file.path, *parsed.postponed});
  builder_->Add(std::move(parsed), id);
  const bool full = builder_->num_samples() >= options_.samples_per_batch ||
                    builder_->num_files() >= options_.files_per_batch;
  return full ? HandOver() : absl::OkStatus();
}

absl::Status FileIntake::HandOver() {
  IngestBatch batch = builder_->Finish();
  if (batch.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(WriteColumnFiles(database_, storage_folder_, dataset_.id, batch));
  RETURN_IF_ERROR(committer_.Add(std::move(batch)));
  return progress_(committer_.counts());
}

}  // namespace tidemill::storage
