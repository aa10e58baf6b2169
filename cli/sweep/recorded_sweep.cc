#include "cli/sweep/recorded_sweep.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "fmt/format.h"

#include "cli/sweep/halving.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

constexpr char kEpochsKey[] = "training.epochs";

const std::string* FindValue(const Setting& values, std::string_view key) {
  const auto found = std::ranges::find(values, key, &config::Override::path);
  return found == values.end() ? nullptr : &found->value;
}

bool IsSame(const Setting& one, const Setting& other) {
  return std::ranges::equal(one, other, [](const config::Override& a, const config::Override& b) {
    return a.path == b.path && a.value == b.value;
  });
}

std::optional<int64_t> NumberOf(const std::string* text) {
  int64_t number = 0;
  if (text == nullptr) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

// The number of rungs that a tag of a run names; 1 without one.
size_t RungsIn(const v1::Run& run) {
  for (const std::string& tag : run.tags()) {
    size_t rung = 0;
    size_t num_rungs = 0;
    if (std::sscanf(tag.c_str(), "rung-%zu-of-%zu", &rung, &num_rungs) == 2) return num_rungs;
  }
  return 1;
}

// The mean of a setting's runs at a rung; std::nullopt unless all seeds have a value.
std::optional<double> ValueAt(const SettingResult& setting, size_t rung, size_t num_seeds) {
  double sum = 0;
  size_t count = 0;
  for (const SweepRun& run : setting.runs) {
    if (run.rung != rung || !run.value) continue;
    sum += run.value->value;
    ++count;
  }
  if (count == 0 || count != num_seeds) return std::nullopt;
  return sum / static_cast<double>(count);
}

// What the runs of its last rung say about a setting; kDone when all have succeeded.
Fate FateOfRuns(SettingResult& setting, size_t num_seeds) {
  size_t num_succeeded = 0;
  Fate fate = Fate::kOpen;
  for (const SweepRun& run : setting.runs) {
    if (run.rung != setting.rung) continue;
    if (run.state == v1::RUN_STATE_SUCCEEDED) ++num_succeeded;
    if (run.state == v1::RUN_STATE_STOPPED && fate != Fate::kFailed) fate = Fate::kStopped;
    if (run.state != v1::RUN_STATE_FAILED) continue;
    fate = Fate::kFailed;
    setting.error = fmt::format("run {}: {}", run.id, run.error);
  }
  return num_succeeded == num_seeds ? Fate::kDone : fate;
}

// Decides which of the settings whose last rung is this one reach the next: the others are halved.
void Halve(SweepResult& result, size_t rung) {
  std::vector<Ranked> ranked;
  for (size_t i = 0; i < result.settings.size(); ++i) {
    if (result.settings[i].rung < rung || result.settings[i].runs.empty()) continue;
    ranked.push_back({i, ValueAt(result.settings[i], rung, result.plan.num_seeds())});
  }
  const std::vector<size_t> survivors =
      Survivors(ranked, result.lower_is_better, ranked.size() / 2);
  for (const Ranked& one : ranked) {
    SettingResult& setting = result.settings[one.setting];
    if (setting.rung != rung || setting.fate != Fate::kDone) continue;
    const bool survives = std::ranges::find(survivors, one.setting) != survivors.end();
    setting.fate = survives ? Fate::kOpen : Fate::kHalved;
  }
}

}  // namespace

void RecordedSweep::Add(const v1::GetRunResponse& run) {
  const v1::InSweep& in_sweep = run.run().in_sweep();
  pipeline_ = run.run().pipeline_name();
  Recorded recorded{.place = in_sweep.setting(), .num_rungs = RungsIn(run.run())};
  recorded.run = {.rung = static_cast<size_t>(std::max(in_sweep.rung(), 1) - 1),
                  .id = run.run().run_id(),
                  .state = run.run().state()};
  for (const v1::SetValue& set : run.set_values()) {
    recorded.values.push_back({.path = set.key(), .value = set.value()});
  }
  NoteEnd(run, measure_, recorded.run);
  runs_.push_back(std::move(recorded));
}

std::vector<RecordedSweep::Recorded> RecordedSweep::InOrder() const {
  std::vector<Recorded> runs = runs_;
  std::ranges::stable_sort(runs, {},
                           [](const Recorded& one) { return std::pair(one.run.rung, one.place); });
  return runs;
}

