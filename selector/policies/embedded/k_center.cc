#include "selector/policies/embedded/k_center.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "selector/choosing/chooser.h"
#include "selector/policies/embedded/candidate_parts.h"
#include "selector/policies/embedded/embedded_chooser.h"
#include "subsets/distances.h"
#include "subsets/k_center.h"

namespace tidemill::selector {
namespace {

// The embeddings of a part are held beside what is held of all candidates.
constexpr int64_t kShareForEmbeddings = 2;

class KCenterChoice {
 public:
  KCenterChoice(const KCenter& spec, const RandomKey& random, const Workplace& workplace,
                const subsets::Rows& rows)
      : spec_(spec),
        random_(random),
        pool_(workplace.pool),
        budget_(std::max<int64_t>(1, workplace.memory_budget / kShareForEmbeddings)),
        rows_(rows),
        k_(spec.Target(rows.num_rows)) {}

  EmbeddedChoice Run() {
    EmbeddedChoice chosen;
    if (k_ == rows_.num_rows) {
      chosen.choice.rows = AllRows(k_);
      return chosen;
    }
    const std::vector<int64_t> reduced = Reduced(chosen.remarks);
    const bool in_parts = std::ssize(reduced) < rows_.num_rows;
    subsets::Centers centers =
        in_parts ? CentersAmong(reduced) : subsets::FindCenters(rows_, k_, std::nullopt, pool_);
    chosen.choice.rows = std::move(centers.choice.rows);
    if (!in_parts) {
      chosen.remarks.push_back(
          fmt::format("every candidate is within {:.6g} of a chosen sample", centers.radii.back()));
    }
    if (spec_.weights == Weighting::kInverseProbability) {
      chosen.choice.weights = in_parts ? WeightsByNearest(rows_, chosen.choice.rows, pool_)
                                       : WeightsByCounts(centers.sizes);
    }
    return chosen;
  }

 private:
  int64_t BytesOf(int64_t num_rows) const {
    return num_rows * rows_.width * static_cast<int64_t>(sizeof(float));
  }

  // Rows are indices of rows_.
  subsets::Centers CentersAmong(const std::vector<int64_t>& rows) const {
    const std::vector<float> values = subsets::Gathered(rows_, rows);
    subsets::Centers centers =
        subsets::FindCenters({values, std::ssize(rows), rows_.width}, k_, std::nullopt, pool_);
    for (int64_t& row : centers.choice.rows) row = rows[static_cast<size_t>(row)];
    return centers;
  }

  // All candidates, or those that were chosen from each part, as often as it takes to fit.
  std::vector<int64_t> Reduced(std::vector<std::string>& remarks) const {
    std::vector<int64_t> rows = AllRows(rows_.num_rows);
    for (int64_t round = 0;; ++round) {
      const int64_t asked = round == 0 ? spec_.partitions : 1;
      const int64_t needed = (BytesOf(std::ssize(rows)) + budget_ - 1) / budget_;
      const int64_t num_parts = std::min(std::max(asked, needed), std::ssize(rows));
      if (num_parts <= 1) return rows;
      std::vector<int64_t> union_of_parts;
      for (const auto& part : RandomParts(rows, num_parts, OfRound(random_, round))) {
        const auto centers = CentersAmong(part).choice.rows;
        union_of_parts.insert(union_of_parts.end(), centers.begin(), centers.end());
      }
      // Parts that choose all they have reduce nothing.
      if (union_of_parts.size() == rows.size()) return rows;
      remarks.push_back(fmt::format("first chose {} of {} candidates in {} parts",
                                    union_of_parts.size(), rows.size(), num_parts));
      std::sort(union_of_parts.begin(), union_of_parts.end());
      rows = std::move(union_of_parts);
    }
  }

  const KCenter& spec_;
  const RandomKey random_;
  WorkerPool* const pool_;
  const int64_t budget_;
  const subsets::Rows rows_;
  const int64_t k_;
};

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const KCenter& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  const auto choose = [spec](const EmbeddedCandidates& candidates, const RandomKey& stream,
                             const Workplace& place) -> absl::StatusOr<EmbeddedChoice> {
    return ChooseAmongUsable(candidates.embeddings, [&](const subsets::Rows& rows) {
      return KCenterChoice(spec, stream, place, rows).Run();
    });
  };
  return MakeEmbeddedChooser({}, choose, random, workplace, into);
}

}  // namespace tidemill::selector
