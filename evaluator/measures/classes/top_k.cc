#include "evaluator/measures/classes/top_k.h"

#include <charconv>
#include <system_error>
#include <vector>

#include "fmt/format.h"

namespace tidemill::evaluator {
namespace {

class TopKAccumulator final : public Accumulator {
 public:
  explicit TopKAccumulator(int64_t k) : k_(k) {}

  void Add(const Outcomes& outcomes) override {
    for (size_t i = 0; i < outcomes.true_places.size(); ++i) {
      const int64_t weight = outcomes.Weight(i);
      num_samples_ += weight;
      num_right_ += outcomes.true_places[i] < k_ ? weight : 0;
    }
  }

  std::optional<double> Value() const override {
    if (num_samples_ == 0) return std::nullopt;
    return static_cast<double>(num_right_) / static_cast<double>(num_samples_);
  }

  std::vector<double> Influence(const Outcomes& outcomes) const override {
    std::vector<double> right;
    right.reserve(outcomes.true_places.size());
    for (size_t i = 0; i < outcomes.true_places.size(); ++i) {
      right.push_back(outcomes.true_places[i] < k_ ? 1 : 0);
    }
    return right;
  }

 private:
  const int64_t k_;
  int64_t num_samples_ = 0;
  int64_t num_right_ = 0;
};

}  // namespace

std::unique_ptr<Accumulator> TopK::NewAccumulator() const {
  return std::make_unique<TopKAccumulator>(k);
}

void MeasureOf<TopK>::CheckClasses(int64_t num_classes, config::Problems& problems) const {
  if (num_classes == 0 || spec_.k < num_classes) return;
  problems.Add(
      "",
      fmt::format(
          "k is {}, but there are only {} classes, so every prediction would count as right",
          spec_.k, num_classes),
      "write a smaller k");
}

bool MeasureOf<TopK>::TakeName(std::string_view name) {
  constexpr std::string_view kPrefix = "top_";
  if (!name.starts_with(kPrefix)) return false;
  const char* const end = name.data() + name.size();
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, number);
  if (error != std::errc() || stop != end) return false;
  spec_.k = number;
  return true;
}

TIDEMILL_PART(Measure, MeasureOf, TopK)

}  // namespace tidemill::evaluator
