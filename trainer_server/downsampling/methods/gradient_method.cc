#include "trainer_server/downsampling/methods/gradient_method.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace tidemill::trainer_server {
namespace {

// Threads that distances and gains are computed on; no result depends on it.
constexpr int kNumThreads = 2;

// The gradients of some rows: of the outputs, or of the last layer, which are their products with 1
// and each number of the embedding.
class Gradients {
 public:
  Gradients(const Seen& seen, std::span<const int64_t> rows, GradientOf of) : width_(seen.width) {
    const bool whole = of == GradientOf::kLastLayer;
    if (whole) width_ *= 1 + seen.embedding_width;
    values_.reserve(rows.size() * static_cast<size_t>(width_));
    for (const int64_t row : rows) {
      const auto gradient = seen.Gradient(row);
      values_.insert(values_.end(), gradient.begin(), gradient.end());
      if (!whole) continue;
      for (const float input : seen.Embedding(row)) {
        for (const float number : gradient) values_.push_back(number * input);
      }
    }
    num_rows_ = std::ssize(rows);
  }

  subsets::Rows rows() const { return {.values = values_, .num_rows = num_rows_, .width = width_}; }

 private:
  int64_t width_;
  int64_t num_rows_ = 0;
  std::vector<float> values_;
};

// In random order, which depends on the ordinals alone.
std::vector<int64_t> Shuffled(const Seen& seen, std::span<const int64_t> rows,
                              const RandomKey& random) {
  std::vector<std::pair<uint64_t, int64_t>> ranked;
  for (const int64_t row : rows) {
    ranked.emplace_back(RandomBits(random, seen.ordinals[static_cast<size_t>(row)]), row);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int64_t> shuffled;
  for (const auto& [bits, row] : ranked) shuffled.push_back(row);
  return shuffled;
}

Judging JudgingOf(const GradientCoreset& spec) {
  return {.question = {.score = std::nullopt,
                       .embeddings = spec.of == GradientOf::kLastLayer,
                       .classes = spec.balance},
          .fraction = spec.fraction,
          .period = spec.period};
}

}  // namespace

GradientMethod::GradientMethod(const GradientCoreset& spec)
    : JudgingMethod(JudgingOf(spec)), of_(spec.of), part_(spec.part) {}

subsets::Choice GradientMethod::ChooseOf(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                                         const RandomKey& random, WorkerPool& pool) const {
  const Gradients gradients(seen, rows, of_);
  subsets::Choice choice = ChooseInPart(gradients.rows(), k, random, pool);
  for (int64_t& row : choice.rows) row = rows[static_cast<size_t>(row)];
  return choice;
}

subsets::Choice GradientMethod::ChooseRows(const Seen& seen, std::span<const int64_t> rows,
                                           int64_t k, const RandomKey& random) const {
  WorkerPool pool("gradients", kNumThreads);
  const int64_t num_parts = (std::ssize(rows) + part_ - 1) / part_;
  if (num_parts <= 1) return ChooseOf(seen, rows, k, random, pool);
  const std::vector<int64_t> shuffled = Shuffled(seen, rows, random);
  std::vector<int64_t> counts;
  for (int64_t part = 0; part < num_parts; ++part) {
    counts.push_back((part + 1) * std::ssize(rows) / num_parts -
                     part * std::ssize(rows) / num_parts);
  }
  const std::vector<int64_t> shares = ShareOut(counts, k);
  subsets::Choice choice;
  size_t from = 0;
  for (size_t part = 0; part < counts.size(); ++part) {
    const auto in_part = std::span(shuffled).subspan(from, static_cast<size_t>(counts[part]));
    from += in_part.size();
    if (shares[part] == 0) continue;
    const subsets::Choice chosen = ChooseOf(seen, in_part, shares[part], random, pool);
    choice.rows.insert(choice.rows.end(), chosen.rows.begin(), chosen.rows.end());
    choice.weights.insert(choice.weights.end(), chosen.weights.begin(), chosen.weights.end());
  }
  return choice;
}

subsets::GreedyOptions OptionsOf(GreedySearch search, const RandomKey& random) {
  subsets::GreedyOptions options{.random = random};
  switch (search) {
    case GreedySearch::kNaive:
      options.search = subsets::Search::kNaive;
      break;
    case GreedySearch::kStochastic:
      options.search = subsets::Search::kStochastic;
      break;
    case GreedySearch::kLazy:
      options.search = subsets::Search::kLazy;
      break;
  }
  return options;
}

subsets::Choice ScaledToOne(subsets::Choice choice) {
  const double sum = std::accumulate(choice.weights.begin(), choice.weights.end(), 0.0);
  for (double& weight : choice.weights) {
    weight *= static_cast<double>(choice.weights.size()) / sum;
  }
  return choice;
}

}  // namespace tidemill::trainer_server
