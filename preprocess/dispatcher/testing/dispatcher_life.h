// A dispatcher with a PostgreSQL of its own and a clock that tests move.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "db/testing/postgres.h"
#include "preprocess/dispatcher/dispatcher.h"

namespace tidemill::preprocess::testing {

struct JobShape {
  std::string name = "a job";
  // The batches of each lane, and its shard.
  struct LaneShape {
    int64_t end_batch = 0;
    int32_t shard = 0;
  };
  std::vector<LaneShape> lanes = {{.end_batch = 100}};
  int64_t split_batches = 4;
};

inline v1::CreateJobRequest RequestOf(const JobShape& shape) {
  v1::CreateJobRequest request;
  request.set_name(shape.name);
  request.set_spec("spec of " + shape.name);
  request.set_fitted(std::string("\0\xff fitted", 9));
  for (const JobShape::LaneShape& lane : shape.lanes) {
    request.add_lanes()->set_end_batch(lane.end_batch);
    request.mutable_lanes(request.lanes_size() - 1)->set_shard(lane.shard);
  }
  request.set_split_batches(shape.split_batches);
  return request;
}

// What a consumer reports about one lane.
struct LaneReport {
  int32_t lane = 0;
  int64_t done_before = 0;
  int64_t window = 16;
  std::vector<int64_t> own = {};
  std::vector<int64_t> missed = {};
};

struct Report {
  int64_t job_id = 0;
  std::string consumer = "a consumer";
  std::vector<LaneReport> lanes = {{}};
  std::vector<Incarnation> connected = {};
  std::vector<Incarnation> broken = {};
  // Sent what was not asked for.
  std::vector<Incarnation> distrusted = {};
};

inline v1::ReportProgressRequest RequestOf(const Report& report) {
  v1::ReportProgressRequest request;
  request.set_job_id(report.job_id);
  request.set_consumer(report.consumer);
  for (const LaneReport& lane : report.lanes) {
    v1::LaneProgress& progress = *request.add_lanes();
    progress.set_lane(lane.lane);
    progress.set_done_before(lane.done_before);
    progress.set_window(lane.window);
    progress.mutable_own()->Assign(lane.own.begin(), lane.own.end());
    progress.mutable_missed()->Assign(lane.missed.begin(), lane.missed.end());
  }
  const auto add = [](const Incarnation& from, v1::WorkerIncarnation& to) {
    to.set_worker_id(from.member_id);
    to.set_incarnation(from.number);
  };
  for (const Incarnation& worker : report.connected) add(worker, *request.add_connected());
  for (const Incarnation& worker : report.broken) add(worker, *request.add_broken());
  for (const Incarnation& worker : report.distrusted) {
    v1::DistrustedWorker& distrusted = *request.add_distrusted();
    add(worker, *distrusted.mutable_incarnation());
    distrusted.set_reason("sent batch -1 of lane 0");
  }
  return request;
}

inline v1::LeaseSplitsRequest LeaseRequest(const Incarnation& worker, int32_t max_splits,
                                           const std::string& request_id) {
  v1::LeaseSplitsRequest request;
  request.mutable_worker()->set_worker_id(worker.member_id);
  request.mutable_worker()->set_incarnation(worker.number);
  request.set_max_splits(max_splits);
  request.mutable_command()->set_request_id(request_id);
  return request;
}

inline v1::RegisterWorkerRequest RegistrationOf(const std::string& name) {
  v1::RegisterWorkerRequest request;
  request.set_name(name);
  request.set_endpoint("unix:/run/" + name);
  request.set_boot_id("boot");
  request.set_num_threads(2);
  return request;
}

// A failed call ends the test program, unless the method returns a status.
class DispatcherLife {
 public:
  DispatcherLife() : database_(*db::Database::Connect(postgres_.connection_string())) { Restart(); }

  // Acts as if the process had been killed and started again.
  void Restart() {
    dispatcher_.reset();
    dispatcher_ = NotRecovered();
    const absl::Status recovered = dispatcher_->Recover();
    EXPECT_TRUE(recovered.ok()) << recovered;
  }

  // Returns another dispatcher on the same database.
  std::unique_ptr<Dispatcher> NotRecovered() {
    return *Dispatcher::Open(*database_, config_, [this] { return now_.load(); });
  }

  Dispatcher& operator*() { return *dispatcher_; }
  Dispatcher* operator->() { return dispatcher_.get(); }
  db::testing::TestDatabase& postgres() { return postgres_; }
  db::Database& database() { return *database_; }

  // Lets time pass, and lets the dispatcher notice.
  void Pass(std::chrono::milliseconds time) {
    now_ = now_.load() + time;
    dispatcher_->Tick();
    Settle();
  }

  // Waits until every decision is written.
  void Settle() { (void)dispatcher_->FinishJob({}, -1); }

  int64_t CreateJob(const JobShape& shape) { return *dispatcher_->CreateJob(RequestOf(shape)); }

  Incarnation Register(const std::string& name) {
    return *dispatcher_->RegisterWorker(RegistrationOf(name));
  }

  absl::StatusOr<v1::ReportProgressResponse> Report(const testing::Report& report) {
    return dispatcher_->ReportProgress(RequestOf(report));
  }

  // Uses a new request id unless one is given.
  absl::StatusOr<v1::LeaseSplitsResponse> Lease(const Incarnation& worker, int32_t max_splits,
                                                std::string request_id = "") {
    if (request_id.empty()) request_id = "request " + std::to_string(++num_requests_);
    std::promise<absl::StatusOr<v1::LeaseSplitsResponse>> answer;
    dispatcher_->Lease(LeaseRequest(worker, max_splits, request_id),
                       [&](auto response) { answer.set_value(std::move(response)); });
    return answer.get_future().get();
  }

  // Returns the splits of a lease as "lane:[from,to)x<attempt>", or the failure.
  std::vector<std::string> Splits(const absl::StatusOr<v1::LeaseSplitsResponse>& response) const {
    if (!response.ok()) return {response.status().ToString()};
    std::vector<std::string> splits;
    for (const v1::Split& split : response->splits()) {
      splits.push_back(fmt::format("{}:[{},{})x{}", split.lane(), split.from_batch(),
                                   split.to_batch(), split.attempt()));
    }
    return splits;
  }

 private:
  db::testing::TestDatabase postgres_;
  const std::unique_ptr<db::Database> database_;
  const DispatcherConfig config_;
  std::atomic<Clock::time_point> now_{Clock::time_point(std::chrono::hours{1})};
  int num_requests_ = 0;
  std::unique_ptr<Dispatcher> dispatcher_;
};

}  // namespace tidemill::preprocess::testing
