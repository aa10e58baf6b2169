#include "evaluator/job/model_columns.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/failpoints.h"
#include "base/logs/log.h"
#include "batch/sealed_file.h"
#include "config/config.h"
#include "evaluator/job/column_maker.h"
#include "evaluator/reading/preparing_workers.h"
#include "evaluator/reading/window_samples.h"
#include "model_store/client/model_store_client.h"
#include "rpc/jobs/job_peers.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::evaluator {
namespace {

// Samples read and decoded at once: what bounds the memory of a job.
constexpr size_t kRowsOfBlock = 1024;
// Keys of one job for workers.
constexpr size_t kKeysOfJob = size_t{1} << 18;

AskedColumns AskedBy(const v1::ReadModelColumnsRequest& request) {
  AskedColumns asked;
  for (const int column : request.columns()) {
    asked.prediction |= column == v1::MODEL_COLUMN_PREDICTION;
    asked.embedding |= column == v1::MODEL_COLUMN_EMBEDDING;
    asked.error |= column == v1::MODEL_COLUMN_ERROR;
  }
  return asked;
}

std::string FolderOf(const v1::ColumnFile& file) {
  return std::filesystem::path(file.path()).parent_path();
}

// The file, which is created once its columns are known.
class ColumnFileWriter {
 public:
  ColumnFileWriter(const v1::ColumnFile& file, int64_t num_rows)
      : file_(file), num_rows_(num_rows) {}

  absl::Status Add(const batch::Batch& rows) {
    if (writer_ == nullptr) RETURN_IF_ERROR(Create(rows));
    return writer_->Append(rows);
  }

  bool is_created() const { return writer_ != nullptr; }

  absl::Status Seal() { return writer_->Seal().status(); }

 private:
  absl::Status Create(const batch::Batch& rows) {
    int64_t row_bytes = 0;
    for (const batch::Column& column : rows.columns()) {
      row_bytes += column.Width() * static_cast<int64_t>(batch::SizeOf(column.type));
    }
    if (num_rows_ * row_bytes > file_.max_bytes()) {
      return FailedPrecondition(
          "{} samples with {} bytes each need more than the {} bytes of evaluator.columns_bytes; "
          "ask for fewer samples or for fewer columns",
          num_rows_, row_bytes, file_.max_bytes());
    }
    ASSIGN_OR_RETURN(writer_,
                     batch::SealedFileWriter::Create(file_.path(), rows.Take({}), num_rows_));
    return absl::OkStatus();
  }

  const v1::ColumnFile& file_;
  const int64_t num_rows_;
  std::unique_ptr<batch::SealedFileWriter> writer_;
};

// Writes the columns of some samples, in their order.
class ColumnsOfKeys {
 public:
  // `workers` may be nullptr. All must outlive this object.
  ColumnsOfKeys(const storage::StorageClient& storage, DatasetId dataset, ScoredModel& model,
                ColumnMaker& maker, ColumnFileWriter& file, PreparingWorkers* workers)
      : storage_(storage),
        dataset_(dataset),
        model_(model),
        maker_(maker),
        file_(file),
        workers_(workers) {}

