#include "trainer_server/downsampling/spec/craig.h"

#include <memory>
#include <utility>
#include <vector>

#include "subsets/distances.h"
#include "subsets/greedy.h"
#include "subsets/set_functions.h"
#include "trainer_server/downsampling/methods/gradient_method.h"

namespace tidemill::trainer_server {
namespace {

class CraigMethod final : public GradientMethod {
 public:
  explicit CraigMethod(const Craig& spec) : GradientMethod(spec), spec_(spec) {}

 private:
  subsets::Choice ChooseInPart(const subsets::Rows& rows, int64_t k, const RandomKey& random,
                               WorkerPool& pool) const override {
    const subsets::PairMatrix similarity = subsets::ShiftedDistances(rows, &pool);
    subsets::FacilityLocation function(similarity, &pool);
    subsets::Choice choice;
    choice.rows = subsets::Maximise(function, k, OptionsOf(spec_.greedy, random)).rows;
    const std::vector<int64_t> served = function.NumNearest();
    for (const int64_t row : choice.rows) {
      choice.weights.push_back(static_cast<double>(served[static_cast<size_t>(row)]));
    }
    return ScaledToOne(std::move(choice));
  }

  const Craig spec_;
};

}  // namespace

std::unique_ptr<const JudgingMethod> MakeMethod(const Craig& spec) {
  return std::make_unique<CraigMethod>(spec);
}

}  // namespace tidemill::trainer_server
