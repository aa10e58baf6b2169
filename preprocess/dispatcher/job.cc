#include "preprocess/dispatcher/job.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "rpc/usage/usage_message.h"

namespace tidemill::preprocess {
namespace {

void Add(const rpc::v1::OpWork& more, rpc::v1::OpWork& total) {
  total.set_runs(total.runs() + more.runs());
  total.set_rows(total.rows() + more.rows());
  total.set_rejected(total.rejected() + more.rejected());
  total.set_unknown(total.unknown() + more.unknown());
  total.set_bytes(total.bytes() + more.bytes());
  total.set_cpu_nanos(total.cpu_nanos() + more.cpu_nanos());
  total.set_wall_nanos(total.wall_nanos() + more.wall_nanos());
}

void Add(const rpc::v1::SharedWork& more, rpc::v1::SharedWork& total) {
  total.set_made(total.made() + more.made());
  total.set_taken(total.taken() + more.taken());
  total.set_again(total.again() + more.again());
  total.set_failed(total.failed() + more.failed());
  total.set_wait_nanos(total.wait_nanos() + more.wait_nanos());
}

// Adds the work of a worker. Ops are added by place: where they differ from those before, the
// earlier ones stay.
void Add(const rpc::v1::PathWork& more, rpc::v1::PathWork& total) {
  total.set_batches(total.batches() + more.batches());
  total.set_rows(total.rows() + more.rows());
  total.set_bytes(total.bytes() + more.bytes());
  total.set_busy_nanos(total.busy_nanos() + more.busy_nanos());
  total.set_cpu_nanos(total.cpu_nanos() + more.cpu_nanos());
  total.set_queue_nanos(total.queue_nanos() + more.queue_nanos());
  total.set_read_nanos(total.read_nanos() + more.read_nanos());
  total.set_found(total.found() + more.found());
  total.set_find_nanos(total.find_nanos() + more.find_nanos());
  total.set_capacity_nanos(total.capacity_nanos() + more.capacity_nanos());
  total.set_link_busy_nanos(total.link_busy_nanos() + more.link_busy_nanos());
  total.set_link_nanos(total.link_nanos() + more.link_nanos());
  if (more.has_shared()) Add(more.shared(), *total.mutable_shared());
  if (total.ops_size() == 0) {
    *total.mutable_ops() = more.ops();
    return;
  }
  for (int i = 0; i < more.ops_size() && i < total.ops_size(); ++i) {
    if (more.ops(i).type() == total.ops(i).type()) Add(more.ops(i), *total.mutable_ops(i));
  }
}

}  // namespace

Job::Job(JobFacts facts, std::vector<Lane> lanes, Clock::time_point now)
    : facts_(std::move(facts)),
      lanes_(std::move(lanes)),
      readers_(lanes_.size(), nullptr),
      last_heard_(now) {
  for (const Lane& lane : lanes_) {
    if (lane.counts().shard_worker_id == 0) continue;
    shards_[lane.facts().shard] = lane.counts().shard_worker_id;
  }
}

absl::StatusOr<Job::Reported> Job::Report(const v1::ReportProgressRequest& request,
                                          Clock::time_point now) {
  for (const v1::LaneProgress& progress : request.lanes()) {
    if (progress.lane() < 0 || progress.lane() >= std::ssize(lanes_)) {
      return InvalidArgument("job {} has {} lanes, there is no lane {}", facts_.name, lanes_.size(),
                             progress.lane());
    }
    RETURN_IF_ERROR(lanes_[static_cast<size_t>(progress.lane())].Check(progress));
  }
  if (request.command().run_epoch() < run_epoch_) {
    return FailedPrecondition("the consumers of job {} are at epoch {} of the run, not {}",
                              facts_.name, run_epoch_, request.command().run_epoch());
  }
  run_epoch_ = request.command().run_epoch();
  last_heard_ = now;
  Consumer& consumer = consumers_[request.consumer()];
  const std::string& request_id = request.command().request_id();
  const bool repeated = !request_id.empty() && consumer.request_id == request_id;
  consumer.request_id = request_id;
  consumer.wait_share = request.wait_share();
  if (!repeated) NoteTime(consumer, now);
  std::set<Incarnation> broken;
  if (!repeated) {
    for (const auto& incarnation : request.broken()) broken.insert(IncarnationOf(incarnation));
  }
  Reported reported;
  for (const v1::LaneProgress& progress : request.lanes()) {
    const auto index = static_cast<size_t>(progress.lane());
    readers_[index] = &consumer;
    // Before it is known that these batches are done, and of no lease any more.
    for (int i = 0; !repeated && i < progress.missed_size(); ++i) {
      const auto holder = lanes_[index].Miss(progress.missed(i));
      if (holder) reported.late.push_back(*holder);
    }
    lanes_[index].Advance(progress);
    reported.num_given_up += lanes_[index].TakeOver(request.consumer());
    if (broken.empty()) continue;
    reported.num_given_up +=
        lanes_[index].Lose([&](const Incarnation& worker) { return broken.contains(worker); });
  }
  consumer.connected.clear();
  for (const auto& incarnation : request.connected()) {
    consumer.connected.insert(IncarnationOf(incarnation));
  }
  DropIdleConsumers();
  reported.num_given_up += std::ssize(reported.late);
  return reported;
}

void Job::NoteTime(Consumer& consumer, Clock::time_point now) {
  if (consumer.heard) {
    const double seconds = std::chrono::duration<double>(now - *consumer.heard).count();
    consumer_seconds_ += seconds;
    not_waited_seconds_ += seconds * (1 - std::clamp(consumer.wait_share, 0.0, 1.0));
  }
  consumer.heard = now;
}

JobTotals Job::Totals() const {
  constexpr double kNanos = 1e9;
  const rpc::v1::PathWork work = Work();
  JobTotals totals{
      .job_id = facts_.job_id,
      .name = facts_.name,
      .num_consumers = static_cast<int>(consumers_.size()),
      .consumer_seconds = consumer_seconds_,
      .not_waited_seconds = not_waited_seconds_,
      .made = work.batches(),
      .busy_seconds = static_cast<double>(work.busy_nanos() - work.queue_nanos()) / kNanos};
  for (const Lane& lane : lanes_) totals.taken += lane.num_done();
  return totals;
}

Job::Issued Job::Issue(const Incarnation& worker, const std::string& request_id,
                       const Workers& workers) {
  if (ending) return {};
  int best = -1;
  std::pair<bool, int64_t> best_rank;  // (fresh, where it begins)
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    const auto waiting = lane.NextWaiting();
    if (!waiting && !lane.NextFresh()) continue;
    if (!IsOpenTo(i, worker, workers)) continue;
    const std::pair<bool, int64_t> rank =
        waiting ? std::pair(false, *waiting) : std::pair(true, DistanceOf(i, worker, workers));
    if (best >= 0 && best_rank <= rank) continue;
    best = static_cast<int>(i);
    best_rank = rank;
  }
  if (best < 0) return {};
  Lane& lane = lanes_[static_cast<size_t>(best)];
  if (lane.facts().shard > 0) BindShard(lane.facts().shard, worker.member_id);
  const int64_t from = lane.Issue(worker, request_id).from_batch;
  NoteMaker(lane, from, worker);
  return {.lane = best, .from_batch = from};
}

