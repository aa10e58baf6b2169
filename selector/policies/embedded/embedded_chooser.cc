#include "selector/policies/embedded/embedded_chooser.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "selector/choosing/chosen_rows.h"
#include "selector/columns/key_column.h"
#include "selector/columns/number_column.h"

namespace tidemill::selector {
namespace {

constexpr size_t kAskedAtOnce = 500'000;

bool IsFinite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

// Rows of numbers that come in batches, all of the same width.
class ModelColumn {
 public:
  ModelColumn(std::string name, const Workplace& workplace, int64_t budget, int64_t max_rows)
      : name_(std::move(name)), folder_(workplace.folder), budget_(budget), max_rows_(max_rows) {}

  // Reads a batch. RowOf() and AppendRow() refer to the last one.
  absl::Status Look(const batch::Batch& batch) {
    ASSIGN_OR_RETURN(const batch::Column* column, batch.Get(name_, batch::DataType::kFloat32));
    if (numbers_ == nullptr) {
      width_ = column->Width();
      numbers_ = std::make_unique<NumberColumn<float>>(folder_, budget_, max_rows_ * width_);
    }
    if (column->Width() != width_) {
      return Internal("column `{}` has {} numbers in a row; before, it had {}", name_,
                      column->Width(), width_);
    }
    values_ = column->Values<float>();
    return absl::OkStatus();
  }
  std::span<const float> RowOf(int64_t row) const {
    return values_.subspan(static_cast<size_t>(row * width_), static_cast<size_t>(width_));
  }
  absl::Status AppendRow(int64_t row) { return numbers_->Append(RowOf(row)); }

  absl::StatusOr<subsets::Rows> View(int64_t num_rows) {
    if (numbers_ == nullptr) return subsets::Rows{};
    ASSIGN_OR_RETURN(const std::span<const float> values, numbers_->View());
    return subsets::Rows{.values = values, .num_rows = num_rows, .width = width_};
  }

 private:
  const std::string name_;
  const std::string folder_;
  const int64_t budget_;
  const int64_t max_rows_;
  int64_t width_ = 0;
  std::unique_ptr<NumberColumn<float>> numbers_;
  std::span<const float> values_;
};

// The model's answers for the candidates that it can answer.
class ModelFacts {
 public:
  ModelFacts(bool with_predictions, const Workplace& workplace, int64_t max_rows)
      : with_predictions_(with_predictions),
        keys_(workplace.folder, workplace.memory_budget / 4, max_rows),
        embeddings_("embedding", workplace, workplace.memory_budget / 2, max_rows),
        predictions_("prediction", workplace, workplace.memory_budget / 4, max_rows) {}

  absl::Status Add(const batch::Batch& rows) {
    if (rows.num_rows() == 0) return absl::OkStatus();
    RETURN_IF_ERROR(embeddings_.Look(rows));
    if (with_predictions_) RETURN_IF_ERROR(predictions_.Look(rows));
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      if (!IsFinite(embeddings_.RowOf(row))) continue;
      if (with_predictions_ && !IsFinite(predictions_.RowOf(row))) continue;
      RETURN_IF_ERROR(keys_.Append(rows.keys().subspan(static_cast<size_t>(row), 1)));
      RETURN_IF_ERROR(embeddings_.AppendRow(row));
      if (with_predictions_) RETURN_IF_ERROR(predictions_.AppendRow(row));
      ++num_rows_;
    }
    return absl::OkStatus();
  }

  // Valid as long as this object.
  absl::StatusOr<EmbeddedCandidates> View() {
    EmbeddedCandidates candidates;
    ASSIGN_OR_RETURN(candidates.keys, keys_.View());
    ASSIGN_OR_RETURN(candidates.embeddings, embeddings_.View(num_rows_));
    if (with_predictions_) {
      ASSIGN_OR_RETURN(candidates.predictions, predictions_.View(num_rows_));
    }
    return candidates;
  }

 private:
  const bool with_predictions_;
  int64_t num_rows_ = 0;
  NumberColumn<int64_t> keys_;
  ModelColumn embeddings_;
  ModelColumn predictions_;
};

class EmbeddedChooser final : public Chooser {
 public:
  EmbeddedChooser(const EmbeddedOptions& options, ChooseRows choose, const RandomKey& random,
                  const Workplace& workplace, TrainingSetWriter& into)
      : options_(options),
        choose_(std::move(choose)),
        random_(random),
        workplace_(workplace),
        into_(into),
        keys_(workplace.folder, workplace.memory_budget / 4) {}

  absl::Status Add(const Candidates& candidates) override { return keys_.Append(candidates.keys); }

  absl::Status Finish() override {
    if (workplace_.facts == nullptr || !workplace_.facts->has_model()) return ChooseAll();
    ModelFacts facts(options_.with_predictions, workplace_, keys_.size());
    RETURN_IF_ERROR(AskOf(facts));
    ASSIGN_OR_RETURN(const EmbeddedCandidates candidates, facts.View());
    const int64_t num_rows = candidates.embeddings.num_rows;
    notes_.num_left_out = keys_.size() - num_rows;
    if (num_rows == 0) return into_.Open(/*weighted=*/false);
    ASSIGN_OR_RETURN(EmbeddedChoice chosen, choose_(candidates, random_, workplace_));
    notes_.num_left_out += chosen.choice.num_left_out;
    notes_.objective = chosen.objective;
    notes_.remarks = std::move(chosen.remarks);
    return WriteChosenRows(std::move(chosen.choice), candidates.keys, into_);
  }

  ChoiceNotes notes() const override { return notes_; }

 private:
  // Each question has its price, so they are few.
  absl::Status AskOf(ModelFacts& facts) {
    std::vector<int64_t> asked;
    const auto ask = [&] {
      const absl::Status status =
          workplace_.facts->ReadModel(asked, options_.with_predictions,
                                      [&](const batch::Batch& rows) { return facts.Add(rows); });
      asked.clear();
      return status;
    };
    RETURN_IF_ERROR(keys_.ForEach(0, [&](std::span<const int64_t> keys) {
      asked.insert(asked.end(), keys.begin(), keys.end());
      return asked.size() < kAskedAtOnce ? absl::OkStatus() : ask();
    }));
    return asked.empty() ? absl::OkStatus() : ask();
  }

  absl::Status ChooseAll() {
    notes_.remarks.emplace_back("the run had no model yet, so all candidates were chosen");
    RETURN_IF_ERROR(into_.Open(/*weighted=*/false));
    return keys_.ForEach(0, [&](std::span<const int64_t> keys) { return into_.AddKeys(keys); });
  }

  const EmbeddedOptions options_;
  const ChooseRows choose_;
  const RandomKey random_;
  const Workplace workplace_;
  TrainingSetWriter& into_;
  KeyColumn keys_;
  ChoiceNotes notes_;
};

}  // namespace

std::unique_ptr<Chooser> MakeEmbeddedChooser(const EmbeddedOptions& options, ChooseRows choose,
                                             const RandomKey& random, const Workplace& workplace,
                                             TrainingSetWriter& into) {
  return std::make_unique<EmbeddedChooser>(options, std::move(choose), random, workplace, into);
}

}  // namespace tidemill::selector
