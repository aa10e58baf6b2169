#include "evaluator/measures/classes/confusion_matrix.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

namespace tidemill::evaluator {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxClasses = 100;

class ConfusionAccumulator final : public Accumulator {
 public:
  void Add(const Outcomes& outcomes) override {
    for (size_t i = 0; i < outcomes.true_classes.size() && !too_many_; ++i) {
      const int64_t truly = outcomes.true_classes[i];
      const int64_t predicted = outcomes.predicted_classes[i];
      counts_[{truly, predicted}] += outcomes.Weight(i);
      too_many_ = counts_.size() > kMaxClasses * kMaxClasses;
    }
  }

  std::optional<double> Value() const override { return std::nullopt; }

  std::string Detail(std::span<const std::string> class_names) const override {
    std::set<int64_t> classes;
    for (size_t i = 0; i < class_names.size(); ++i) classes.insert(static_cast<int64_t>(i));
    for (const auto& [pair, count] : counts_) {
      classes.insert(pair.first);
      classes.insert(pair.second);
    }
    if (counts_.empty() || too_many_ || classes.size() > kMaxClasses) return {};
    ordered_json names = ordered_json::array();
    ordered_json rows = ordered_json::array();
    for (const int64_t truly : classes) {
      const auto place = static_cast<size_t>(truly);
      names.push_back(place < class_names.size() ? class_names[place] : std::to_string(truly));
      ordered_json row = ordered_json::array();
      for (const int64_t predicted : classes) {
        const auto found = counts_.find({truly, predicted});
        row.push_back(found == counts_.end() ? 0 : found->second);
      }
      rows.push_back(std::move(row));
    }
    const ordered_json detail = {{"classes", std::move(names)}, {"counts", std::move(rows)}};
    return detail.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

 private:
  std::map<std::pair<int64_t, int64_t>, int64_t> counts_;  // By true and predicted class.
  bool too_many_ = false;
};

}  // namespace

std::unique_ptr<Accumulator> ConfusionMatrix::NewAccumulator() const {
  return std::make_unique<ConfusionAccumulator>();
}

TIDEMILL_PART(Measure, MeasureOf, ConfusionMatrix)

}  // namespace tidemill::evaluator
