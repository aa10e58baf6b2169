#include "evaluator/job/model_columns.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/failpoints.h"
#include "batch/sealed_file.h"
#include "config/config.h"
#include "evaluator/job/column_maker.h"
#include "evaluator/job/window_samples.h"
#include "model_store/client/model_store_client.h"
#include "rpc/jobs/job_peers.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::evaluator {
namespace {

// Samples read and decoded at once: what bounds the memory of a job.
constexpr size_t kRowsOfBlock = 1024;

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
  ModelCache models(
      store, dataset,
      {.make_predictor = arithmetic.make_predictor,
       .enter_sandbox =
           [&](const transform::GraphSpec& graph) {
             return arithmetic.enter_sandbox({.writable = {FolderOf(job.file())}, .graph = graph});
           },
       .max_bytes = job.model_bytes()});
  const int64_t model_id = columns.model_id();
  ASSIGN_OR_RETURN(const std::vector<ScoredModel*> only, models.GetFirst({&model_id, 1}));
  ScoredModel& model = *only.front();
  RETURN_IF_ERROR(WhyUnusable(model.status));
  ASSIGN_OR_RETURN(ColumnMaker maker,
                   ColumnMaker::Make(model, AskedBy(columns), job.num_threads()));
  ColumnFileWriter file(job.file(), columns.keys_size());
  const std::span<const int64_t> keys(columns.keys().data(),
                                      static_cast<size_t>(columns.keys_size()));
  const auto add = [&](const SampleBlock& block) -> absl::Status {
    if (block.samples.num_rows() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const batch::Batch said, maker.Make(block.samples));
    RETURN_IF_ERROR(file.Add(said));
    RETURN_IF_FAILPOINT("evaluate.mid_columns");
    return absl::OkStatus();
  };
  for (size_t from = 0; from < keys.size(); from += kRowsOfBlock) {
    RETURN_IF_ERROR(ReadBlock(storage, {columns.dataset_id()},
                              keys.subspan(from, std::min(kRowsOfBlock, keys.size() - from)), add));
  }
  if (!file.is_created()) {
    ASSIGN_OR_RETURN(const batch::Batch none, maker.MakeNone());
    RETURN_IF_ERROR(file.Add(none));
  }
  return file.Seal();
}

}  // namespace tidemill::evaluator
