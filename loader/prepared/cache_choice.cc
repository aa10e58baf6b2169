#include "loader/prepared/cache_choice.h"

#include <algorithm>
#include <numeric>

#include "fmt/format.h"

#include "base/check.h"

namespace tidemill::loader {
namespace {

double ShareThatFits(int64_t free_bytes, double wanted_bytes) {
  if (wanted_bytes <= 0) return 0;
  return std::clamp(static_cast<double>(free_bytes) / wanted_bytes, 0.0, 1.0);
}

double WholeNs(const SampleCosts& costs) {
  return std::accumulate(costs.op_ns.begin(), costs.op_ns.end(), costs.read_ns);
}

double NsBefore(const CacheQuestion& question, const transform::CutPoint& point) {
  double before = question.costs.read_ns;
  for (int place = 0; place < point.num_ops; ++place) {
    const int op = question.order[static_cast<size_t>(place)];
    before += question.costs.op_ns[static_cast<size_t>(op)];
  }
  return before;
}

PointGain GainOf(const CacheQuestion& question, const transform::CutPoint& point) {
  PointGain gain{.num_ops = point.num_ops, .last_op = point.last_op, .row_bytes = point.row_bytes};
  const auto num_samples = static_cast<double>(question.num_samples);
  const double bytes = num_samples * static_cast<double>(point.row_bytes + prepared::kEntryBytes);
  gain.in_memory = ShareThatFits(question.memory.free_bytes, bytes);
  gain.on_disk = std::min(1 - gain.in_memory, ShareThatFits(question.disk.free_bytes, bytes));
  const double shared = ShareThatFits(question.shared.free_bytes, bytes);
  gain.elsewhere = std::min(1 - gain.in_memory - gain.on_disk, shared);
  const double before = NsBefore(question, point);
  const auto saved = [&](const RoomForRows& store) {
    return before - store.speed.ReadNs(point.row_bytes) - question.name_ns;
  };
  // Per sample.
  const double each_use = gain.in_memory * saved(question.memory) +
                          gain.on_disk * saved(question.disk) +
                          gain.elsewhere * saved(question.shared);
  const double to_keep = gain.in_memory * question.memory.speed.WriteNs(point.row_bytes) +
                         gain.on_disk * question.disk.speed.WriteNs(point.row_bytes) +
                         shared * question.shared.speed.WriteNs(point.row_bytes);
  const double uses = point.learns ? question.uses_learned.value_or(question.uses) : question.uses;
  gain.saved_ns = num_samples * (uses * each_use - to_keep);
  const double whole = WholeNs(question.costs);
  gain.speedup = whole / std::max(whole - each_use, whole / 1000);
  return gain;
}

std::string ReasonForNone(const CacheQuestion& question, const CacheChoice& choice) {
  if (choice.points.empty()) {
    return "nothing can be kept: a random op comes before the last one that reads records, or each "
           "point has texts";
  }
  if (question.uses <= 0) return "no sample is expected to be used again";
  const double fits = std::ranges::max(choice.points, {}, [](const PointGain& gain) {
                        return gain.in_memory + gain.on_disk + gain.elsewhere;
                      }).in_memory;
  const int64_t free_bytes =
      question.memory.free_bytes + question.disk.free_bytes + question.shared.free_bytes;
  if (free_bytes == 0 && fits == 0) {
    return "there is no room for prepared rows";
  }
  return fmt::format("preparing a sample takes {:.1f} us, about as much as reading a kept row",
                     WholeNs(question.costs) / 1000);
}

}  // namespace

CacheChoice ChooseCache(const CacheQuestion& question) {
  TIDEMILL_CHECK(question.order.size() <= question.costs.op_ns.size());
  CacheChoice choice;
  for (const transform::CutPoint& point : question.points) {
    choice.points.push_back(GainOf(question, point));
  }
  for (int i = 0; i < std::ssize(choice.points); ++i) {
    const PointGain& gain = choice.points[static_cast<size_t>(i)];
    if (gain.saved_ns <= 0 || gain.speedup < kLeastSpeedup) continue;
    const bool is_better =
        choice.chosen < 0 ||
        gain.saved_ns > choice.points[static_cast<size_t>(choice.chosen)].saved_ns;
    if (is_better) choice.chosen = i;
  }
  if (choice.chosen < 0) {
    choice.reason = ReasonForNone(question, choice);
    return choice;
  }
  const PointGain& best = choice.points[static_cast<size_t>(choice.chosen)];
  choice.reason = fmt::format(
      "a sample takes {:.0f} us, and {:.0f} us from a kept row of {} bytes; it is expected to be "
      "used {:.1f} times again",
      WholeNs(question.costs) / 1000, WholeNs(question.costs) / 1000 / best.speedup, best.row_bytes,
      question.uses);
  return choice;
}

}  // namespace tidemill::loader
