#include "preprocess/dispatcher/lease_queue.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemill::preprocess {
namespace {

v1::Split ToProto(int64_t job_id, int32_t lane, const IssuedSplit& split) {
  v1::Split proto;
  proto.set_job_id(job_id);
  proto.set_lane(lane);
  proto.set_from_batch(split.from_batch);
  proto.set_to_batch(split.to_batch);
  proto.set_attempt(split.attempt);
  return proto;
}

bool GiveOne(LeaseWaiter& waiter, Assignments& assignments) {
  const std::optional<Assignment> assignment = assignments.Assign(waiter.worker, waiter.request_id);
  if (assignment) waiter.assigned.push_back(*assignment);
  return assignment.has_value();
}

}  // namespace

void Send(LeaseAnswers answers) {
  for (LeaseAnswer& answer : answers) answer.done(std::move(answer.response));
}

// Splits go around among those who wait, one each, so that none is left without while another has
// many.
LeaseQueue::Waiters LeaseQueue::Decide(Assignments& assignments, Clock::time_point now) {
  std::vector<LeaseWaiter*> hungry;
  std::vector<const LeaseWaiter*> ready;
  for (LeaseWaiter& waiter : waiters_) {
    if (!std::exchange(waiter.considered, true)) {
      waiter.assigned = assignments.AssignedBefore(waiter.worker, waiter.request_id);
    }
    if (!assignments.workers().TakesWork(waiter.worker) || !waiter.assigned.empty()) {
      ready.push_back(&waiter);
    } else {
      hungry.push_back(&waiter);
    }
  }
  for (int32_t turn = 1; !hungry.empty(); ++turn) {
    std::erase_if(hungry, [&](LeaseWaiter* waiter) {
      const bool had_none = waiter->assigned.empty();
      const bool given = GiveOne(*waiter, assignments);
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

// While the leases were written the worker may have been lost, or its connection: then it no longer
// holds them, and is not informed of them.
LeaseAnswer LeaseQueue::Conclude(LeaseWaiter& waiter, const absl::Status& written,
                                 Assignments& assignments) const {
  if (!written.ok() && assignments.Revoke(waiter.assigned, waiter.worker, waiter.request_id)) {
    return {std::move(waiter.done),
            Unavailable("cannot write the lease: {}", std::string(written.message()))};
  }
  auto response = Respond(waiter, assignments);
  return {std::move(waiter.done), std::move(response)};
}

LeaseAnswers LeaseQueue::AnswerIf(const std::function<bool(const LeaseWaiter&)>& is_over,
                                  Assignments& assignments) {
  LeaseAnswers answers;
  for (auto it = waiters_.begin(); it != waiters_.end();) {
    const auto next = std::next(it);
    if (is_over(*it)) {
      auto response = Respond(*it, assignments);
      answers.push_back({std::move(it->done), std::move(response)});
      waiters_.erase(it);
    }
    it = next;
  }
  return answers;
}

LeaseAnswers LeaseQueue::RefuseAll(const absl::Status& status) {
  LeaseAnswers answers;
  for (LeaseWaiter& waiter : waiters_) answers.push_back({std::move(waiter.done), status});
  waiters_.clear();
  return answers;
}

absl::StatusOr<v1::LeaseSplitsResponse> LeaseQueue::Respond(const LeaseWaiter& waiter,
                                                            Assignments& assignments) const {
  const Workers& workers = assignments.workers();
  const auto known = workers.all().find(waiter.worker.member_id);
  if (!workers.IsAlive(waiter.worker)) {
    return NotFound("incarnation {} of worker {} has ended", waiter.worker.number,
                    waiter.worker.member_id);
  }
  v1::LeaseSplitsResponse response;
  response.set_draining(known->second.draining);
  for (const int64_t job_id : waiter.job_ids) {
    if (assignments.FindJob(job_id) == nullptr) response.add_finished_job_ids(job_id);
  }
  for (const Assignment& assignment : waiter.assigned) {
    Job* const job = assignments.FindJob(assignment.job_id);
    if (job == nullptr) continue;
    Lane& lane = job->lanes()[static_cast<size_t>(assignment.issued.lane)];
    const IssuedSplit* const split =
        lane.Confirm(assignment.issued.from_batch, waiter.worker, waiter.request_id);
    if (split == nullptr) continue;
    *response.add_splits() = ToProto(assignment.job_id, assignment.issued.lane, *split);
    metrics_.splits_issued.Add();
    if (split->attempt > 1) metrics_.splits_reissued.Add();
  }
  return response;
}

}  // namespace tidemill::preprocess
