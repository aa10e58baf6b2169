#include "trainer_server/downsampling/spec/grad_match.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "subsets/distances.h"
#include "subsets/matching_pursuit.h"
#include "subsets/sampling.h"
#include "trainer_server/downsampling/methods/gradient_method.h"

namespace tidemill::trainer_server {
namespace {

// Adds rows drawn uniformly, which weigh 1, until there are k: few gradients may be enough for
// their mean, but few samples are not an epoch. Their sum points where the mean does, too.
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

class GradMatchMethod final : public GradientMethod {
 public:
  explicit GradMatchMethod(const GradMatch& spec) : GradientMethod(spec), spec_(spec) {}

 private:
  subsets::Choice ChooseInPart(const subsets::Rows& rows, int64_t k, const RandomKey& random,
                               WorkerPool& pool) const override {
    subsets::Pursuit pursuit =
        subsets::MatchTarget(rows, subsets::MeanRow(rows), {.k = k, .ridge = spec_.ridge}, &pool);
    if (pursuit.rows.empty()) return FilledUp({}, rows.num_rows, k, random);
    return FilledUp(
        ScaledToOne({.rows = std::move(pursuit.rows), .weights = std::move(pursuit.weights)}),
        rows.num_rows, k, random);
  }

  const GradMatch spec_;
};

}  // namespace

std::unique_ptr<const JudgingMethod> MakeMethod(const GradMatch& spec) {
  return std::make_unique<GradMatchMethod>(spec);
}

}  // namespace tidemill::trainer_server
