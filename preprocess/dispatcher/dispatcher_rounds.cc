// Leases: who waits, who is given what, and the one transaction in between.
#include <algorithm>
#include <utility>

#include "base/failpoints.h"
#include "base/log.h"
#include "base/names.h"
#include "preprocess/dispatcher/dispatcher.h"

namespace tidemill::preprocess {
namespace {

constexpr int64_t kMaxWaitMillis = 1000;

v1::Split ToProto(int64_t job_id, int32_t lane, const IssuedSplit& split) {
  v1::Split proto;
  proto.set_job_id(job_id);
  proto.set_lane(lane);
  proto.set_from_batch(split.from_batch);
  proto.set_to_batch(split.to_batch);
  proto.set_attempt(split.attempt);
  return proto;
}

}  // namespace

void Dispatcher::Lease(const v1::LeaseSplitsRequest& request, LeaseDone done) {
  Answers answers;
  {
    MutexLock lock(mutex_);
    const auto wait = std::clamp<int64_t>(request.wait_millis(), 0, kMaxWaitMillis);
    Waiter waiter{.worker = IncarnationOf(request.worker()),
                  .request_id = request.command().request_id(),
                  .max_splits = request.max_splits(),
                  .deadline = now_() + std::chrono::milliseconds(wait),
                  .job_ids = {request.job_ids().begin(), request.job_ids().end()},
                  .done = std::move(done)};
    const auto is_earlier = [&](const Waiter& other) {
      return other.worker == waiter.worker && other.request_id == waiter.request_id;
    };
    if (auto answer = AnswerAtOnce(request, waiter); answer) {
      answers.push_back({std::move(waiter.done), *std::move(answer)});
    } else {
      // A request that is repeated takes the place of the one that nobody listens to any more.
      answers = AnswerWaiters(is_earlier);
      waiters_.push_back(std::move(waiter));
      ScheduleRound();
    }
  }
  Send(std::move(answers));
}

std::optional<absl::StatusOr<v1::LeaseSplitsResponse>> Dispatcher::AnswerAtOnce(
    const v1::LeaseSplitsRequest& request, const Waiter& waiter) {
  if (absl::Status serving = CheckServing(); !serving.ok()) return serving;
  const auto worker = workers_.Hear(waiter.worker, now_());
  if (!worker.ok()) return worker.status();
  (*worker)->num_batches = request.num_batches();
  (*worker)->num_bytes = request.num_bytes();
  for (const auto& done : request.work()) {
    if (Job* const job = FindJob(done.job_id())) job->NoteWork(waiter.worker, done.work());
  }
  if (waiter.max_splits <= 0) return Respond(waiter);
  RETURN_IF_ERROR(CheckLabel("request id", waiter.request_id));
  return std::nullopt;
}

void Dispatcher::ScheduleRound() {
  if (round_scheduled_ || stopping_) return;
  round_scheduled_ = true;
  writer_.Submit([this] { Round(); });
}

// Progress alone is not worth a transaction each time that it makes a waiting request look again:
// it is written with the next leases, or when Tick() says so.
void Dispatcher::Round() {
  Waiters served;
  IssueChanges changes;
  bool has_leases = false;
  {
    MutexLock lock(mutex_);
    round_scheduled_ = false;
    if (stopping_) return;
    served = Decide();
    has_leases = std::any_of(served.begin(), served.end(),
                             [](const Waiter& waiter) { return !waiter.gifts.empty(); });
    if (has_leases || std::exchange(write_due_, false)) changes = TakeChanges();
    for (const Waiter& waiter : served) being_answered_.push_back(waiter.worker);
  }
  const absl::Status written = changes.empty() ? absl::OkStatus() : Write(changes, has_leases);
  Answers answers;
  {
    MutexLock lock(mutex_);
    LoseSilentWorkers();  // Before anybody counts as silent who waited for this.
    being_answered_.clear();
    if (!written.ok()) {
      log::Warn("cannot write leases", {{"error", written.ToString()}});
      ReturnChanges(changes);  // For the next round, which the next Tick() starts.
    }
    for (Waiter& waiter : served) answers.push_back(Conclude(waiter, written));
  }
  Send(std::move(answers));
}

// Splits go around among those who wait, one each, so that none is left without while another has
// many.
Dispatcher::Waiters Dispatcher::Decide() {
  const Clock::time_point now = now_();
  std::vector<Waiter*> hungry;
  std::vector<const Waiter*> ready;
  for (Waiter& waiter : waiters_) {
    if (!std::exchange(waiter.considered, true)) waiter.gifts = GivenBefore(waiter);
    if (!workers_.TakesWork(waiter.worker) || !waiter.gifts.empty()) {
      ready.push_back(&waiter);
    } else {
      hungry.push_back(&waiter);
    }
  }
  for (int32_t turn = 1; !hungry.empty(); ++turn) {
    std::erase_if(hungry, [&](Waiter* waiter) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      const bool had_none = waiter->gifts.empty();
      const bool given = GiveOne(*waiter);
      if (had_none && (given || waiter->deadline <= now)) ready.push_back(waiter);
      return !given || turn >= waiter->max_splits;
    });
  }
  Waiters served;
  for (auto it = waiters_.begin(); it != waiters_.end();) {
    const auto next = std::next(it);
    if (std::find(ready.begin(), ready.end(), &*it) != ready.end()) {
      served.splice(served.end(), waiters_, it);
    }
    it = next;
  }
  return served;
}