int64_t Job::DistanceOf(size_t lane, const Incarnation& worker, const Workers& workers) const {
  const LaneFacts& facts = lanes_[lane].facts();
  const int64_t from = lanes_[lane].counts().issued_before;
  const auto maker = makers_.find(from / facts.split_batches);
  if (maker == makers_.end() || maker->second == worker) return from;
  if (!workers.TakesWork(maker->second) || !IsOpenTo(lane, maker->second, workers)) return from;
  // So far that each worker has its own batches, and no lane gets far ahead of another.
  return from + std::ssize(readers_[lane]->connected) * facts.split_batches;
}

void Job::NoteMaker(const Lane& lane, int64_t from_batch, const Incarnation& worker) {
  if (lanes_.size() == 1 || lane.facts().shard > 0) return;
  makers_.try_emplace(from_batch / lane.facts().split_batches, worker);
  const auto first = std::ranges::min_element(
      lanes_, {}, [](const Lane& one) { return one.counts().done_before; });
  const int64_t done = first->counts().done_before / first->facts().split_batches;
  makers_.erase(makers_.begin(), makers_.lower_bound(done));
}

int64_t Job::Lose(const std::function<bool(const Incarnation&)>& is_gone) {
  int64_t num_lost = 0;
  for (Lane& lane : lanes_) num_lost += lane.Lose(is_gone);
  return num_lost;
}

