// How downsampling methods choose. There are three ways, each a class that methods are derived
// from. All are pure functions, and thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "loader/plan/subset.h"
#include "models/training/downsampling_spec.h"
#include "subsets/rows.h"

namespace tidemill::trainer_server {

// A score of a sample; sample_scores.cc computes it.
enum class ScoreOf {
  kLoss,                   // As it is trained: with class weights and smoothing.
  kGradientNorm,           // ||dL / d outputs||.
  kLastLayerGradientNorm,  // ||dL / d (weights and bias of the last layer)||; needs embeddings.
  kGreatestProbability,    // Of a class.
  kMargin,                 // Greatest probability minus the second.
  kEntropy,                // -sum p log p.
  kError,                  // ||p - y|| for classes, ||output - y|| for real labels.
};

// What a method asks of a sample.
struct Question {
  // Without: gradients.
  std::optional<ScoreOf> score = ScoreOf::kLoss;
  bool embeddings = false;
  // Choices are then made from each class by itself.
  bool classes = false;
  // By ordinal, what is subtracted from the score; empty for nothing.
  std::vector<float> subtracted = {};
};

// What was seen of samples that could be read; entry i of each array is of ordinals[i]. Arrays that
// a method does not look at are empty.
struct Seen {
  std::vector<int64_t> ordinals = {};
  std::vector<double> scores = {};
  std::vector<int64_t> classes = {};
  // dL / d outputs, `width` numbers each, and embeddings.
  std::vector<float> gradients = {};
  int64_t width = 0;
  std::vector<float> embeddings = {};
  int64_t embedding_width = 0;
  int64_t num_skipped = 0;

  int64_t size() const { return static_cast<int64_t>(ordinals.size()); }
  std::span<const float> Gradient(int64_t row) const { return RowOf(gradients, width, row); }
  std::span<const float> Embedding(int64_t row) const {
    return RowOf(embeddings, embedding_width, row);
  }

 private:
  static std::span<const float> RowOf(const std::vector<float>& values, int64_t width,
                                      int64_t row) {
    return std::span(values).subspan(static_cast<size_t>(row * width), static_cast<size_t>(width));
  }
};

// Samples of each epoch: `draw` or `subset`, with neither all of them.
struct BlindChoice {
  int64_t num_samples = 0;  // Of an epoch.
  std::optional<loader::RepeatedDraw> draw = std::nullopt;
  std::optional<loader::Subset> subset = std::nullopt;
};

// Looks at no sample.
class BlindMethod {
 public:
  virtual ~BlindMethod() = default;
  // Of so many samples.
  virtual BlindChoice Choose(int64_t num_samples, const RandomKey& random) const = 0;
};

// What a judging method asks, and when.
struct Judging {
  Question question = {};
  // Share of the samples that is kept.
  double fraction = 1;
  // Out of each large batch, instead of out of all samples before each period.
  bool by_batch = false;
  // In epochs; 0: once a training.
  int64_t period = 1;
};

// Looks at what the network says of samples.
class JudgingMethod {
 public:
  explicit JudgingMethod(Judging judging) : judging_(std::move(judging)) {}
  virtual ~JudgingMethod() = default;

  const Judging& judging() const { return judging_; }
  // At most k of the rows `rows` of `seen`, as rows of it. Their scores or gradients are finite.
  virtual subsets::Choice ChooseRows(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                                     const RandomKey& random) const = 0;

 private:
  const Judging judging_;
};

// Looks at the losses that the training itself has seen; no pass is made for it.
class LossMethod {
 public:
  virtual ~LossMethod() = default;
  // Before an epoch, from 0, of so many. By ordinal: the last loss of each sample, NaN where none
  // was seen. std::nullopt: everything, unweighted.
  virtual std::optional<subsets::Choice> Choose(std::span<const float> losses, int64_t epoch,
                                                int64_t num_epochs,
                                                const RandomKey& random) const = 0;
};

using Method =
    std::variant<std::unique_ptr<const BlindMethod>, std::unique_ptr<const JudgingMethod>,
                 std::unique_ptr<const LossMethod>>;

// What a method does that is no schedule.
Method MethodOf(const models::DownsamplingSpec& spec);

// max(int(fraction * count), 1); 0 of none.
int64_t NumKept(double fraction, int64_t count);

// k shared out among groups of so many samples, in proportion and no more than each has; the
// greatest rests round up, and each group with any gives one while k allows. They add up to k or to
// all there are.
std::vector<int64_t> ShareOut(std::span<const int64_t> counts, int64_t k);

}  // namespace tidemill::trainer_server