std::optional<HalvingPlan> RecordedSweep::HalvingOf(const std::vector<Recorded>& runs) {
  size_t num_rungs = 1;
  for (const Recorded& one : runs) num_rungs = std::max(num_rungs, one.num_rungs);
  if (num_rungs == 1) return std::nullopt;
  // With little effort, a run has few triggers; where there is one trigger, few epochs.
  const bool has_one_trigger = std::ranges::none_of(runs, [&](const Recorded& one) {
    if (one.run.rung + 1 >= num_rungs) return one.run.num_triggers > 1;
    return one.run.num_triggers > 1 || FindValue(one.values, kEpochsKey) == nullptr;
  });
  HalvingPlan halving{.unit = has_one_trigger ? "epochs" : "triggers"};
  int64_t effort = 1;
  for (size_t rung = 0; rung + 1 < num_rungs; ++rung) {
    for (const Recorded& one : runs) {
      if (one.run.rung != rung || one.run.state != v1::RUN_STATE_SUCCEEDED) continue;
      effort = has_one_trigger ? NumberOf(FindValue(one.values, kEpochsKey)).value_or(effort)
                               : one.run.num_triggers;
    }
    halving.rungs.push_back({.effort = effort});
    effort *= 2;
  }
  halving.rungs.push_back({});
  return halving;
}

std::vector<int64_t> RecordedSweep::SeedsOf(const std::vector<Recorded>& runs) {
  std::vector<int64_t> seeds;
  for (const Recorded& one : runs) {
    const std::optional<int64_t> seed = NumberOf(FindValue(one.values, kSeedKey));
    if (seed && std::ranges::find(seeds, *seed) == seeds.end()) seeds.push_back(*seed);
  }
  return seeds;
}

std::vector<SweepAxis> RecordedSweep::AxesOf(const std::vector<Recorded>& runs,
                                             const std::vector<std::string>& without) {
  std::vector<SweepAxis> axes;
  for (const Recorded& one : runs) {
    for (const config::Override& set : one.values) {
      if (std::ranges::find(without, set.path) != without.end()) continue;
      auto axis = std::ranges::find(axes, set.path, &SweepAxis::key);
      if (axis == axes.end()) axis = axes.insert(axes.end(), {.key = set.path});
      if (std::ranges::find(axis->values, set.value) == axis->values.end()) {
        axis->values.push_back(set.value);
      }
    }
  }
  return axes;
}

absl::StatusOr<SweepResult> RecordedSweep::Finish() const {
  const std::vector<Recorded> runs = InOrder();
  const std::optional<HalvingPlan> halving = HalvingOf(runs);
  std::vector<std::string> without = {kSeedKey};
  if (halving && halving->unit == "epochs") without.emplace_back(kEpochsKey);
  auto plan = SweepPlan::Make(AxesOf(runs, without), SeedsOf(runs));
  if (!plan.ok()) {
    return FailedPrecondition("sweep {} has runs of one setting only, so far", name_);
  }
  SweepResult result{
      .name = name_, .pipeline = pipeline_, .plan = *std::move(plan), .halving = halving};
  result.settings.resize(result.plan.settings().size());
  const std::vector<int64_t>& seeds = result.plan.seeds();
  for (const Recorded& one : runs) {
    Setting values = one.values;
    std::erase_if(values, [&](const config::Override& set) {
      return std::ranges::find(without, set.path) != without.end();
    });
    const auto setting = std::ranges::find_if(
        result.plan.settings(), [&](const Setting& known) { return IsSame(known, values); });
    if (setting == result.plan.settings().end()) continue;
    const auto number = static_cast<size_t>(setting - result.plan.settings().begin());
    const auto seed =
        std::ranges::find(seeds, NumberOf(FindValue(one.values, kSeedKey)).value_or(0));
    SweepRun& run = result.settings[number].runs.emplace_back(one.run);
    run.place = result.plan.PlaceOf(
        number, seed == seeds.end() ? 0 : static_cast<size_t>(seed - seeds.begin()));
    result.settings[number].rung = run.rung;  // They come in the order of the rungs.
  }
  for (SettingResult& setting : result.settings) {
    setting.fate = FateOfRuns(setting, result.plan.num_seeds());
  }
  Summarise(result);
  const size_t num_rungs = result.halving ? result.halving->rungs.size() : 1;
  for (size_t rung = 0; rung + 1 < num_rungs; ++rung) Halve(result, rung);
  return result;
}

}  // namespace tidemill::cli
