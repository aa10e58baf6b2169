#include "selector/policies/importance.h"

#include <utility>

#include "selector/choosing/chooser.h"
#include "selector/choosing/chosen_rows.h"
#include "selector/columns/key_column.h"
#include "selector/columns/number_column.h"
#include "subsets/sampling.h"

namespace tidemill::selector {
namespace {

subsets::DrawMethod MethodOf(Sampling sampling) {
  switch (sampling) {
    case Sampling::kPoisson:
      return subsets::DrawMethod::kPoisson;
    case Sampling::kSystematic:
      return subsets::DrawMethod::kSystematic;
    default:
      return subsets::DrawMethod::kPriority;
  }
}

// The numbers of the candidates that have one.
class Scores {
 public:
  Scores(const Workplace& workplace, int64_t num_candidates)
      : keys_(workplace.folder, workplace.memory_budget / 4, num_candidates),
        scores_(workplace.folder, workplace.memory_budget / 4, num_candidates) {}

  absl::Status Add(const batch::Batch& rows) {
    if (rows.num_rows() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const batch::Column* column, rows.Get("values", batch::DataType::kFloat32));
    const auto values = column->Values<float>();
    RETURN_IF_ERROR(keys_.Append(rows.keys()));
    return scores_.Append(std::vector<double>(values.begin(), values.end()));
  }

  absl::StatusOr<std::span<const int64_t>> keys() { return keys_.View(); }
  absl::StatusOr<std::span<const double>> scores() { return scores_.View(); }

 private:
  NumberColumn<int64_t> keys_;
  NumberColumn<double> scores_;
};

class ImportanceChooser final : public Chooser {
 public:
  ImportanceChooser(const Importance& spec, const RandomKey& random, const Workplace& workplace,
                    TrainingSetWriter& into)
      : spec_(spec),
        random_(random),
        workplace_(workplace),
        into_(into),
        candidates_(workplace.folder, workplace.memory_budget / 4) {}

  absl::Status Add(const Candidates& candidates) override {
    return candidates_.Append(candidates.keys);
  }

  absl::Status Finish() override {
    if (workplace_.facts == nullptr) {
      return FailedPrecondition(
          "the column `{}` cannot be read because there is no reader of samples", spec_.column);
    }
    Scores scores(workplace_, candidates_.size());
    RETURN_IF_ERROR(candidates_.ForEach(0, [&](std::span<const int64_t> keys) {
      return workplace_.facts->ReadColumn(
          keys, spec_.column, [&](const batch::Batch& rows) { return scores.Add(rows); });
    }));
    ASSIGN_OR_RETURN(const std::span<const int64_t> keys, scores.keys());
    ASSIGN_OR_RETURN(const std::span<const double> numbers, scores.scores());
    const int64_t num_unread = candidates_.size() - std::ssize(keys);
    subsets::Choice choice =
        subsets::DrawByScore(MethodOf(spec_.sampling), numbers, spec_.Target(candidates_.size()),
                             random_, spec_.smoothing, keys);
    notes_.num_left_out = num_unread + choice.num_left_out;
    DropEqualWeights(choice);
    return WriteChosenRows(std::move(choice), keys, into_);
  }

  ChoiceNotes notes() const override { return notes_; }

 private:
  // Where every sample is drawn, or each as likely.
  static void DropEqualWeights(subsets::Choice& choice) {
    for (const double weight : choice.weights) {
      if (static_cast<float>(weight) != 1.0F) return;
    }
    choice.weights.clear();
  }

  const Importance spec_;
  const RandomKey random_;
  const Workplace workplace_;
  TrainingSetWriter& into_;
  KeyColumn candidates_;
  ChoiceNotes notes_;
};

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const Importance& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return std::make_unique<ImportanceChooser>(spec, random, workplace, into);
}

}  // namespace tidemill::selector
