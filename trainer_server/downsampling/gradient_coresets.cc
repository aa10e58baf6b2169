#include "trainer_server/downsampling/gradient_coresets.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/threads/worker_pool.h"
#include "subsets/distances.h"
#include "subsets/greedy.h"
#include "subsets/matching_pursuit.h"
#include "subsets/sampling.h"
#include "subsets/set_functions.h"

namespace tidemill::trainer_server {
namespace {

// Threads that distances and gains are computed on; no result depends on it.
constexpr int kNumThreads = 2;

std::span<const float> RowOf(const std::vector<float>& values, int64_t width, int64_t row) {
  return std::span(values).subspan(static_cast<size_t>(row * width), static_cast<size_t>(width));
}

// The gradients of some rows: of the outputs, or of the last layer, which are their products with 1
// and each number of the embedding.
class Gradients {
 public:
  Gradients(const Seen& seen, std::span<const int64_t> rows, models::GradientOf of)
      : width_(seen.width) {
    const bool whole = of == models::GradientOf::kLastLayer;
    if (whole) width_ *= 1 + seen.embedding_width;
    values_.reserve(rows.size() * static_cast<size_t>(width_));
    for (const int64_t row : rows) {
      const auto gradient = RowOf(seen.gradients, seen.width, row);
      values_.insert(values_.end(), gradient.begin(), gradient.end());
      if (!whole) continue;
      for (const float input : RowOf(seen.embeddings, seen.embedding_width, row)) {
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

subsets::GreedyOptions OptionsOf(models::GreedySearch search, const RandomKey& random) {
  subsets::GreedyOptions options{.random = random};
  switch (search) {
    case models::GreedySearch::kNaive:
      options.search = subsets::Search::kNaive;
      break;
    case models::GreedySearch::kStochastic:
      options.search = subsets::Search::kStochastic;
      break;
    case models::GreedySearch::kLazy:
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

// Adds rows drawn uniformly, which weigh 1, until there are k: few gradients may be enough for
// their mean, but few samples are no epoch. Their sum points where the mean does, too.
subsets::Choice FilledUp(subsets::Choice choice, int64_t num_rows, int64_t k,
                         const RandomKey& random) {
  const std::set<int64_t> chosen(choice.rows.begin(), choice.rows.end());
  std::vector<int64_t> others;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (!chosen.contains(row)) others.push_back(row);
  }
  const int64_t missing = std::min(k, num_rows) - std::ssize(choice.rows);
  for (const int64_t at : subsets::DrawUniformly(std::ssize(others), missing, random)) {
    choice.rows.push_back(others[static_cast<size_t>(at)]);
    choice.weights.push_back(1);
  }
  return choice;
}

subsets::Choice ChooseCraig(const models::Craig& method, const subsets::Rows& rows, int64_t k,
                            const RandomKey& random, WorkerPool& pool) {
  const subsets::PairMatrix similarity = subsets::ShiftedDistances(rows, &pool);
  subsets::FacilityLocation function(similarity, &pool);
  subsets::Choice choice;
  choice.rows = subsets::Maximise(function, k, OptionsOf(method.greedy, random)).rows;
  const std::vector<int64_t> served = function.NumNearest();
  for (const int64_t row : choice.rows) {
    choice.weights.push_back(static_cast<double>(served[static_cast<size_t>(row)]));
  }
  return ScaledToOne(std::move(choice));
}

subsets::Choice ChooseGradMatch(const models::GradMatch& method, const subsets::Rows& rows,
                                int64_t k, const RandomKey& random, WorkerPool& pool) {
  subsets::Pursuit pursuit =
      subsets::MatchTarget(rows, subsets::MeanRow(rows), {.k = k, .ridge = method.ridge}, &pool);
  if (pursuit.rows.empty()) return FilledUp({}, rows.num_rows, k, random);
  return FilledUp(
      ScaledToOne({.rows = std::move(pursuit.rows), .weights = std::move(pursuit.weights)}),
      rows.num_rows, k, random);
}

subsets::Choice ChooseSubmodular(const models::SubmodularGradients& method,
                                 const subsets::Rows& rows, int64_t k, const RandomKey& random,
                                 WorkerPool& pool) {
  const subsets::PairMatrix similarity = subsets::CosineSimilarities(rows, &pool);
  const subsets::GreedyOptions options = OptionsOf(method.greedy, random);
  subsets::Choice choice;
  const auto maximise = [&](auto function) {
    choice.rows = subsets::Maximise(function, k, options).rows;
  };
  switch (method.function) {
    case models::SetFunction::kFacilityLocation:
      maximise(subsets::FacilityLocation(similarity, &pool));
      break;
    case models::SetFunction::kGraphCut:
      maximise(subsets::GraphCut(similarity, method.cut));
      break;
    case models::SetFunction::kLogDeterminant:
      maximise(subsets::LogDeterminant(similarity, &pool));
      break;
  }
  return choice;
}

subsets::Choice ChooseInPart(const models::DownsamplingSpec& method, const Seen& seen,
                             std::span<const int64_t> rows, int64_t k, const RandomKey& random,
                             WorkerPool& pool) {
  subsets::Choice choice = std::visit(
      [&]<typename Method>(const Method& one) -> subsets::Choice {
        if constexpr (std::is_base_of_v<models::GradientCoreset, Method>) {
          const Gradients gradients(seen, rows, one.of);
          if constexpr (std::is_same_v<Method, models::Craig>) {
            return ChooseCraig(one, gradients.rows(), k, random, pool);
          } else if constexpr (std::is_same_v<Method, models::GradMatch>) {
            return ChooseGradMatch(one, gradients.rows(), k, random, pool);
          } else {
            return ChooseSubmodular(one, gradients.rows(), k, random, pool);
          }
        } else {
          return {};  // Others are not asked about gradients.
        }
      },
      method);
  for (int64_t& row : choice.rows) row = rows[static_cast<size_t>(row)];
  return choice;
}

int64_t PartSize(const models::DownsamplingSpec& method) {
  return std::visit(
      [](const auto& one) -> int64_t {
        if constexpr (requires { one.part; }) {
          return one.part;
        } else {
          return 1;
        }
      },
      method);
}

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

}  // namespace

bool HasFiniteGradient(const Seen& seen, int64_t row) {
  const auto is_finite = [](float number) { return std::isfinite(number); };
  return std::ranges::all_of(RowOf(seen.gradients, seen.width, row), is_finite) &&
         std::ranges::all_of(RowOf(seen.embeddings, seen.embedding_width, row), is_finite);
}

subsets::Choice ChooseByGradients(const models::DownsamplingSpec& method, const Seen& seen,
                                  std::span<const int64_t> rows, int64_t k,
                                  const RandomKey& random) {
  WorkerPool pool("gradients", kNumThreads);
  const int64_t num_parts = (std::ssize(rows) + PartSize(method) - 1) / PartSize(method);
  if (num_parts <= 1) return ChooseInPart(method, seen, rows, k, random, pool);
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
    const subsets::Choice chosen = ChooseInPart(method, seen, in_part, shares[part], random, pool);
    choice.rows.insert(choice.rows.end(), chosen.rows.begin(), chosen.rows.end());
    choice.weights.insert(choice.weights.end(), chosen.weights.begin(), chosen.weights.end());
  }
  return choice;
}

}  // namespace tidemill::trainer_server
