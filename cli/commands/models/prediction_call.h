// Predicts for all rows of an input.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "cli/commands/models/dataset_records.h"
#include "cli/commands/models/prediction_output.h"
#include "cli/commands/models/prediction_score.h"
#include "cli/stack/session.h"
#include "models/artefact_spec.h"
#include "storage/foreign/foreign_records.h"
#include "tidemill/evaluator/v1/prediction.pb.h"

namespace tidemill::cli {

// The counts of rows by result. They add up to the rows of the input.
struct PredictionCounts {
  int64_t num_answered = 0;
  int64_t num_filtered = 0;
  // The part of the filtered rows at which no window of the series ends.
  int64_t num_without_window = 0;
  int64_t num_wrong = 0;
  // The answered rows in which the model does not know something.
  int64_t num_remarks = 0;
  std::string first_remark = {};
  // The first problem: "row 17: ...".
  std::string first_problem = {};
  // The records with unknown values, and the first of them, in the same words.
  struct Unknown {
    int64_t count = 0;
    std::string first = {};
  };
  std::map<storage::UnknownFact::Kind, Unknown> unknown = {};

  int64_t num_rows() const { return num_answered + num_filtered + num_wrong; }
};

// Reads, asks and writes at the same time, so that memory does not grow with the rows. Use it once.
class PredictionCall {
 public:
  struct Options {
    evaluator::v1::PredictionModel model = {};
    storage::ForeignOptions input = {};
    // Stored samples in place of the input.
    std::optional<DatasetRecords::Options> dataset = {};
    PredictionLayout layout = {};
    // Whether to omit assumptions and progress on stderr.
    bool quiet = false;
  };

  // `session` must outlive this object. Predictions go to `to`.
  PredictionCall(const Session& session, Options options, std::FILE* to)
      : session_(session), options_(std::move(options)), writer_(to, options_.layout) {}

  // Returns the errors of Predict() in evaluator.proto and of ForeignRecords. INVALID_ARGUMENT when
  // the input lacks columns that the model's graph needs.
  absl::Status Run();

  const evaluator::v1::PredictingModel& model() const { return model_; }
  const PredictionCounts& counts() const { return counts_; }
  // The files of the stored samples' dataset that were not taken.
  int64_t num_files_not_taken() const { return samples_ ? samples_->num_files_not_taken() : 0; }
  std::optional<PredictionScores> scores() const {
    return score_ ? score_->Scores() : std::nullopt;
  }
  // The names of classes, for the summary.
  const PredictionWriter& writer() const { return writer_; }

 private:
  absl::Status Begin(const evaluator::v1::PredictingModel& model);
  // Counts the facts that are unknown about the records of the input.
  void CountUnknown();
  absl::Status CheckColumns(const models::ArtefactSpec& spec) const;
  // Chooses where the records come from. Returns the remarks for the user.
  absl::StatusOr<std::vector<std::string>> OpenSource(const models::ArtefactSpec& spec);
  absl::StatusOr<std::optional<evaluator::v1::PredictionRecords>> Next(const std::stop_token& stop)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Cuts off as much of `rest_` as fits into a request.
  storage::ForeignBlock Cut();
  absl::Status Take(const evaluator::v1::Predictions& predictions) ABSL_LOCKS_EXCLUDED(mutex_);
  void Score(const storage::ForeignBlock& block, size_t record, std::span<const float> outputs);
  void AddAnswer(int64_t row, std::span<const float> outputs, const std::string& remark);
  void AddProblem(int64_t row, const std::string& problem, bool filtered);
  void ShowProgress();

  const Session& session_;
  const Options options_;
  PredictionWriter writer_;
  evaluator::v1::PredictingModel model_;
  // One of the two.
  std::unique_ptr<storage::ForeignRecords> records_;
  std::unique_ptr<DatasetRecords> samples_;
  storage::ForeignBlock rest_;  // Read and not requested yet; used only by the reading thread.
  // The records and the left out rows of `rest_` that were requested.
  size_t rest_records_ = 0;
  size_t rest_left_out_ = 0;
  // Used only by the reading thread until the end.
  std::map<storage::UnknownFact::Kind, PredictionCounts::Unknown> unknown_;
  PredictionCounts counts_;
  // Made when the model is known.
  std::optional<PredictionScore> score_;
  bool is_series_ = false;
  Mutex mutex_;
  // Requested and not answered yet. Flow control bounds them.
  std::deque<storage::ForeignBlock> asked_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point last_shown_ = std::chrono::steady_clock::now();
  bool has_shown_ = false;
};

}  // namespace tidemill::cli
