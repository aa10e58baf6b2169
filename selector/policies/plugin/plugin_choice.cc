#include "selector/policies/plugin/plugin_choice.h"

#include <cmath>
#include <span>

namespace tidemill::selector {

PluginChoice::PluginChoice(const std::string& folder, int64_t memory_budget, int64_t most_rows)
    : folder_(folder),
      memory_budget_(memory_budget),
      most_rows_(most_rows),
      keys_(folder, memory_budget / 2) {}

absl::Status PluginChoice::Take(const batch::Batch& answer, const KeyColumn& candidates) {
  if (answer.num_rows() == 0) return absl::OkStatus();
  const batch::Column* const rows = answer.Find("row");
  if (rows == nullptr || rows->type != batch::DataType::kInt64 || rows->Width() != 1) {
    return InvalidArgument("it returned a choice without a column of rows");
  }
  // Its process can still write to its answer, so what is looked at is a copy.
  const auto said = rows->Values<int64_t>();
  rows_.assign(said.begin(), said.end());
  RETURN_IF_ERROR(CheckRows(candidates.size()));
  RETURN_IF_ERROR(TakeWeights(answer));
  last_row_ = rows_.back();
  row_keys_.resize(rows_.size());
  RETURN_IF_ERROR(candidates.Take(rows_, row_keys_));
  return keys_.Append(row_keys_);
}

absl::Status PluginChoice::CheckRows(int64_t num_candidates) const {
  int64_t last = last_row_;
  for (const int64_t row : rows_) {
    if (row < 0 || row >= num_candidates) {
      return InvalidArgument("it chose row {}, but there are only {} candidates so far", row,
                             num_candidates);
    }
    if (row <= last) {
      return InvalidArgument("it chose row {} after row {}; rows must ascend, each once", row,
                             last);
    }
    last = row;
  }
  return absl::OkStatus();
}

absl::Status PluginChoice::TakeWeights(const batch::Batch& answer) {
  const batch::Column* const weights = answer.Find("weight");
  if (is_weighted_.value_or(weights != nullptr) != (weights != nullptr)) {
    return InvalidArgument("it gave weights for only some of its rows");
  }
  is_weighted_ = weights != nullptr;
  if (weights == nullptr) return absl::OkStatus();
  if (weights->type != batch::DataType::kFloat32 || weights->Width() != 1) {
    return InvalidArgument("its weights are not one float32 number for each row");
  }
  const auto said = weights->Values<float>();
  row_weights_.assign(said.begin(), said.end());
  for (size_t i = 0; i < row_weights_.size(); ++i) {
    has_weight_ |= row_weights_[i] > 0;
    if (std::isfinite(row_weights_[i]) && row_weights_[i] >= 0) continue;
    return InvalidArgument("it gave row {} the weight {}; weights are finite and not negative",
                           rows_[i], row_weights_[i]);
  }
  if (weights_ == nullptr) {
    weights_ = std::make_unique<NumberColumn<float>>(folder_, memory_budget_ / 2, most_rows_);
  }
  return weights_->Append(row_weights_);
}

absl::Status PluginChoice::CheckWhole() const {
  if (!is_weighted_.value_or(false) || has_weight_) return absl::OkStatus();
  return InvalidArgument("the weights of all {} rows that it chose are zero", num_rows());
}

absl::Status PluginChoice::WriteTo(TrainingSetWriter& into) {
  RETURN_IF_ERROR(into.Open(is_weighted_.value_or(false)));
  RETURN_IF_ERROR(
      keys_.ForEach(0, [&](std::span<const int64_t> keys) { return into.AddKeys(keys); }));
  if (weights_ == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::span<const float> weights, weights_->View());
  return into.AddWeights(weights);
}

}  // namespace tidemill::selector