// Jobs take turns, so that one with much to do does not keep others from starting.
bool Dispatcher::GiveOne(Waiter& waiter) {
  if (jobs_.empty()) return false;
  auto it = jobs_.upper_bound(last_job_);
  for (size_t tried = 0; tried < jobs_.size(); ++tried, ++it) {
    if (it == jobs_.end()) it = jobs_.begin();
    const Job::Issued issued = it->second->Issue(waiter.worker, waiter.request_id, workers_);
    if (issued.lane < 0) continue;
    waiter.gifts.push_back({.job_id = it->first, .issued = issued});
    last_job_ = it->first;
    return true;
  }
  return false;
}

std::vector<Dispatcher::Gift> Dispatcher::GivenBefore(const Waiter& waiter) const {
  std::vector<Gift> gifts;
  for (const auto& [id, job] : jobs_) {
    if (job->ending) continue;
    for (const Job::Issued& issued : job->LeasedBy(waiter.worker, waiter.request_id)) {
      gifts.push_back({.job_id = id, .issued = issued});
    }
  }
  return gifts;
}

IssueChanges Dispatcher::TakeChanges() {
  IssueChanges changes;
  changes.lost_workers = workers_.TakeNewlyLost();
  for (auto& [id, job] : jobs_) {
    if (job->ending) continue;
    for (size_t i = 0; i < job->lanes().size(); ++i) {
      Lane& lane = job->lanes()[i];
      if (!lane.has_changes()) continue;
      changes.lanes.push_back(
          {.job_id = id, .lane = static_cast<int32_t>(i), .changes = lane.TakeChanges()});
    }
  }
  return changes;
}

void Dispatcher::ReturnChanges(const IssueChanges& changes) {
  workers_.ReturnNewlyLost(changes.lost_workers);
  for (const IssueChanges::OfLane& lane : changes.lanes) {
    const auto it = jobs_.find(lane.job_id);
    if (it == jobs_.end()) continue;
    it->second->lanes()[static_cast<size_t>(lane.lane)].ReturnChanges(lane.changes);
  }
}

