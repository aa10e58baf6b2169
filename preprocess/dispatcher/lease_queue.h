// The waiting lease requests. Decides which splits each request gets, and its answer.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "base/status.h"
#include "preprocess/dispatcher/assignments.h"
#include "preprocess/dispatcher/metrics.h"

namespace tidemill::preprocess {

using LeaseDone = std::function<void(absl::StatusOr<v1::LeaseSplitsResponse>)>;

// A lease request without an answer.
struct LeaseWaiter {
  Incarnation worker;
  std::string request_id;
  int32_t max_splits = 0;
  Clock::time_point deadline;
  std::vector<int64_t> job_ids;
  LeaseDone done;
  std::vector<Assignment> assigned = {};
  // Whether a round has looked for a split for it.
  bool considered = false;
};

// An answer to send once nothing is locked.
struct LeaseAnswer {
  LeaseDone done;
  absl::StatusOr<v1::LeaseSplitsResponse> response;
};
using LeaseAnswers = std::vector<LeaseAnswer>;

void Send(LeaseAnswers answers);

// All calls must pass the same assignments. Thread-compatible.
class LeaseQueue {
 public:
  using Waiters = std::list<LeaseWaiter>;

  // `metrics` must outlive this object.
  explicit LeaseQueue(DispatcherMetrics& metrics) : metrics_(metrics) {}

  bool empty() const { return waiters_.empty(); }
  void Add(LeaseWaiter waiter) { waiters_.push_back(std::move(waiter)); }

  // Gives splits to waiting requests. Removes and returns the requests that got some splits, or
  // that have ended. Conclude() answers them once their splits are written.
  Waiters Decide(Assignments& assignments, Clock::time_point now);
  // `written` says whether the write succeeded. If it failed, the splits are taken back. The next
  // request gets them with the same attempt.
  LeaseAnswer Conclude(LeaseWaiter& waiter, const absl::Status& written,
                       Assignments& assignments) const;

  // Removes the requests for which `is_over` is true, and returns their answers.
  LeaseAnswers AnswerIf(const std::function<bool(const LeaseWaiter&)>& is_over,
                        Assignments& assignments);
  // Removes all requests. They are answered with `status`.
  LeaseAnswers RefuseAll(const absl::Status& status);

  // Returns the answer to a request that no longer waits: the splits that it still holds. NOT_FOUND
  // when the worker is lost.
  absl::StatusOr<v1::LeaseSplitsResponse> Respond(const LeaseWaiter& waiter,
                                                  Assignments& assignments) const;

 private:
  // In the order of arrival.
  Waiters waiters_;
  DispatcherMetrics& metrics_;
};

}  // namespace tidemill::preprocess
