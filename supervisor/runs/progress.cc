#include "supervisor/runs/progress.h"

#include <algorithm>
#include <cmath>

namespace tidemill::supervisor {
namespace {

// The share of the work on one trigger's part of the stream: from 0 to 1.
double PartDone(const v1::Progress& progress) {
  if (progress.stage() == "store") return 1;
  if (progress.stage() != "train" || progress.total() <= 0) return 0.5;
  const double done = static_cast<double>(progress.done()) / static_cast<double>(progress.total());
  return 0.5 + 0.5 * std::clamp(done, 0.0, 1.0);
}

int64_t Expected(int64_t fired, double share, int64_t most) {
  if (fired == 0 || share <= 0) return 0;
  const auto expected = std::llround(static_cast<double>(fired) / share);
  const int64_t bounded = std::max<int64_t>(expected, fired);
  return most > 0 ? std::min(bounded, most) : bounded;
}

}  // namespace

int64_t NumBeforeLastTrigger(const RunState& state) {
  int64_t behind = 0;
  for (const TriggerState& trigger : state.triggers()) behind += trigger.num_new;
  return behind;
}

double ReplayedShare(const v1::DatasetSynced& data, int64_t num_samples, int64_t event_time) {
  double done = static_cast<double>(num_samples);
  auto total = static_cast<double>(data.num_samples());
  if (data.has_replay_from() || data.has_replay_to()) {
    int64_t end = data.to().event_time();
    if (data.has_replay_to()) end = std::min(end, data.replay_to().event_time());
    done = static_cast<double>(event_time - data.from().event_time());
    total = static_cast<double>(end - data.from().event_time());
  }
  return total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
}

void AddWhole(const RunState& state, const v1::DatasetSynced& data, v1::Progress& progress) {
  const bool deciding = progress.stage() == "decide";
  const double seen = progress.share();
  progress.clear_share();
  if (state.live() || state.stream_ended()) return;
  const auto fired = static_cast<int64_t>(state.triggers().size());
  double before = 0;
  double end = 0;  // The end of the last trigger's part.
  int64_t samples = 0;
  for (const TriggerState& trigger : state.triggers()) {
    before = end;
    samples += trigger.num_new;
    end = ReplayedShare(data, samples, trigger.trigger.at().event_time());
  }
  if (deciding) before = end;
  const double part = deciding ? 0.5 : PartDone(progress);
  double share = before + part * (std::max(deciding ? seen : end, before) - before);
  if (const int64_t most = state.max_triggers(); most > 0) {
    const auto settled = static_cast<double>(deciding ? fired : std::max<int64_t>(fired - 1, 0));
    const double work = settled + (deciding ? 0 : part);
    share = std::max(share, std::min(1.0, work / static_cast<double>(most)));
  }
  if (progress.trigger() == 0 && !deciding) progress.set_trigger(fired);
  progress.set_share(share);
  progress.set_expected_triggers(Expected(fired, end, state.max_triggers()));
}

}  // namespace tidemill::supervisor
