#include "trainer_server/trials/score_promises.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "fmt/format.h"

#include "base/numbers/random.h"
#include "batch/slice.h"
#include "trainer_server/downsampling/spec/plugin_scorer.h"

namespace tidemill::trainer_server::trials {
namespace {

using batch::Batch;
using plugin::Promise;

constexpr int64_t kClasses = 3;
constexpr int64_t kEmbeddingWidth = 8;
constexpr int64_t kFirstKey = int64_t{1} << 44;
constexpr int64_t kFirstTime = 1'700'000'000'000'000;
constexpr int64_t kStep = 10'000'000;  // Microseconds from a sample to the next.
constexpr int64_t kLargeBlock = 1000;

// A number from 0 to 1, always the same.
double Unit(std::string_view purpose, int64_t row, int64_t place = 0) {
  return RandomUnit({.seed = 1, .purpose = purpose, .epoch = place}, row);
}

// Samples in the order of their times. Every hundredth is an edge: a loss of nothing, or a huge
// one.
float LossOf(int64_t row) {
  if (row % 100 == 50) return 0;
  if (row % 100 == 99) return 1e30F;
  return static_cast<float>(-std::log(1 - Unit("loss", row)));
}

void AddProbabilities(int64_t row, std::vector<float>& probabilities) {
  double parts[kClasses];
  for (int64_t place = 0; place < kClasses; ++place) {
    parts[place] = 0.01 + Unit("probability", row, place);
  }
  const double sum = std::accumulate(std::begin(parts), std::end(parts), 0.0);
  for (const double part : parts) probabilities.push_back(static_cast<float>(part / sum));
}

// The columns of `num_rows` samples that a plug-in could look at.
struct Columns {
  explicit Columns(int64_t num_rows) {
    for (int64_t row = 0; row < num_rows; ++row) {
      keys.push_back(kFirstKey + row);
      losses.push_back(LossOf(row));
      AddProbabilities(row, probabilities);
      for (int64_t place = 0; place < kEmbeddingWidth; ++place) {
        embeddings.push_back(static_cast<float>(2 * Unit("embedding", row, place) - 1));
      }
      labels.push_back(static_cast<int64_t>(Unit("label", row) * kClasses));
      event_times.push_back(kFirstTime + row * kStep);
      ages.push_back(static_cast<double>((num_rows - 1 - row) * kStep) / 1e6);
    }
  }

  std::vector<int64_t> keys, labels, event_times;
  std::vector<float> losses, probabilities, embeddings;
  std::vector<double> ages;
};

template <typename T>
absl::Status AddIf(bool is_looked_at, const char* name, const std::vector<T>& values, Batch& block,
                   std::vector<int64_t> shape = {}) {
  if (!is_looked_at) return absl::OkStatus();
  return block.Set(batch::MakeColumn<T>(name, std::span<const T>(values), std::move(shape)));
}

absl::StatusOr<Batch> MakeBlock(const ScoreLooksAt& looks_at, int64_t num_rows) {
  const Columns columns(num_rows);
  Batch block(num_rows);
  RETURN_IF_ERROR(AddIf(true, "key", columns.keys, block));
  RETURN_IF_ERROR(AddIf(looks_at.losses, "losses", columns.losses, block));
  RETURN_IF_ERROR(
      AddIf(looks_at.probabilities, "probabilities", columns.probabilities, block, {kClasses}));
  RETURN_IF_ERROR(
      AddIf(looks_at.embeddings, "embeddings", columns.embeddings, block, {kEmbeddingWidth}));
  RETURN_IF_ERROR(AddIf(looks_at.labels, "labels", columns.labels, block));
  RETURN_IF_ERROR(AddIf(looks_at.event_times, "event_times", columns.event_times, block));
  RETURN_IF_ERROR(AddIf(looks_at.ages, "ages", columns.ages, block));
  return block;
}

absl::StatusOr<std::vector<double>> ScoreInBlocks(PluginScorer& scorer, const Batch& samples,
                                                  int64_t rows) {
  std::vector<double> scores;
  for (int64_t from = 0; from < samples.num_rows(); from += rows) {
    const int64_t to = std::min(from + rows, samples.num_rows());
    ASSIGN_OR_RETURN(const std::vector<double> some, scorer.Score(batch::Slice(samples, from, to)));
    scores.insert(scores.end(), some.begin(), some.end());
  }
  return scores;
}

// The scores of the rows in another order, put back into the first order.
absl::StatusOr<std::vector<double>> ScoreShuffled(PluginScorer& scorer, const Batch& samples) {
  std::vector<int64_t> order(static_cast<size_t>(samples.num_rows()));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(),
            [](int64_t a, int64_t b) { return Unit("order", a) < Unit("order", b); });
  ASSIGN_OR_RETURN(const std::vector<double> moved,
                   ScoreInBlocks(scorer, samples.Take(order), kLargeBlock));
  std::vector<double> scores(moved.size());
  for (size_t i = 0; i < order.size(); ++i) scores[static_cast<size_t>(order[i])] = moved[i];
  return scores;
}

// "" where both are the same to the last bit.
std::string Difference(const std::vector<double>& expected,
                       const absl::StatusOr<std::vector<double>>& seen, std::string_view how) {
  if (!seen.ok()) return std::string(seen.status().message());
  for (size_t row = 0; row < expected.size(); ++row) {
    if (std::bit_cast<uint64_t>(expected[row]) == std::bit_cast<uint64_t>((*seen)[row])) continue;
    return fmt::format("row {} scored {} {}, and {} in blocks of {}", row, (*seen)[row], how,
                       expected[row], kLargeBlock);
  }
  return "";
}

void Note(std::string text, std::string difference, ScoreTrial& trial) {
  const bool is_kept = difference.empty();
  trial.promises.push_back({std::move(text), is_kept, std::move(difference)});
}

}  // namespace

bool ScoreTrial::KeepsAll() const {
  return std::ranges::all_of(promises, [](const Promise& promise) { return promise.is_kept; });
}

absl::StatusOr<ScoreTrial> TryScore(const plugin::PluginUse& use, int64_t num_samples) {
  ASSIGN_OR_RETURN(const ScoreDeclaration declaration, ScoreDeclarationOf(use));
  ASSIGN_OR_RETURN(const Batch samples, MakeBlock(declaration.looks_at, num_samples));
  PluginScorer scorer(use);
  // Started before the clock is.
  RETURN_IF_ERROR(
      scorer.Score(batch::Slice(samples, 0, std::min<int64_t>(1, num_samples))).status());
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const std::vector<double> scores, ScoreInBlocks(scorer, samples, kLargeBlock));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  ScoreTrial trial{.num_samples = num_samples,
                   .rows_per_second = static_cast<double>(num_samples) / taken.count()};
  // Score() refuses others.
  Note(declaration.keep == KeepBy::kInProportion ? "gives finite scores that are not negative"
                                                 : "gives finite scores",
       "", trial);
  std::string cut = Difference(scores, ScoreInBlocks(scorer, samples, 7), "in blocks of 7");
  if (cut.empty()) cut = Difference(scores, ScoreInBlocks(scorer, samples, 1), "in blocks of 1");
  Note("scores a row the same in blocks of 1, 7 and 1000 rows", std::move(cut), trial);
  Note("scores a row the same in another order of the rows",
       Difference(scores, ScoreShuffled(scorer, samples), "in another order"), trial);
  PluginScorer other(use);
  Note("scores the same in a new process",
       Difference(scores, ScoreInBlocks(other, samples, kLargeBlock), "in a new process"), trial);
  return trial;
}

}  // namespace tidemill::trainer_server::trials
