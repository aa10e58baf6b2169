#include "selector/policies/embedded/facility_location.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fmt/format.h"

#include "selector/choosing/chooser.h"
#include "selector/policies/embedded/candidate_parts.h"
#include "selector/policies/embedded/embedded_chooser.h"
#include "subsets/distances.h"
#include "subsets/greedy.h"
#include "subsets/set_functions.h"

namespace tidemill::selector {
namespace {

// The least number of candidates of a part, whatever the budget.
constexpr int64_t kLeastInPart = 16;

subsets::Search SearchOf(Greedy greedy) {
  switch (greedy) {
    case Greedy::kLazy:
      return subsets::Search::kLazy;
    case Greedy::kNaive:
      return subsets::Search::kNaive;
    case Greedy::kStochastic:
      return subsets::Search::kStochastic;
  }
  return subsets::Search::kLazy;
}

// How many candidates there may be in a part whose similarities and embeddings take half of the
// budget; the other half is what is held of all candidates.
int64_t MostInPart(int64_t memory_budget, int64_t width) {
  const double numbers = static_cast<double>(memory_budget) / 2 / sizeof(float);
  const auto d = static_cast<double>(width);
  return std::max(kLeastInPart, static_cast<int64_t>((std::sqrt(d * d + 4 * numbers) - d) / 2));
}

// Some candidates, and of how many each is the nearest one.
struct Representatives {
  std::vector<int64_t> rows;
  std::vector<float> counts;
};

class FacilityLocationChoice {
 public:
  FacilityLocationChoice(const FacilityLocation& spec, const RandomKey& random,
                         const Workplace& workplace, const subsets::Rows& rows)
      : spec_(spec),
        random_(random),
        pool_(workplace.pool),
        rows_(rows),
        k_(spec.Target(rows.num_rows)),
        most_in_part_(MostInPart(workplace.memory_budget, rows.width)) {}

  EmbeddedChoice Run() {
    if (k_ == rows_.num_rows) {
      chosen_.choice.rows = AllRows(k_);
      return std::move(chosen_);
    }
    Representatives all{AllRows(rows_.num_rows),
                        std::vector<float>(static_cast<size_t>(rows_.num_rows), 1.0F)};
    const bool in_parts = rows_.num_rows > most_in_part_;
    const Representatives best = in_parts ? ChooseInParts(std::move(all)) : ChooseOf(all, k_);
    chosen_.choice.rows = best.rows;
    if (!in_parts) chosen_.objective = value_;
    if (spec_.weights == Weighting::kInverseProbability) {
      const std::vector<int64_t> counts(best.counts.begin(), best.counts.end());
      chosen_.choice.weights =
          in_parts ? WeightsByNearest(rows_, best.rows, pool_) : WeightsByCounts(counts);
    }
    return std::move(chosen_);
  }

 private:
  // The best `count` of some candidates for all that these stand for.
  Representatives ChooseOf(const Representatives& from, int64_t count) {
    const std::vector<float> values = subsets::Gathered(rows_, from.rows);
    const subsets::PairMatrix similarity =
        subsets::ShiftedDistances({values, std::ssize(from.rows), rows_.width}, pool_);
    subsets::FacilityLocation function(similarity, pool_, from.counts);
    const subsets::GreedyResult result =
        subsets::Maximise(function, count,
                          {.search = SearchOf(spec_.greedy),
                           .epsilon = spec_.epsilon,
                           .random = OfRound(random_, num_searches_++)});
    value_ = result.value();
    const std::vector<int64_t> counts = function.NumNearest();
    Representatives best;
    for (const int64_t row : result.rows) {
      best.rows.push_back(from.rows[static_cast<size_t>(row)]);
      best.counts.push_back(static_cast<float>(counts[static_cast<size_t>(row)]));
    }
    return best;
  }

  // Reduces the candidates in rounds until they fit into one part (Mirzasoleiman et al., GreeDi);
  // when the choice is larger than that, each part chooses its share of them.
  Representatives ChooseInParts(Representatives from) {
    while (std::ssize(from.rows) > most_in_part_) {
      const int64_t size = std::ssize(from.rows);
      const int64_t num_parts = (size + most_in_part_ - 1) / most_in_part_;
      const int64_t each = std::min(k_, (most_in_part_ + num_parts - 1) / num_parts);
      const bool is_last = each * num_parts < k_ || each * num_parts >= size;
      Representatives reduced = ChooseFromEach(from, num_parts, is_last ? 0 : each);
      chosen_.remarks.push_back(fmt::format("chose {} of {} candidates in {} parts{}",
                                            reduced.rows.size(), size, num_parts,
                                            is_last ? "" : " first"));
      from = std::move(reduced);
      if (is_last) return from;
    }
    return ChooseOf(from, k_);
  }

  // `each` candidates of each part, or with 0 as many as add up to k.
  Representatives ChooseFromEach(const Representatives& from, int64_t num_parts, int64_t each) {
    const std::vector<int64_t> places = AllRows(std::ssize(from.rows));
    const auto parts = RandomParts(places, num_parts, OfRound(random_, num_searches_));
    Representatives chosen;
    int64_t begin = 0;
    for (const std::vector<int64_t>& places_of_part : parts) {
      Representatives part;
      for (const int64_t place : places_of_part) {
        part.rows.push_back(from.rows[static_cast<size_t>(place)]);
        part.counts.push_back(from.counts[static_cast<size_t>(place)]);
      }
      const int64_t end = begin + std::ssize(part.rows);
      const int64_t share = k_ * end / std::ssize(places) - k_ * begin / std::ssize(places);
      begin = end;
      const Representatives best = ChooseOf(part, each > 0 ? each : share);
      chosen.rows.insert(chosen.rows.end(), best.rows.begin(), best.rows.end());
      chosen.counts.insert(chosen.counts.end(), best.counts.begin(), best.counts.end());
    }
    return chosen;
  }

  const FacilityLocation& spec_;
  const RandomKey random_;
  WorkerPool* const pool_;
  const subsets::Rows rows_;
  const int64_t k_;
  const int64_t most_in_part_;
  int64_t num_searches_ = 0;
  double value_ = 0;
  EmbeddedChoice chosen_;
};

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const FacilityLocation& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  const auto choose = [spec](const EmbeddedCandidates& candidates, const RandomKey& stream,
                             const Workplace& place) -> absl::StatusOr<EmbeddedChoice> {
    return ChooseAmongUsable(candidates.embeddings, [&](const subsets::Rows& rows) {
      return FacilityLocationChoice(spec, stream, place, rows).Run();
    });
  };
  return MakeEmbeddedChooser({}, choose, random, workplace, into);
}

}  // namespace tidemill::selector
