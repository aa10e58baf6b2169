// The ways in which downsampling methods choose. There are three, each a class from which methods
// are derived. All are pure functions, and thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/numbers/random.h"
#include "loader/plan/subset.h"
#include "models/training/downsampling_spec.h"
#include "subsets/rows.h"
#include "trainer_server/downsampling/spec/sample_scorer.h"

namespace tidemill::trainer_server {

// The scores of a sample. sample_scores.cc computes them.
enum class ScoreOf {
  kLoss,                   // As it is trained on: with class weights and smoothing.
  kGradientNorm,           // ||dL / d outputs||.
  kLastLayerGradientNorm,  // ||dL / d (weights and bias of the last layer)||; needs embeddings.
  kGreatestProbability,    // The greatest probability of a class.
  kMargin,                 // The greatest probability minus the second.
  kEntropy,                // -sum p log p.
  kError,                  // ||p - y|| for classes, ||output - y|| for real labels.
};

// When the samples of a training set happened, in microseconds.
struct SampleTimes {
  std::vector<int64_t> event_times = {};  // The event time of each ordinal.
  int64_t newest = 0;                     // The greatest event time that storage knows.
};

// The inputs that a method needs for each sample.
struct Question {
  // Without a score and a scorer, gradients are needed.
  std::optional<ScoreOf> score = ScoreOf::kLoss;
  // A user's code that computes the scores. One training at a time calls it.
  std::shared_ptr<SampleScorer> scorer = nullptr;
  bool embeddings = false;
  // Whether choices are made from each class separately.
  bool classes = false;
  // For each ordinal, the number that is subtracted from the score. Empty when nothing is
  // subtracted.
  std::vector<float> subtracted = {};
  // For a scorer that uses times: the times of all ordinals.
  std::shared_ptr<const SampleTimes> times = nullptr;
};

// The inputs for the samples that could be read. Entry i of each array belongs to ordinals[i].
// Arrays that a method does not use are empty.
struct Seen {
  std::vector<int64_t> ordinals = {};
  std::vector<double> scores = {};
  std::vector<int64_t> classes = {};
  // dL / d outputs, `width` numbers for each sample, and the embeddings.
  std::vector<float> gradients = {};
  int64_t width = 0;
  std::vector<float> embeddings = {};
  int64_t embedding_width = 0;
  int64_t num_skipped = 0;
  int64_t num_filtered = 0;
  // How long the pass waited for batches.
  double wait_seconds = 0;

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

// The samples of each epoch: `draw` or `subset`. Without either, all samples.
struct BlindChoice {
  int64_t num_samples = 0;  // The number in one epoch.
  std::optional<loader::RepeatedDraw> draw = std::nullopt;
  std::optional<loader::Subset> subset = std::nullopt;
};

// Chooses without data of samples.
class BlindMethod {
 public:
  virtual ~BlindMethod() = default;
  // Chooses from `num_samples` samples.
  virtual BlindChoice Choose(int64_t num_samples, const RandomKey& random) const = 0;
};

// The inputs of a judging method, and when it chooses.
struct Judging {
  Question question = {};
  // The share of the samples that is kept.
  double fraction = 1;
  // Whether it chooses from each large batch, instead of from all samples before each period.
  bool by_batch = false;
  // The number of epochs of a period; 0 means one choice per training.
  int64_t period = 1;
};

// Chooses by the network's answers about samples.
class JudgingMethod {
 public:
  explicit JudgingMethod(Judging judging) : judging_(std::move(judging)) {}
  virtual ~JudgingMethod() = default;

  const Judging& judging() const { return judging_; }
  // Chooses at most k of the rows `rows` of `seen`, whose scores or gradients are finite. Returns
  // rows of `seen`.
  virtual subsets::Choice ChooseRows(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                                     const RandomKey& random) const = 0;

 private:
  const Judging judging_;
};

// Chooses by the losses that the training itself has computed. Needs no extra pass.
class LossMethod {
 public:
  virtual ~LossMethod() = default;
  // Chooses before epoch `epoch`, from 0, of `num_epochs`. `losses` has the last loss of each
  // ordinal, NaN when there is none yet. std::nullopt means all samples, unweighted.
  virtual std::optional<subsets::Choice> Choose(std::span<const float> losses, int64_t epoch,
                                                int64_t num_epochs,
                                                const RandomKey& random) const = 0;
};

using Method =
    std::variant<std::unique_ptr<const BlindMethod>, std::unique_ptr<const JudgingMethod>,
                 std::unique_ptr<const LossMethod>>;

// Returns the method of a spec, which must not be a schedule.
Method MethodOf(const models::DownsamplingSpec& spec);

// Returns max(int(fraction * count), 1), and 0 when count is 0.
int64_t NumKept(double fraction, int64_t count);

// Divides k among groups with these numbers of samples, in proportion. No group gives more than it
// has. The groups with the greatest remainders round up. Each group that has samples gives at least
// one while k allows. The shares add up to k, or to all samples.
std::vector<int64_t> ShareOut(std::span<const int64_t> counts, int64_t k);

}  // namespace tidemill::trainer_server
