#include "evaluator/job/record_answers.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "transform/unknown_values.h"

namespace tidemill::evaluator {
namespace {

// The records as samples, each with its place as its key.
absl::StatusOr<batch::Batch> SamplesOf(const v1::PredictionRecords& records) {
  const auto num_rows = static_cast<size_t>(records.records_size());
  if (records.event_times_size() != 0 && records.event_times_size() != records.records_size()) {
    return InvalidArgument("{} records have {} event times", records.records_size(),
                           records.event_times_size());
  }
  std::vector<int64_t> keys(num_rows);
  std::iota(keys.begin(), keys.end(), 0);
  std::vector<int64_t> times(records.event_times().begin(), records.event_times().end());
  if (times.empty()) times.assign(num_rows, Now().micros);
  const std::vector<std::string_view> payloads(records.records().begin(), records.records().end());
  batch::Batch samples(records.records_size());
  RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
  RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)));
  RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payloads)));
  return samples;
}

// Some records, by their keys, and reasons about them.
using Reasons = std::map<int64_t, std::string>;

v1::Predictions ToMessage(const batch::Batch& said, std::vector<Unanswered> unanswered,
                          const Reasons& remarks) {
  v1::Predictions predictions;
  for (const int64_t key : said.keys()) {
    predictions.add_records(static_cast<int32_t>(key));
    if (remarks.empty()) continue;
    const auto remark = remarks.find(key);
    if (remark == remarks.end()) continue;
    v1::RecordRemark& record = *predictions.add_remarks();
    record.set_record(static_cast<int32_t>(key));
    record.set_text(remark->second);
  }
  if (const batch::Column* outputs = said.Find(kPredictionColumn); outputs != nullptr) {
    const auto numbers = outputs->Values<float>();
    predictions.mutable_outputs()->Add(numbers.begin(), numbers.end());
  }
  std::ranges::sort(unanswered, {}, &Unanswered::key);
  for (Unanswered& each : unanswered) {
    v1::UnansweredRecord& record = *predictions.add_unanswered();
    record.set_record(static_cast<int32_t>(each.key));
    record.set_reason(std::move(each.reason));
    record.set_filtered(each.filtered);
  }
  return predictions;
}

// The rows of both in the order of their keys.
absl::StatusOr<batch::Batch> Merge(const batch::Batch& one, const batch::Batch& other) {
  ASSIGN_OR_RETURN(const batch::Batch all,
                   batch::Concatenate(std::vector<batch::Batch>{one, other}));
  std::vector<int64_t> places(static_cast<size_t>(all.num_rows()));
  std::iota(places.begin(), places.end(), 0);
  std::ranges::sort(places, {}, [&](int64_t row) { return all.keys()[static_cast<size_t>(row)]; });
  return all.Take(places);
}

}  // namespace

absl::StatusOr<RecordAnswers> RecordAnswers::Make(const transform::GraphSpec& graph,
                                                  const transform::SampleSchema& schema,
                                                  ScoredModel& model, int num_threads) {
  ASSIGN_OR_RETURN(ColumnMaker maker, ColumnMaker::Make(model, {.prediction = true}, num_threads));
  RecordAnswers answers(std::move(maker));
  const auto strict = transform::RejectUnknown(graph);
  if (!strict) return answers;
  ASSIGN_OR_RETURN(answers.strict_, transform::Graph::Build(*strict, schema));
  if (model.graph->fitted) {
    answers.fitted_.emplace(answers.strict_->spec_digest(), model.graph->fitted->learned());
  }
  return answers;
}

absl::StatusOr<v1::Predictions> RecordAnswers::Answer(const v1::PredictionRecords& records) {
  ASSIGN_OR_RETURN(const batch::Batch samples, SamplesOf(records));
  std::vector<Unanswered> unanswered;
  if (!strict_) {
    ASSIGN_OR_RETURN(const batch::Batch said, maker_.Make(samples, &unanswered));
    return ToMessage(said, std::move(unanswered), {});
  }
  std::vector<Unanswered> rejected;
  ASSIGN_OR_RETURN(batch::Batch said,
                   maker_.MakeBy(*strict_, fitted_ ? &*fitted_ : nullptr, samples, &rejected));
  Reasons reasons;
  std::vector<int64_t> rows;
  for (Unanswered& each : rejected) {
    if (each.filtered) {
      unanswered.push_back(std::move(each));
    } else {
      rows.push_back(each.key);
      reasons.emplace(each.key, std::move(each.reason));
    }
  }
  if (rows.empty()) return ToMessage(said, std::move(unanswered), {});
  // Unknown values are answered; what is really bad is rejected again.
  std::ranges::sort(rows);
  ASSIGN_OR_RETURN(const batch::Batch more, maker_.Make(samples.Take(rows), &unanswered));
  ASSIGN_OR_RETURN(said, Merge(said, more));
  return ToMessage(said, std::move(unanswered), reasons);
}

absl::StatusOr<int64_t> RecordAnswers::Width() {
  ASSIGN_OR_RETURN(const batch::Batch none, maker_.MakeNone());
  const batch::Column* outputs = none.Find(kPredictionColumn);
  if (outputs == nullptr) return Internal("the model returned no output");
  return outputs->Width();
}

}  // namespace tidemill::evaluator
