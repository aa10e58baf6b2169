#include "trainer_server/downsampling/spec/submodular.h"

#include <memory>
#include <utility>
#include <vector>

#include "subsets/distances.h"
#include "subsets/greedy.h"
#include "subsets/set_functions.h"
#include "trainer_server/downsampling/methods/gradient_method.h"

namespace tidemill::trainer_server {
namespace {

class SubmodularMethod final : public GradientMethod {
 public:
  explicit SubmodularMethod(const SubmodularGradients& spec) : GradientMethod(spec), spec_(spec) {}

 private:
  subsets::Choice ChooseInPart(const subsets::Rows& rows, int64_t k, const RandomKey& random,
                               WorkerPool& pool) const override {
    const subsets::PairMatrix similarity = subsets::CosineSimilarities(rows, &pool);
    const subsets::GreedyOptions options = OptionsOf(spec_.greedy, random);
    subsets::Choice choice;
    const auto maximise = [&](auto function) {
      choice.rows = subsets::Maximise(function, k, options).rows;
    };
    switch (spec_.function) {
      case SetFunction::kFacilityLocation:
        maximise(subsets::FacilityLocation(similarity, &pool));
        break;
      case SetFunction::kGraphCut:
        maximise(subsets::GraphCut(similarity, spec_.cut));
        break;
      case SetFunction::kLogDeterminant:
        maximise(subsets::LogDeterminant(similarity, &pool));
        break;
    }
    return choice;
  }

  const SubmodularGradients spec_;
};

}  // namespace

std::unique_ptr<const JudgingMethod> MakeMethod(const SubmodularGradients& spec) {
  return std::make_unique<SubmodularMethod>(spec);
}

}  // namespace tidemill::trainer_server