absl::Status Dispatcher::Write(const IssueChanges& changes, bool has_leases) {
  const Clock::time_point begin = Clock::now();
  absl::Status written = [&]() -> absl::Status {
    if (has_leases) RETURN_IF_FAILPOINT("preprocess.before_lease");
    if (!has_leases) RETURN_IF_FAILPOINT("preprocess.before_progress");
    RETURN_IF_ERROR(Transact([&](pqxx::work& work) {
      IssueTable(work).Write(changes);
      return absl::OkStatus();
    }));
    if (has_leases) RETURN_IF_FAILPOINT("preprocess.after_lease");
    if (!has_leases) RETURN_IF_FAILPOINT("preprocess.after_progress");
    return absl::OkStatus();
  }();
  metrics_.write_seconds.Observe(std::chrono::duration<double>(Clock::now() - begin).count());
  if (!written.ok()) metrics_.failed_writes.Add();
  return written;
}

// While the leases were written the worker may have been lost, or its connection: then they are its
// no more, and it is not told of them. What could not be written is taken back: whoever asks next
// gets it, with the same attempt.
Dispatcher::Answer Dispatcher::Conclude(Waiter& waiter, const absl::Status& written) {
  bool taken_back = false;
  if (!written.ok()) {
    for (const Gift& gift : waiter.gifts) {
      const auto it = jobs_.find(gift.job_id);
      if (it == jobs_.end()) continue;
      Lane& lane = it->second->lanes()[static_cast<size_t>(gift.issued.lane)];
      taken_back |= lane.TakeBack(gift.issued.from_batch, waiter.worker, waiter.request_id);
    }
  }
  if (taken_back) {
    return {std::move(waiter.done),
            Unavailable("cannot write the lease: {}", std::string(written.message()))};
  }
  auto response = Respond(waiter);
  return {std::move(waiter.done), std::move(response)};
}

absl::StatusOr<v1::LeaseSplitsResponse> Dispatcher::Respond(const Waiter& waiter) {
  const auto known = workers_.all().find(waiter.worker.worker_id);
  if (!workers_.IsAlive(waiter.worker)) {
    return NotFound("incarnation {} of worker {} is over", waiter.worker.number,
                    waiter.worker.worker_id);
  }
  v1::LeaseSplitsResponse response;
  response.set_draining(known->second.facts.draining);
  for (const int64_t job_id : waiter.job_ids) {
    if (FindJob(job_id) == nullptr) response.add_finished_job_ids(job_id);
  }
  for (const Gift& gift : waiter.gifts) {
    Job* const job = FindJob(gift.job_id);
    if (job == nullptr) continue;
    Lane& lane = job->lanes()[static_cast<size_t>(gift.issued.lane)];
    const IssuedSplit* const split =
        lane.Confirm(gift.issued.from_batch, waiter.worker, waiter.request_id);
    if (split == nullptr) continue;
    *response.add_splits() = ToProto(gift.job_id, gift.issued.lane, *split);
    metrics_.splits_issued.Add();
    if (split->attempt > 1) metrics_.splits_reissued.Add();
  }
  return response;
}

bool Dispatcher::HasChanges() const {
  if (!workers_.newly_lost().empty()) return true;
  return std::any_of(jobs_.begin(), jobs_.end(), [](const auto& entry) {
    return !entry.second->ending &&
           std::any_of(entry.second->lanes().begin(), entry.second->lanes().end(),
                       [](const Lane& lane) { return lane.has_changes(); });
  });
}

Dispatcher::Answers Dispatcher::AnswerWaiters(const std::function<bool(const Waiter&)>& is_over) {
  Answers answers;
  for (auto it = waiters_.begin(); it != waiters_.end();) {
    const auto next = std::next(it);
    if (is_over(*it)) {
      auto response = Respond(*it);
      answers.push_back({std::move(it->done), std::move(response)});
      waiters_.erase(it);
    }
    it = next;
  }
  return answers;
}

void Dispatcher::Send(Answers answers) {
  for (Answer& answer : answers) answer.done(std::move(answer.response));
}

}  // namespace tidemill::preprocess
