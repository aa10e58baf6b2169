#include "evaluator/measures/contributed_sums.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "nlohmann/json.hpp"

namespace tidemill::evaluator {
namespace {

using nlohmann::json;

// The value of each of some sums, in one call. Empty if there are none: after a failure nothing is
// asked until the caller has taken the failure.
std::vector<std::optional<double>> Combined(const std::vector<ContributedSums>& all,
                                            const SumsToValue& rule) {
  if (rule.process == nullptr || rule.process->has_noted() || all.empty()) return {};
  const size_t width = all.front().sums().size();
  std::vector<double> rows;
  for (const ContributedSums& one : all) {
    rows.insert(rows.end(), one.sums().begin(), one.sums().end());
  }
  auto values = rule.process->Combine(rows, width);
  if (values.ok()) return *std::move(values);
  rule.process->Note(values.status());
  return {};
}

std::optional<double> ValueOf(const ContributedSums& sums, const SumsToValue& rule) {
  if (!sums.HasValue()) return std::nullopt;
  if (rule.is_mean) return sums.Mean();
  const auto values = Combined({sums}, rule);
  return values.empty() ? std::nullopt : values.front();
}

// The slope of the value over each sum, from sums that are half a standard error apart: such sums
// other samples might have had. Empty when the plug-in does not answer.
std::vector<double> SlopesAt(const ContributedSums& sums, const Contributions& own,
                             const SumsToValue& rule) {
  const size_t width = own.width;
  const auto num_samples = static_cast<double>(own.numbers.size() / width);
  std::vector<double> steps(width);
  std::vector<double> rows;
  for (size_t column = 0; column < width; ++column) {
    double squares = 0;
    for (size_t i = column; i < own.numbers.size(); i += width) {
      squares += std::pow(own.numbers[i] - sums.sums()[column] / num_samples, 2);
    }
    steps[column] = std::sqrt(squares) / 2;
    for (const double step : {-steps[column], steps[column]}) {
      const size_t begin = rows.size();
      rows.insert(rows.end(), sums.sums().begin(), sums.sums().end());
      rows[begin + column] += step;
    }
  }
  const auto values = rule.process->Combine(rows, width);
  if (!values.ok() || values->size() != 2 * width) return {};
  std::vector<double> slopes(width);
  for (size_t column = 0; column < width; ++column) {
    const auto& below = (*values)[2 * column];
    const auto& above = (*values)[2 * column + 1];
    if (!below || !above) return {};
    if (steps[column] > 0) slopes[column] = (*above - *below) / (2 * steps[column]);
  }
  return slopes;
}

class ContributedAccumulator final : public Accumulator {
 public:
  explicit ContributedAccumulator(SumsToValue rule) : rule_(std::move(rule)) {}

  void Add(const Outcomes& outcomes) override { sums_.Add(outcomes, rule_.measure); }
  std::optional<double> Value() const override { return ValueOf(sums_, rule_); }
  std::vector<double> Influence(const Outcomes& outcomes) const override {
    const Contributions* const own = outcomes.ContributionsTo(rule_.measure);
    if (own == nullptr || !sums_.HasValue()) return {};
    if (rule_.is_mean) return {own->numbers.begin(), own->numbers.end()};
    if (rule_.process == nullptr || rule_.process->has_noted()) return {};
    const std::vector<double> slopes = SlopesAt(sums_, *own, rule_);
    std::vector<double> influence(slopes.empty() ? 0 : outcomes.size());
    for (size_t i = 0; i < influence.size(); ++i) {
      const auto numbers = own->numbers.subspan(i * own->width, own->width);
      influence[i] = std::inner_product(slopes.begin(), slopes.end(), numbers.begin(), 0.0);
    }
    return influence;
  }
  // A mean and its number of samples say enough.
  std::string Sums() const override {
    return rule_.is_mean || !sums_.HasValue() ? std::string() : sums_.ToJson();
  }
  bool AddSums(std::string_view text) override {
    const auto other = ContributedSums::FromJson(text);
    return other && sums_.Add(*other);
  }