std::vector<Job::Issued> Job::LeasedBy(const Incarnation& worker,
                                       const std::string& request_id) const {
  std::vector<Issued> leased;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    for (const auto& [from, split] : lanes_[i].splits()) {
      if (split.worker != worker || split.request_id != request_id) continue;
      leased.push_back({.lane = static_cast<int>(i), .from_batch = from});
    }
  }
  return leased;
}

rpc::v1::PathWork Job::Work() const {
  rpc::v1::PathWork total;
  for (const auto& [worker, work] : work_) Add(work, total);
  return total;
}

rpc::v1::Usage Job::Usage() const {
  rpc::v1::Usage total;
  for (const auto& [worker, usage] : usage_) rpc::AddUsage(usage, total);
  return total;
}

v1::Job Job::Describe() const {
  v1::Job job;
  job.set_job_id(facts_.job_id);
  job.set_name(facts_.name);
  job.set_created_at(facts_.created_at);
  const auto add = [](int64_t sum, int64_t more) { return sum + more; };
  for (const Lane& lane : lanes_) {
    const LaneFacts& facts = lane.facts();
    const LaneCounts& counts = lane.counts();
    job.set_num_batches(add(job.num_batches(), facts.end_batch - facts.first_batch));
    job.set_num_issued(add(job.num_issued(), counts.issued_before - facts.first_batch));
    job.set_num_done(add(job.num_done(), lane.num_done()));
    job.set_num_leased(add(job.num_leased(), lane.num_leased()));
    job.set_num_reissued(add(job.num_reissued(), counts.num_reissued));
  }
  double wait_share = 0;
  for (const auto& [name, consumer] : consumers_) wait_share += consumer.wait_share;
  *job.mutable_work() = Work();
  job.set_num_consumers(static_cast<int32_t>(consumers_.size()));
  if (!consumers_.empty()) {
    job.set_wait_share(wait_share / static_cast<double>(consumers_.size()));
  }
  return job;
}

bool Job::IsOpenTo(size_t lane, const Incarnation& worker, const Workers& workers) const {
  const Consumer* const reader = readers_[lane];
  if (reader == nullptr || !reader->connected.contains(worker)) return false;
  const int32_t shard = lanes_[lane].facts().shard;
  return shard == 0 || MayTakeShard(shard, *reader, worker, workers);
}

// A shard stays with its worker while that takes work and the consumer reads from it. Else it goes
// to one of those workers that have the fewest shards of the job: to one without any, as long as
// there is one.
bool Job::MayTakeShard(int32_t shard, const Consumer& consumer, const Incarnation& worker,
                       const Workers& workers) const {
  if (const auto it = shards_.find(shard); it != shards_.end() && workers.TakesWork(it->second)) {
    const auto is_it = [&](const Incarnation& one) { return one.member_id == it->second; };
    if (std::ranges::any_of(consumer.connected, is_it)) return it->second == worker.member_id;
  }
  const auto num_shards = [&](int64_t worker_id) {
    return std::count_if(shards_.begin(), shards_.end(), [&](const auto& bound) {
      return bound.first != shard && bound.second == worker_id;
    });
  };
  const auto mine = num_shards(worker.member_id);
  return std::none_of(consumer.connected.begin(), consumer.connected.end(),
                      [&](const Incarnation& other) {
                        return workers.TakesWork(other) && num_shards(other.member_id) < mine;
                      });
}

void Job::BindShard(int32_t shard, int64_t worker_id) {
  shards_[shard] = worker_id;
  for (Lane& lane : lanes_) {
    if (lane.facts().shard == shard) lane.BindShard(worker_id);
  }
}

void Job::DropIdleConsumers() {
  std::erase_if(consumers_, [&](const auto& entry) {
    return std::find(readers_.begin(), readers_.end(), &entry.second) == readers_.end();
  });
}

}  // namespace tidemill::preprocess
