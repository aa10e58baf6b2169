#include "evaluator/trials/measure_promises.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "evaluator/trials/invented_outcomes.h"

namespace tidemill::evaluator::trials {
namespace {

// As evaluations ask.
constexpr size_t kBlockRows = 1024;
constexpr int kReplicates = 1000;
// The number of small blocks to try.
constexpr size_t kMaxBlocks = 500;

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string Shown(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

class Trial {
 public:
  Trial(const MeasureSpec& spec, int64_t num_samples)
      : spec_(spec), samples_(num_samples, spec->IsOfClasses().value_or(true)) {
    spec_->Open();
  }

  absl::StatusOr<MeasureTrial> Run() {
    MeasureTrial trial{.num_samples = static_cast<int64_t>(samples_.size()), .unit = spec_->Unit()};
    RETURN_IF_ERROR(Ask(*spec_, samples_, 1).status());  // Starts the process.
    const Clock::time_point begin = Clock::now();
    ASSIGN_OR_RETURN(whole_, Ask(*spec_, samples_, kBlockRows));
    trial.microseconds_per_sample =
        1e6 * SecondsSince(begin) / std::max(1.0, static_cast<double>(samples_.size()));
    for (const size_t rows : {1, 7, 1000}) {
      ASSIGN_OR_RETURN(trial.promises.emplace_back(), SameInBlocksOf(rows));
    }
    ASSIGN_OR_RETURN(trial.promises.emplace_back(), SameInANewProcess());
    ASSIGN_OR_RETURN(trial.promises.emplace_back(), CombinesEachRowByItself(trial));
    ASSIGN_OR_RETURN(trial.promises.emplace_back(), CountsWeights());
    ASSIGN_OR_RETURN(trial.promises.emplace_back(), StandsBesideABaseline(trial));
    return trial;
  }

 private:
  // The contributions of the samples, in blocks of `size` rows; those of the first samples where
  // blocks are small.
  static absl::StatusOr<ContributedBlock> Ask(const Measure& measure,
                                              const InventedOutcomes& samples, size_t rows) {
    const size_t end =
        rows >= kBlockRows ? samples.size() : std::min(samples.size(), kMaxBlocks * rows);
    ContributedBlock all;
    for (size_t begin = 0; begin < end; begin += rows) {
      Outcomes block = samples.Part(begin, std::min(rows, end - begin));
      if (measure.Needs() != Needs::kProbabilities) block.probabilities = {};
      ASSIGN_OR_RETURN(const ContributedBlock own, measure.Contribute(block));
      all.width = own.width;
      all.numbers.insert(all.numbers.end(), own.numbers.begin(), own.numbers.end());
    }
    return all;
  }

  Promise Same(std::string text, const ContributedBlock& other) const {
    Promise promise{.text = std::move(text)};
    const auto [mine, theirs] =
        std::mismatch(other.numbers.begin(), other.numbers.end(), whole_.numbers.begin());
    promise.is_kept = other.width == whole_.width && mine == other.numbers.end();
    if (promise.is_kept) return promise;
    promise.detail =
        fmt::format("sample {} contributes otherwise",
                    (theirs - whole_.numbers.begin()) / static_cast<int64_t>(whole_.width) + 1);
    return promise;
  }

  absl::StatusOr<Promise> SameInBlocksOf(size_t rows) const {
    ASSIGN_OR_RETURN(const ContributedBlock asked, Ask(*spec_, samples_, rows));
    return Same(fmt::format("samples contribute the same in blocks of {}", rows), asked);
  }

  absl::StatusOr<Promise> SameInANewProcess() const {
    MeasureSpec again = spec_;
    again->Open();
    ASSIGN_OR_RETURN(const ContributedBlock asked, Ask(*again, samples_, kBlockRows));
    return Same("samples contribute the same in a new process", asked);
  }

  Outcomes With(const InventedOutcomes& samples, const Contributions& contributions) const {
    Outcomes outcomes = samples.All();
    outcomes.contributions = {&contributions, 1};
    return outcomes;
  }
  Contributions ViewOf(const ContributedBlock& block) const {
    return {.measure = name_, .numbers = block.numbers, .width = block.width};
  }

  // Sums over other choices of samples, together and one by one.
  absl::StatusOr<Promise> CombinesEachRowByItself(MeasureTrial& trial) const {
    const Contributions own = ViewOf(whole_);
    Outcomes outcomes = With(samples_, own);
    const auto together = spec_->NewSeries();
    std::vector<std::optional<double>> alone;
    std::vector<uint8_t> weights(samples_.size());
    for (int replicate = 0; replicate < kReplicates; ++replicate) {
      for (size_t i = 0; i < weights.size(); ++i) {
        const RandomKey draw{.seed = replicate, .purpose = "trial"};
        weights[i] = static_cast<uint8_t>(RandomBits(draw, static_cast<int64_t>(i)) % 3);
      }
      outcomes.weights = weights;
      together->Add(outcomes);
      if (replicate % 100 == 0) alone.push_back(spec_->ValueOf(outcomes));
    }
    const Clock::time_point begin = Clock::now();
    const std::vector<std::optional<double>> values = together->Values();
    if (spec_->Pooling() == Pooling::kOfSums) {
      trial.milliseconds_per_interval = 1e3 * SecondsSince(begin);
    }
    RETURN_IF_ERROR(spec_->TakeFault());
    Promise promise{.text = "many sums have the values that each has alone"};
    for (size_t i = 0; i < alone.size(); ++i) {
      if (alone[i] == values[100 * i]) continue;
      promise.is_kept = false;
      promise.detail =
          fmt::format("{} among many, and {} alone", Shown(values[100 * i]), Shown(alone[i]));
    }
    return promise;
  }

  absl::StatusOr<Promise> CountsWeights() const {
    const Contributions own = ViewOf(whole_);
    Outcomes weighted = With(samples_, own);
    const std::vector<uint8_t> two(samples_.size(), 2);
    weighted.weights = two;
    const InventedOutcomes twice = samples_.Twice();
    ASSIGN_OR_RETURN(const ContributedBlock of_twice, Ask(*spec_, twice, kBlockRows));
    const Contributions view = ViewOf(of_twice);
    const auto of_weights = spec_->ValueOf(weighted);
    const auto of_copies = spec_->ValueOf(With(twice, view));
    RETURN_IF_ERROR(spec_->TakeFault());
    Promise promise{.text = "a sample that counts twice is worth the sample twice"};
    // The sums are added in another order.
    promise.is_kept =
        of_weights.has_value() == of_copies.has_value() &&
        (!of_weights || std::abs(*of_weights - *of_copies) <= 1e-9 * (1 + std::abs(*of_copies)));
    if (!promise.is_kept) {
      promise.detail =
          fmt::format("{} by weights, and {} by copies", Shown(of_weights), Shown(of_copies));
    }
    return promise;
  }

  absl::StatusOr<Promise> StandsBesideABaseline(MeasureTrial& trial) const {
    const Contributions own = ViewOf(whole_);
    trial.value = spec_->ValueOf(With(samples_, own));
    const InventedOutcomes constant = samples_.WithConstantPredictions();
    ASSIGN_OR_RETURN(const ContributedBlock of_rule, Ask(*spec_, constant, kBlockRows));
    const Contributions view = ViewOf(of_rule);
    trial.baseline = spec_->ValueOf(With(constant, view));
    RETURN_IF_ERROR(spec_->TakeFault());
    Promise promise{.text = "has a value", .is_kept = trial.value.has_value()};
    promise.detail = fmt::format(
        "{} for an invented model, and {} for a rule that says always the "
        "same; {} is better",
        Shown(trial.value), Shown(trial.baseline), spec_->LowerIsBetter() ? "lower" : "higher");
    return promise;
  }

  MeasureSpec spec_;
  const std::string name_ = spec_->Name();
  const InventedOutcomes samples_;
  ContributedBlock whole_;
};

}  // namespace

bool MeasureTrial::KeepsAll() const { return std::ranges::all_of(promises, &Promise::is_kept); }

absl::StatusOr<MeasureTrial> TryMeasure(const MeasureSpec& spec, int64_t num_samples) {
  if (!spec->AsksForContributions()) {
    return InvalidArgument("{} is a built-in measure, which Tidemill's own tests try",
                           spec->Name());
  }
  if (!spec->IsOfClasses()) {
    return FailedPrecondition("{}: the file was not loaded", spec->Name());
  }
  if (num_samples < 1)
    return InvalidArgument("it cannot be tried on {} samples; name at least 1", num_samples);
  return Trial(spec, num_samples).Run();
}

}  // namespace tidemill::evaluator::trials
