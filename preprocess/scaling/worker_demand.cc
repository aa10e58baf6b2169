#include "preprocess/scaling/worker_demand.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/status.h"

namespace tidemill::preprocess {
namespace {

using Seconds = std::chrono::duration<double>;

// What is measured is the mean over so much time, and over no less than kLeastSeen.
constexpr Seconds kWindow{8};
constexpr Seconds kLeastSeen{1.5};
constexpr int64_t kLeastBatches = 2;
// When the last samples differ from the mean by so much, the load has changed, and what was before
// does not count any more.
constexpr size_t kLatest = 3;
constexpr double kShift = 1.25;
// The share of a thread's time that makes batches when there is always something to make. The rest
// goes into leases and sends.
constexpr double kUsable = 0.95;
// So much less than what fewer workers could make has to suffice before fewer are wanted.
constexpr double kBand = 0.9;

}  // namespace

WorkerDemand::WorkerDemand(const DemandLimits& limits, int64_t wanted)
    : limits_(limits), wanted_(std::clamp(wanted, limits.least, limits.most)) {}

void WorkerDemand::Remember(Clock::time_point now, const std::vector<JobTotals>& jobs) {
  std::set<int64_t> present;
  for (const JobTotals& job : jobs) {
    present.insert(job.job_id);
    std::deque<Sample>& samples = samples_[job.job_id];
    // A dispatcher or workers that start again count from 0.
    const bool begins_again =
        !samples.empty() &&
        (job.taken < samples.back().totals.taken || job.made < samples.back().totals.made ||
         job.busy_seconds < samples.back().totals.busy_seconds);
    if (begins_again) samples.clear();
    samples.push_back({.at = now, .totals = job});
    while (samples.size() > 2 && now - samples[1].at >= kWindow) samples.pop_front();
    ForgetBeforeShift(samples);
  }
  std::erase_if(samples_, [&](const auto& entry) { return !present.contains(entry.first); });
}

void WorkerDemand::ForgetBeforeShift(std::deque<Sample>& samples) {
  if (samples.size() <= kLatest) return;
  const auto all = DemandOf(samples);
  const std::deque<Sample> latest(samples.end() - kLatest, samples.end());
  const auto now = DemandOf(latest);
  if (!all || !now || now->threads <= 0) return;
  const double shift = std::max(all->threads / now->threads, now->threads / all->threads);
  if (shift > kShift) samples = latest;
}

std::optional<JobDemand> WorkerDemand::DemandOf(const std::deque<Sample>& samples) {
  const JobTotals& first = samples.front().totals;
  const JobTotals& last = samples.back().totals;
  const double consumers = std::max(1, last.num_consumers);
  const double seen = (last.consumer_seconds - first.consumer_seconds) / consumers;
  const double not_waited = (last.not_waited_seconds - first.not_waited_seconds) / consumers;
  const auto taken = static_cast<double>(last.taken - first.taken);
  const auto made = static_cast<double>(last.made - first.made);
  if (seen < kLeastSeen.count() || taken < kLeastBatches || made < kLeastBatches ||
      not_waited <= 0) {
    return std::nullopt;
  }
  JobDemand demand{.job_id = last.job_id,
                   .name = last.name,
                   .batches_per_second = taken / not_waited,
                   .seconds_per_batch = (last.busy_seconds - first.busy_seconds) / made,
                   .wait_share = std::clamp(1 - not_waited / seen, 0.0, 1.0)};
  demand.threads = demand.batches_per_second * demand.seconds_per_batch;
  return demand;
}

int64_t WorkerDemand::Best(double threads, double threads_per_worker, size_t num_jobs) const {
  const double need = threads / (std::max(threads_per_worker, 1.0) * kUsable);
  const auto price = [&](double number) {
    return (static_cast<double>(num_jobs) + number * limits_.cost) / std::min(1.0, number / need);
  };
  const double fewer = std::max(1.0, std::floor(need));
  const double more = std::max(1.0, std::ceil(need));
  const double best = price(fewer) <= price(more) ? fewer : more;
  const auto most = static_cast<double>(limits_.most);
  return std::clamp(static_cast<int64_t>(std::min(best, most)), limits_.least, limits_.most);
}

DemandChange WorkerDemand::Change(int64_t wanted, double threads_per_worker,
                                  std::vector<JobDemand> jobs, std::string reason) {
  fewer_since_.reset();
  return {.before = std::exchange(wanted_, wanted),
          .wanted = wanted,
          .threads_per_worker = threads_per_worker,
          .jobs = std::move(jobs),
          .reason = std::move(reason)};
}

std::optional<DemandChange> WorkerDemand::Observe(Clock::time_point now,
                                                  const std::vector<JobTotals>& jobs,
                                                  double threads_per_worker) {
  Remember(now, jobs);
  std::vector<JobDemand> demands;
  double threads = 0;
  size_t num_unknown = 0;
  for (const auto& [id, samples] : samples_) {
    auto demand = DemandOf(samples);
    num_unknown += demand ? 0 : 1;
    if (!demand) continue;
    threads += demand->threads;
    demands.push_back(*std::move(demand));
  }
  // A job of which nothing is known yet needs a worker that shows what a batch takes.
  const int64_t probing =
      num_unknown > 0 ? std::min<int64_t>(limits_.most, std::max<int64_t>(1, wanted_)) : 0;
  const bool is_unknown = demands.empty();
  const int64_t best = is_unknown
                           ? std::max(limits_.least, probing)
                           : std::max(Best(threads, threads_per_worker, demands.size()), probing);
  if (best > wanted_) {
    return Change(best, threads_per_worker, std::move(demands),
                  is_unknown ? "a job has come" : "trainings wait for batches");
  }
  // Fewer suffice only if they would with a need that is a little larger.
  const int64_t careful =
      is_unknown ? best
                 : std::max(Best(threads / kBand, threads_per_worker, demands.size()), probing);
  if (careful >= wanted_) {
    fewer_since_.reset();
    return std::nullopt;
  }
  if (!fewer_since_) {
    fewer_since_ = now;
    most_since_ = careful;
  }
  most_since_ = std::max(most_since_, careful);
  if (now - *fewer_since_ < limits_.settle) return std::nullopt;
  return Change(most_since_, threads_per_worker, std::move(demands),
                is_unknown ? "there is no job" : "fewer workers suffice");
}

}  // namespace tidemill::preprocess
