#include "trainer_server/downsampling/score_block.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "trainer_server/downsampling/sample_scores.h"

namespace tidemill::trainer_server {
namespace {

constexpr double kSecond = 1e6;  // In microseconds.

// Adds columns to one block, and notes the rows whose numbers are not all finite.
class BlockMaker {
 public:
  explicit BlockMaker(int64_t num_rows)
      : columns_(num_rows), is_finite_(static_cast<size_t>(num_rows), true) {}

  template <typename T>
  absl::Status Add(std::string_view name, std::span<const T> values,
                   std::vector<int64_t> shape = {}) {
    return columns_.Set(batch::MakeColumn<T>(name, values, std::move(shape)));
  }

  // The column of a tensor [n] or [n, ...]: one number a row, or several. A copy of the tensor's
  // numbers is made, which may be on a device.
  template <typename T>
  absl::Status Add(std::string_view name, const torch::Tensor& tensor, torch::ScalarType type) {
    const torch::Tensor numbers = tensor.to(torch::kCPU, type).contiguous();
    const std::span<const T> values(numbers.data_ptr<T>(), static_cast<size_t>(numbers.numel()));
    const auto sizes = numbers.sizes();
    if constexpr (std::is_floating_point_v<T>) NoteFinite(values);
    return Add<T>(name, values, {sizes.begin() + 1, sizes.end()});
  }

  ScoreBlock Finish() && {
    ScoreBlock block;
    for (size_t row = 0; row < is_finite_.size(); ++row) {
      if (is_finite_[row]) block.rows.push_back(static_cast<int64_t>(row));
    }
    const bool all = block.rows.size() == is_finite_.size();
    block.columns = all ? std::move(columns_) : columns_.Take(block.rows);
    return block;
  }

 private:
  template <typename T>
  void NoteFinite(std::span<const T> values) {
    if (is_finite_.empty()) return;
    const size_t width = values.size() / is_finite_.size();
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) is_finite_[i / width] = false;
    }
  }

  batch::Batch columns_;
  std::vector<bool> is_finite_;
};

absl::Status AddTimes(const ScoreLooksAt& looks_at, const SampleTimes& times,
                      std::span<const int64_t> ordinals, BlockMaker& maker) {
  std::vector<int64_t> event_times;
  std::vector<double> ages;
  for (const int64_t ordinal : ordinals) {
    const int64_t time = times.event_times[static_cast<size_t>(ordinal)];
    event_times.push_back(time);
    // As two numbers of float64: a difference of times may not fit their type.
    ages.push_back((static_cast<double>(times.newest) - static_cast<double>(time)) / kSecond);
  }
  if (looks_at.event_times) {
    RETURN_IF_ERROR(maker.Add<int64_t>("event_times", std::span<const int64_t>(event_times)));
  }
  if (!looks_at.ages) return absl::OkStatus();
  return maker.Add<double>("ages", std::span<const double>(ages));
}

}  // namespace

absl::StatusOr<ScoreBlock> MakeScoreBlock(const Question& question, const models::LossSpec& loss,
                                          const batch::Batch& batch, const Answers& answers) {
  const ScoreLooksAt& looks_at = question.scorer->looks_at();
  BlockMaker maker(batch.num_rows());
  RETURN_IF_ERROR(maker.Add<int64_t>(batch::kKeyColumn, batch.keys()));
  if (looks_at.losses) {
    RETURN_IF_ERROR(
        maker.Add<float>("losses", Score(ScoreOf::kLoss, loss, answers), torch::kFloat32));
  }
  if (looks_at.probabilities) {
    RETURN_IF_ERROR(
        maker.Add<float>("probabilities", Probabilities(loss, answers.output), torch::kFloat32));
  }
  if (looks_at.embeddings) {
    RETURN_IF_ERROR(maker.Add<float>("embeddings", answers.embedding, torch::kFloat32));
  }
  if (looks_at.labels && loss->IsOfClasses()) {
    RETURN_IF_ERROR(maker.Add<int64_t>("labels", answers.target, torch::kInt64));
  } else if (looks_at.labels) {
    RETURN_IF_ERROR(maker.Add<double>("labels", answers.target, torch::kFloat64));
  }
  if (looks_at.any_times()) {
    ASSIGN_OR_RETURN(const batch::Column* const ordinals,
                     batch.Get(batch::kOrdinalColumn, batch::DataType::kInt64));
    RETURN_IF_ERROR(AddTimes(looks_at, *question.times, ordinals->Values<int64_t>(), maker));
  }
  return std::move(maker).Finish();
}

}  // namespace tidemill::trainer_server