  absl::Status Write(std::span<const int64_t> keys, bool ignores_labels) {
    for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kKeysOfJob))) {
      const auto some = keys.first(std::min(keys.size(), kKeysOfJob));
      size_t done = 0;
      if (workers_ != nullptr && workers_->Take(std::ssize(some))) {
        ASSIGN_OR_RETURN(done, WriteAtWorkers(some, ignores_labels));
      }
      RETURN_IF_ERROR(WriteHere(some.subspan(done)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Add(const absl::StatusOr<batch::Batch>& said) {
    RETURN_IF_ERROR(said.status());
    RETURN_IF_ERROR(file_.Add(*said));
    RETURN_IF_FAILPOINT("evaluate.mid_columns");
    return absl::OkStatus();
  }

  absl::Status WriteHere(std::span<const int64_t> keys) {
    const auto add = [&](const SampleBlock& block) {
      return block.samples.num_rows() == 0 ? absl::OkStatus() : Add(maker_.Make(block.samples));
    };
    for (size_t from = 0; from < keys.size(); from += kRowsOfBlock) {
      const size_t num_keys = std::min(kRowsOfBlock, keys.size() - from);
      RETURN_IF_ERROR(ReadBlock(storage_, dataset_, keys.subspan(from, num_keys), add));
    }
    return absl::OkStatus();
  }

  // Returns the number of keys that are done. The others are left to this process, because workers
  // cannot prepare them.
  absl::StatusOr<size_t> WriteAtWorkers(std::span<const int64_t> keys, bool ignores_labels) {
    const auto source = workers_->Open({.graph = model_.graph,
                                        .keys = keys,
                                        .batch_size = kRowsOfBlock,
                                        .ignores_labels = ignores_labels});
    absl::Status failure = source.status();
    size_t done = 0;
    while (failure.ok() && done < keys.size()) {
      const auto batch = (*source)->Next();
      failure = batch.status();
      if (!batch.ok() || !*batch) break;
      if ((*batch)->rows.num_rows() > 0) {
        RETURN_IF_ERROR(Add(maker_.MakeOfRows((*batch)->rows)));
      }
      done = std::min(done + kRowsOfBlock, keys.size());
    }
    if (!failure.ok()) {
      log::Warn("workers cannot prepare samples for a model; this process does",
                {{"error", failure.ToString()}});
    }
    return done;
  }

  const storage::StorageClient& storage_;
  const DatasetId dataset_;
  ScoredModel& model_;
  ColumnMaker& maker_;
  ColumnFileWriter& file_;
  PreparingWorkers* const workers_;
};

}  // namespace

absl::Status WriteModelColumns(const v1::EvaluationJob& job, const Arithmetic& arithmetic) {
  const v1::ReadModelColumnsRequest& columns = job.columns();
  ASSIGN_OR_RETURN(const auto dataset,
                   config::ReadKept<storage::DatasetSpec>(columns.dataset_spec(), "dataset"));
  ASSIGN_OR_RETURN(const auto peers, rpc::JobPeers::Open(job.endpoints()));
  ASSIGN_OR_RETURN(const rpc::Peer storage_peer, peers.PeerOf("storage"));
  ASSIGN_OR_RETURN(const rpc::Peer store_peer, peers.PeerOf("model_store"));
  arithmetic.set_threads(1);
  const storage::StorageClient storage(storage_peer);
  model_store::ModelStoreClient store(store_peer);
  ModelCache models(store, dataset,
                    {.make_predictor = arithmetic.make_predictor,
                     .enter_sandbox =
                         [&](const transform::GraphSpec& graph) {
                           return arithmetic.enter_sandbox({.readable = {peers.TokenFolder()},
                                                            .writable = {FolderOf(job.file())},
                                                            .graph = graph});
                         },
                     .max_bytes = job.model_bytes()});
  const int64_t model_id = columns.model_id();
  ASSIGN_OR_RETURN(const std::vector<ScoredModel*> only, models.GetFirst({&model_id, 1}));
  ScoredModel& model = *only.front();
  RETURN_IF_ERROR(WhyUnusable(model.status));
  const AskedColumns asked = AskedBy(columns);
  ASSIGN_OR_RETURN(ColumnMaker maker, ColumnMaker::Make(model, asked, job.num_threads()));
  ColumnFileWriter file(job.file(), columns.keys_size());
  const std::span<const int64_t> keys(columns.keys().data(),
                                      static_cast<size_t>(columns.keys_size()));
  ASSIGN_OR_RETURN(const auto workers, WorkersOf({.run = {columns.command().run_id()},
                                                  .name = fmt::format("model-{}", model_id),
                                                  .dataset = {columns.dataset_id()},
                                                  .dataset_spec = columns.dataset_spec(),
                                                  .workers = columns.workers(),
                                                  .num_threads = job.num_threads()},
                                                 peers, storage));
  ColumnsOfKeys writer(storage, {columns.dataset_id()}, model, maker, file, workers.get());
  RETURN_IF_ERROR(writer.Write(keys, /*ignores_labels=*/!asked.error));
  if (!file.is_created()) {
    ASSIGN_OR_RETURN(const batch::Batch none, maker.MakeNone());
    RETURN_IF_ERROR(file.Add(none));
  }
  return file.Seal();
}

}  // namespace tidemill::evaluator
