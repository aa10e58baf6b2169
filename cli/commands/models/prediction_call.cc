#include "cli/commands/models/prediction_call.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "fmt/ranges.h"

#include "cli/terminal/text.h"
#include "evaluator/client/evaluator_client.h"
#include "model_store/client/model_store_client.h"
#include "samples/dataset_schema.h"
#include "transform/graph.h"

namespace tidemill::cli {
namespace {

constexpr int64_t kRowsOfBlock = 4096;
constexpr size_t kMaxRecords = 4096;
constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr std::chrono::seconds kProgressInterval{1};

}  // namespace

absl::Status PredictionCall::Run() {
  const absl::Status status = session_.Follow(
      &evaluator::EvaluatorClient::Predict, options_.model,
      [this](const std::stop_token& stop) { return Next(stop); },
      evaluator::EvaluatorClient::PredictionSink{
          .model = [this](const evaluator::v1::PredictingModel& model) { return Begin(model); },
          .predictions = [this](const evaluator::v1::Predictions& said) { return Take(said); }});
  if (has_shown_) fmt::print(stderr, "\r\033[K");
  counts_.unknown = std::move(unknown_);
  RETURN_IF_ERROR(status);
  return writer_.Flush();
}

absl::Status PredictionCall::Begin(const evaluator::v1::PredictingModel& model) {
  model_ = model;
  ASSIGN_OR_RETURN(const std::string part,
                   session_.Ask(&model_store::ModelStoreClient::ReadPart, ModelId{model.model_id()},
                                std::string(models::kSpecPart)));
  ASSIGN_OR_RETURN(const models::ArtefactSpec spec, models::DecodeArtefactSpec(part));
  score_.emplace(storage::EffectiveLabelDelay(spec.dataset));
  is_series_ = spec.dataset.series.has_value();
  ASSIGN_OR_RETURN(const std::vector<std::string> notes, OpenSource(spec));
  if (!options_.quiet) {
    for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
  }
  writer_.Begin(model);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> PredictionCall::OpenSource(
    const models::ArtefactSpec& spec) {
  if (options_.dataset) {
    ASSIGN_OR_RETURN(samples_, DatasetRecords::Open(session_, *options_.dataset, spec));
    return samples_->notes();
  }
  storage::ForeignOptions input = options_.input;
  for (const auto& op : spec.graph) {
    const std::vector<std::string> names = op.value->Reads().names;
    input.fields.insert(input.fields.end(), names.begin(), names.end());
  }
  ASSIGN_OR_RETURN(records_, storage::ForeignRecords::Open(spec.dataset, std::move(input)));
  RETURN_IF_ERROR(CheckColumns(spec));
  return records_->notes();
}

// A graph that cannot be built without some columns needs them.
absl::Status PredictionCall::CheckColumns(const models::ArtefactSpec& spec) const {
  const std::vector<std::string>& missing = records_->missing_columns();
  if (missing.empty() || spec.dataset.format->Columns().empty()) return absl::OkStatus();
  transform::SampleSchema schema = samples::SchemaOf(spec.dataset);
  if (!schema.columns) return absl::OkStatus();
  std::vector<std::string> needed;
  for (const std::string& column : missing) {
    if (column == schema.label_column) continue;
    transform::SampleSchema without = schema;
    std::erase(*without.columns, column);
    if (!transform::Graph::Check(spec.graph, without).empty()) needed.push_back(column);
  }
  if (needed.empty()) return absl::OkStatus();
  return InvalidArgument(
      "the input lacks {} {}, which the model needs; the columns of its dataset are: {}",
      needed.size() == 1 ? "the column" : "the columns", fmt::join(needed, ", "),
      fmt::join(spec.dataset.format->Columns(), ", "));
}

absl::StatusOr<std::optional<evaluator::v1::PredictionRecords>> PredictionCall::Next(
    const std::stop_token& stop) {
  if (rest_records_ == rest_.rows.size() && rest_left_out_ == rest_.left_out.size()) {
    rest_records_ = rest_left_out_ = 0;
    ASSIGN_OR_RETURN(const bool has_more, samples_ != nullptr
                                              ? samples_->Next(kRowsOfBlock, rest_)
                                              : records_->Next(kRowsOfBlock, rest_, stop));
    if (!has_more) return std::nullopt;
    CountUnknown();
  }
  storage::ForeignBlock block = Cut();
  evaluator::v1::PredictionRecords request;
  for (std::string& record : block.records) request.add_records(std::move(record));
  block.records.clear();
  request.mutable_event_times()->Add(block.event_times.begin(), block.event_times.end());
  MutexLock lock(mutex_);
  asked_.push_back(std::move(block));
  return request;
}

void PredictionCall::CountUnknown() {
  for (const storage::UnknownFact& fact : rest_.unknown) {
    PredictionCounts::Unknown& counted = unknown_[fact.kind];
    if (++counted.count > 1) continue;
    counted.first = fmt::format("{} {}", options_.layout.number, fact.record);
    if (!fact.reason.empty()) counted.first += ": " + fact.reason;
  }
}

storage::ForeignBlock PredictionCall::Cut() {
  storage::ForeignBlock block;
  size_t num_bytes = 0;
  while (rest_records_ < rest_.rows.size() && block.rows.size() < kMaxRecords &&
         num_bytes < kMaxBytes) {
    const size_t i = rest_records_++;
    num_bytes += rest_.records[i].size();
    block.records.push_back(std::move(rest_.records[i]));
    block.rows.push_back(rest_.rows[i]);
    block.event_times.push_back(rest_.event_times[i]);
    block.class_labels.push_back(rest_.class_labels[i]);
    block.real_labels.push_back(rest_.real_labels[i]);
  }
  const bool is_last = rest_records_ == rest_.rows.size();
  while (rest_left_out_ < rest_.left_out.size() &&
         (is_last || rest_.left_out[rest_left_out_].row < rest_.rows[rest_records_])) {
    block.left_out.push_back(std::move(rest_.left_out[rest_left_out_++]));
  }
  return block;
}

absl::Status PredictionCall::Take(const evaluator::v1::Predictions& predictions) {
  storage::ForeignBlock block;
  {
    MutexLock lock(mutex_);
    if (asked_.empty()) return Internal("the evaluator sent an answer without a request");
    block = std::move(asked_.front());
    asked_.pop_front();
  }
  const auto width = static_cast<size_t>(model_.num_outputs());
  const std::span<const float> outputs(predictions.outputs().data(),
                                       static_cast<size_t>(predictions.outputs_size()));
  if (outputs.size() != width * static_cast<size_t>(predictions.records_size())) {
    return Internal("the evaluator sent {} numbers for {} records", outputs.size(),
                    predictions.records_size());
  }
  int answered = 0;
  int unanswered = 0;
  int remark = 0;
  size_t left_out = 0;
  const auto add_left_out = [&](int64_t before) {
    while (left_out < block.left_out.size() && block.left_out[left_out].row < before) {
      const auto& row = block.left_out[left_out++];
      AddProblem(row.row, row.reason, row.filtered);
      counts_.num_without_window += is_series_ && row.filtered ? 1 : 0;
    }
  };
  for (size_t record = 0; record < block.rows.size(); ++record) {
    add_left_out(block.rows[record]);
    const auto place = static_cast<int32_t>(record);
    if (answered < predictions.records_size() && predictions.records(answered) == place) {
      const auto numbers = outputs.subspan(width * static_cast<size_t>(answered++), width);
      const bool has_remark =
          remark < predictions.remarks_size() && predictions.remarks(remark).record() == place;
      AddAnswer(block.rows[record], numbers,
                has_remark ? predictions.remarks(remark++).text() : std::string());
      Score(block, record, numbers);
    } else if (unanswered < predictions.unanswered_size() &&
               predictions.unanswered(unanswered).record() == place) {
      const auto& said = predictions.unanswered(unanswered++);
      AddProblem(block.rows[record], said.reason(), said.filtered());
    } else {
      return Internal("the evaluator sent no answer for row {}", block.rows[record]);
    }
  }
  add_left_out(std::numeric_limits<int64_t>::max());
  ShowProgress();
  return writer_.Flush();
}

void PredictionCall::Score(const storage::ForeignBlock& block, size_t record,
                           std::span<const float> outputs) {
  if (model_.is_class() && block.class_labels[record]) {
    score_->AddClass(PredictionWriter::ClassOf(outputs), *block.class_labels[record],
                     block.event_times[record]);
  } else if (!model_.is_class() && block.real_labels[record]) {
    score_->AddValue(static_cast<double>(outputs.front()), *block.real_labels[record],
                     block.event_times[record]);
  }
}

void PredictionCall::AddAnswer(int64_t row, std::span<const float> outputs,
                               const std::string& remark) {
  writer_.Add(row, outputs, remark);
  ++counts_.num_answered;
  if (remark.empty()) return;
  if (++counts_.num_remarks > 1) return;
  counts_.first_remark = fmt::format("{} {}: {}", options_.layout.number, row, remark);
}

void PredictionCall::AddProblem(int64_t row, const std::string& problem, bool filtered) {
  writer_.AddProblem(row, problem);
  ++(filtered ? counts_.num_filtered : counts_.num_wrong);
  if (filtered || !counts_.first_problem.empty()) return;
  counts_.first_problem = fmt::format("{} {}: {}", options_.layout.number, row, problem);
}

void PredictionCall::ShowProgress() {
  const auto now = std::chrono::steady_clock::now();
  if (options_.quiet || now - last_shown_ < kProgressInterval || isatty(STDERR_FILENO) == 0) return;
  last_shown_ = now;
  has_shown_ = true;
  fmt::print(stderr, "\r\033[K{} rows", WithThousands(counts_.num_rows()));
}

}  // namespace tidemill::cli