 private:
  const SumsToValue rule_;
  ContributedSums sums_;
};

class ContributedSeries final : public ValueSeries {
 public:
  explicit ContributedSeries(SumsToValue rule) : rule_(std::move(rule)) {}

  void Add(const Outcomes& outcomes) override {
    ContributedSums sums;
    sums.Add(outcomes, rule_.measure);
    means_.push_back(rule_.is_mean ? sums.Mean() : std::nullopt);
    if (rule_.is_mean || !sums.HasValue()) return;
    places_.push_back(means_.size() - 1);
    sums_.push_back(std::move(sums));
  }
  std::vector<std::optional<double>> Values() override {
    const auto values = Combined(sums_, rule_);
    for (size_t i = 0; i < values.size(); ++i) means_[places_[i]] = values[i];
    return std::move(means_);
  }

 private:
  const SumsToValue rule_;
  std::vector<std::optional<double>> means_;
  // Those that have a value, and their places among all.
  std::vector<size_t> places_;
  std::vector<ContributedSums> sums_;
};

}  // namespace

void ContributedSums::Add(const Outcomes& outcomes, std::string_view measure) {
  if (outcomes.size() == 0) return;
  const Contributions* const own = outcomes.ContributionsTo(measure);
  if (own != nullptr && sums_.empty()) sums_.resize(own->width);
  is_complete_ = is_complete_ && own != nullptr && own->width == sums_.size() &&
                 own->numbers.size() == outcomes.size() * own->width;
  if (!is_complete_) return;
  const size_t width = sums_.size();
  for (size_t row = 0; row < outcomes.size(); ++row) {
    const int64_t weight = outcomes.Weight(row);
    num_samples_ += weight;
    for (size_t i = 0; i < width; ++i) {
      sums_[i] += static_cast<double>(weight) * own->numbers[row * width + i];
    }
  }
}

bool ContributedSums::Add(const ContributedSums& other) {
  if (sums_.empty()) sums_.resize(other.sums_.size());
  if (sums_.size() != other.sums_.size()) return false;
  num_samples_ += other.num_samples_;
  is_complete_ = is_complete_ && other.is_complete_;
  for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  return true;
}

bool ContributedSums::HasValue() const {
  return num_samples_ > 0 && is_complete_ &&
         std::ranges::all_of(sums_, [](double sum) { return std::isfinite(sum); });
}

std::optional<double> ContributedSums::Mean() const {
  if (!HasValue() || sums_.size() != 1) return std::nullopt;
  return sums_.front() / static_cast<double>(num_samples_);
}

std::string ContributedSums::ToJson() const {
  return json{{"samples", num_samples_}, {"sums", sums_}}.dump();
}

std::optional<ContributedSums> ContributedSums::FromJson(std::string_view text) {
  const json said = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!said.is_object()) return std::nullopt;
  const auto samples = said.find("samples");
  const auto sums = said.find("sums");
  if (samples == said.end() || !samples->is_number_integer() || sums == said.end() ||
      !sums->is_array() || sums->empty() || sums->size() > kMaxContributions) {
    return std::nullopt;
  }
  ContributedSums read;
  read.num_samples_ = samples->get<int64_t>();
  for (const json& sum : *sums) {
    if (!sum.is_number()) return std::nullopt;
    read.sums_.push_back(sum.get<double>());
  }
  return read;
}

std::unique_ptr<Accumulator> NewContributedAccumulator(SumsToValue rule) {
  return std::make_unique<ContributedAccumulator>(std::move(rule));
}

std::unique_ptr<ValueSeries> NewContributedSeries(SumsToValue rule) {
  return std::make_unique<ContributedSeries>(std::move(rule));
}

bool AreContributedSums(std::string_view sums) {
  return ContributedSums::FromJson(sums).has_value();
}

}  // namespace tidemill::evaluator
