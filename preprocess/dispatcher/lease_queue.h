// The lease requests that wait: who is given what, and what each is answered.
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

// A lease request that is not answered.
struct LeaseWaiter {
  Incarnation worker;
  std::string request_id;
  int32_t max_splits = 0;
  Clock::time_point deadline;
  std::vector<int64_t> job_ids;
  LeaseDone done;
  std::vector<Gift> gifts = {};
  // A round has looked for something to give.
  bool considered = false;
};

// An answer that is to be sent once nothing is locked.
struct LeaseAnswer {
  LeaseDone done;
  absl::StatusOr<v1::LeaseSplitsResponse> response;
};
using LeaseAnswers = std::vector<LeaseAnswer>;

void Send(LeaseAnswers answers);

// Works on assignments that it is handed, which are the same in all calls. Thread-compatible.
class LeaseQueue {
 public:
  using Waiters = std::list<LeaseWaiter>;

  // `metrics` must outlive it.
  explicit LeaseQueue(DispatcherMetrics& metrics) : metrics_(metrics) {}

  bool empty() const { return waiters_.empty(); }
  void Add(LeaseWaiter waiter) { waiters_.push_back(std::move(waiter)); }

  // Gives splits to those who wait, and moves those out who were given some, or want no more. They
  // are answered by Conclude(), once what they were given is written.
  Waiters Decide(Assignments& assignments, Clock::time_point now);
  // `written` says whether that went well. Otherwise the gifts are taken back: whoever asks next
  // gets them, with the same attempt.
  LeaseAnswer Conclude(LeaseWaiter& waiter, const absl::Status& written,
                       Assignments& assignments) const;

  // Moves those out for whom `is_over` holds, and says what they are answered.
  LeaseAnswers AnswerThose(const std::function<bool(const LeaseWaiter&)>& is_over,
                           Assignments& assignments);
  // Moves all out, who are answered with `status`.
  LeaseAnswers RefuseAll(const absl::Status& status);

  // What a request is answered that waits no longer: the gifts that it still holds. NOT_FOUND for a
  // worker that is lost.
  absl::StatusOr<v1::LeaseSplitsResponse> Respond(const LeaseWaiter& waiter,
                                                  Assignments& assignments) const;

 private:
  // In the order of arrival.
  Waiters waiters_;
  DispatcherMetrics& metrics_;
};

}  // namespace tidemill::preprocess
