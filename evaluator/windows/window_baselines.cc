#include "evaluator/windows/window_baselines.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "evaluator/windows/kept_message.h"
#include "evaluator/windows/model_cache.h"
#include "evaluator/windows/short_reason.h"

namespace tidemill::evaluator {
namespace {

// The size of tables of ranks, which baselines of probabilities need.
constexpr int64_t kTableBytes = int64_t{32} << 20;
// Beyond it, classes without names have no shares.
constexpr int64_t kMaxNameless = 4096;

bool IsClass(const storage::LabelSpec& label) { return label.kind == storage::LabelKind::kClass; }

// The first of the most frequent ones, or the mean.
Label ConstantOf(const LabelCounts& counts) {
  Label constant;
  int64_t most = 0;
  for (const auto& [of_class, number] : counts.classes) {
    if (number <= most) continue;
    most = number;
    constant.of_class = of_class;
  }
  if (counts.num_labels > 0) {
    constant.value = counts.sum / static_cast<double>(counts.num_labels);
  }
  return constant;
}

std::vector<float> SharesOf(const LabelCounts& counts, int64_t num_classes) {
  if (counts.classes.empty()) return {};
  const int64_t last = counts.classes.rbegin()->first;
  const bool fits = counts.classes.begin()->first >= 0 &&
                    (num_classes > 0 ? last < num_classes : last < kMaxNameless);
  if (!fits) return {};
  std::vector<float> shares(static_cast<size_t>(std::max(num_classes, last + 1)));
  for (const auto& [of_class, number] : counts.classes) {
    shares[static_cast<size_t>(of_class)] =
        static_cast<float>(static_cast<double>(number) / static_cast<double>(counts.num_labels));
  }
  return shares;
}

// Baselines that have a value, and need no further data.
std::vector<MeasureSpec> MeasuresFor(const EvaluationSpec& spec, bool with_probabilities) {
  std::vector<MeasureSpec> measures;
  for (const MeasureSpec& measure : spec.measures) {
    if (!measure->HasValue()) continue;
    if (measure->Needs() == Needs::kPredictions || with_probabilities) measures.push_back(measure);
  }
  return measures;
}

ClassPredictions AlwaysSaying(int64_t of_class, const std::vector<float>& shares, size_t num_rows) {
  ClassPredictions always{.classes = std::vector<int64_t>(num_rows, of_class),
                          .num_classes = std::ssize(shares)};
  always.probabilities.reserve(num_rows * shares.size());
  for (size_t row = 0; row < num_rows; ++row) {
    always.probabilities.insert(always.probabilities.end(), shares.begin(), shares.end());
  }
  return always;
}

std::vector<size_t> WithLabels(const batch::Column& labels, std::span<const size_t> rows) {
  std::vector<size_t> labelled;
  for (const size_t row : rows) {
    if (labels.IsValid(static_cast<int64_t>(row))) labelled.push_back(row);
  }
  return labelled;
}

template <typename To, typename From>
std::vector<To> Picked(std::span<const From> values, std::span<const size_t> rows) {
  std::vector<To> picked;
  picked.reserve(rows.size());
  for (const size_t row : rows) picked.push_back(static_cast<To>(values[row]));
  return picked;
}

}  // namespace

WindowBaselines::WindowBaselines(const EvaluationSpec& spec, const v1::JobWindow& window,
                                 Known known)
    : window_(window),
      known_(std::move(known)),
      constant_(ConstantOf(known_.counts)),
      shares_(SharesOf(known_.counts, known_.num_classes)),
      constant_tally_(kConstantBaseline, MeasuresFor(spec, /*with_probabilities=*/!shares_.empty()),
                      kTableBytes),
      last_tally_(kLastBaseline, MeasuresFor(spec, /*with_probabilities=*/false), 0) {}

WindowBaselines::Tally::Tally(std::string_view rule, std::vector<MeasureSpec> of_rule,
                              int64_t max_table_bytes)
    : name(rule), measures(std::move(of_rule)), asked(measures), table(max_table_bytes) {
  for (const MeasureSpec& measure : measures) accumulators.push_back(measure->NewAccumulator());
}

void WindowBaselines::Add(const batch::Batch& samples, std::span<const size_t> rows) {
  if (!status_.ok() || rows.empty() || known_.counts.num_labels == 0) return;
  status_ = AddRows(samples, rows);
}

absl::Status WindowBaselines::AddRows(const batch::Batch& samples, std::span<const size_t> scored) {
  ASSIGN_OR_RETURN(const batch::Column* times,
                   samples.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
  const batch::Column* const labels =
      samples.Find(known_.is_class ? batch::kClassLabelColumn : batch::kRealLabelColumn);
  if (labels == nullptr) return absl::OkStatus();
  const std::vector<size_t> rows = WithLabels(*labels, scored);
  Labelled labelled{.keys = Picked<int64_t>(samples.keys(), rows),
                    .times = Picked<int64_t>(times->Values<int64_t>(), rows)};
  ASSIGN_OR_RETURN(labelled.last, known_.last.At(labelled.times));
  num_samples_ += std::ssize(rows);
  if (known_.is_class) {
    return AddClasses(labelled, Picked<int64_t>(labels->Values<int64_t>(), rows));
  }
  return AddValues(labelled, Picked<float>(labels->Values<double>(), rows));
}

absl::Status WindowBaselines::AddClasses(const Labelled& samples, std::span<const int64_t> truth) {
  const ClassPredictions always = AlwaysSaying(constant_.of_class, shares_, truth.size());
  OutcomeBlock block{.keys = samples.keys, .times = samples.times};
  block.outcomes = {.predicted_classes = always.classes, .true_classes = truth};
  ClassOutcomes derived;
  if (!shares_.empty()) {
    derived = OutcomesOf(always, truth, /*with_scores=*/true);
    block.outcomes.true_probabilities = derived.true_probabilities;
    block.outcomes.top_probabilities = derived.top_probabilities;
    block.outcomes.true_places = derived.true_places;
    block.outcomes.probabilities = always.probabilities;
    block.outcomes.num_classes = always.num_classes;
    block.scores = derived.scores;
  }
  RETURN_IF_ERROR(AddTo(constant_tally_, std::move(block)));
  std::vector<int64_t> repeated;
  for (const auto& label : samples.last) repeated.push_back(label.value_or(constant_).of_class);
  return AddTo(last_tally_, {.keys = samples.keys,
                             .times = samples.times,
                             .outcomes = {.predicted_classes = repeated, .true_classes = truth}});
}

absl::Status WindowBaselines::AddValues(const Labelled& samples, std::span<const float> truth) {
  const std::vector<float> always(truth.size(), static_cast<float>(constant_.value));
  RETURN_IF_ERROR(
      AddTo(constant_tally_, {.keys = samples.keys,
                              .times = samples.times,
                              .outcomes = {.predicted_values = always, .true_values = truth}}));
  std::vector<float> repeated;
  for (const auto& label : samples.last) {
    repeated.push_back(static_cast<float>(label.value_or(constant_).value));
  }
  return AddTo(last_tally_, {.keys = samples.keys,
                             .times = samples.times,
                             .outcomes = {.predicted_values = repeated, .true_values = truth}});
}

void WindowBaselines::Keep(const OutcomeKeeper& keeper) {
  constant_tally_.kept = keeper.NewTable();
  last_tally_.kept = keeper.NewTable();
}

absl::Status WindowBaselines::AddTo(Tally& tally, OutcomeBlock block) {
  RETURN_IF_ERROR(tally.asked.Add(block.outcomes));
  bool is_ranked = false;
  for (const auto& accumulator : tally.accumulators) {
    if (accumulator == nullptr) {
      is_ranked = true;
    } else {
      accumulator->Add(block.outcomes);
    }
  }
  if (is_ranked) tally.table.Add(block);
  if (!tally.kept) return absl::OkStatus();
  if (std::ssize(block.scores) > OutcomeKeeper::kMaxScores * std::ssize(block.keys)) {
    block.scores = {};
  }
  tally.kept->Add(block);
  return absl::OkStatus();
}

v1::ModelScores WindowBaselines::ScoresOf(Tally& tally) {
  v1::ModelScores scores;
  v1::Evaluation& common = *scores.mutable_common();
  common.set_window_index(window_.window_index());
  common.set_trigger(window_.window().trigger_in_use());
  common.set_baseline(std::string(tally.name));
  if (!status_.ok()) common.set_failure(ShortReason(status_));
  if (status_.ok()) common.set_num_samples(num_samples_);
  tally.table.Seal();
  for (size_t i = 0; i < tally.measures.size(); ++i) {
    v1::Evaluation& score = *scores.add_scores();
    score.set_measure(tally.measures[i]->Name());
    if (!status_.ok()) continue;
    const Accumulator* const accumulator = tally.accumulators[i].get();
    const auto value = accumulator != nullptr ? accumulator->Value()
                                              : tally.measures[i]->ValueOf(tally.table.outcomes());
    if (value) score.set_value(*value);
    if (accumulator != nullptr) score.set_sums(accumulator->Sums());
  }
  status_.Update(tally.asked.TakeFaults());
  tally.asked.Describe(*scores.mutable_scores());
  if (status_.ok() && tally.kept && tally.kept->num_kept() > 0) {
    SetOutcomes(*tally.kept, /*in_use=*/false, scores);
  }
  return scores;
}

std::vector<v1::ModelScores> WindowBaselines::Scores() {
  std::vector<v1::ModelScores> all;
  if (known_.counts.num_labels == 0 && status_.ok()) return all;
  for (Tally* tally : {&constant_tally_, &last_tally_}) {
    if (!tally->measures.empty()) all.push_back(ScoresOf(*tally));
  }
  return all;
}

Baselines::Baselines(const storage::StorageClient& storage,
                     const v1::StartEvaluationRequest& request, const EvaluationSpec& spec,
                     const storage::DatasetSpec& dataset)
    : spec_(spec),
      label_(storage::EffectiveLabel(dataset)),
      counted_(LabelStream(storage, request.known_labels().snapshot(),
                           request.known_labels().has_from()
                               ? std::optional(request.known_labels().from())
                               : std::nullopt,
                           IsClass(label_)),
               IsClass(label_)),
      last_(LabelStream(storage, request.snapshot(), std::nullopt, IsClass(label_)),
            storage::EffectiveLabelDelay(dataset)) {}

absl::StatusOr<LabelCounts> Baselines::Find(const v1::Window& window) {
  rpc::v1::Cut from = window.from();
  if (!window.has_from()) from.set_event_time(std::numeric_limits<int64_t>::min());
  RETURN_IF_ERROR(last_.Enter(from));
  return counted_.Before(window.known_to());
}

absl::StatusOr<std::unique_ptr<WindowBaselines>> Baselines::Enter(const v1::JobWindow& window) {
  if (!window.window().has_known_to()) return nullptr;
  absl::StatusOr<LabelCounts> counts = Find(window.window());
  absl::Status found = counts.status();
  if (IsTransient(found)) return found;
  auto baselines = std::make_unique<WindowBaselines>(
      spec_, window,
      WindowBaselines::Known{.counts = found.ok() ? *std::move(counts) : LabelCounts(),
                             .num_classes = std::ssize(label_.classes),
                             .is_class = IsClass(label_),
                             .last = last_});
  baselines->Fail(found);
  return baselines;
}

}  // namespace tidemill::evaluator
