// The initial state of the dispatcher's tests.
#pragma once

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "preprocess/dispatcher/testing/dispatcher_life.h"

namespace tidemill::preprocess::testing {

class DispatcherTest : public ::testing::Test {
 protected:
  ~DispatcherTest() override { failpoints::DisarmAll(); }

  std::vector<std::string> Lease(const Incarnation& worker, int32_t max_splits,
                                 const std::string& request_id = "") {
    return life_.Splits(life_.Lease(worker, max_splits, request_id));
  }

  // Returns the names of the workers that a consumer is told to connect to.
  std::vector<std::string> WorkersFor(const Report& report) {
    std::vector<std::string> names;
    const auto response = life_.Report(report);
    for (const v1::Worker& worker : response->workers()) names.push_back(worker.name());
    return names;
  }

  v1::Worker WorkerOf(const Incarnation& incarnation) {
    const v1::ListWorkersResponse workers = life_->ListWorkers();
    for (const v1::Worker& worker : workers.workers()) {
      if (worker.incarnation().worker_id() == incarnation.member_id) return worker;
    }
    return {};
  }

  int64_t NumRows(const std::string& table) {
    int64_t count = -1;
    EXPECT_THAT(life_.database().Transact([&](pqxx::work& work) {
      count = work.exec("SELECT count(*) FROM preprocess." + table)[0][0].as<int64_t>();
      return absl::OkStatus();
    }),
                ::tidemill::testing::IsOk());
    return count;
  }

  DispatcherLife life_;
};

}  // namespace tidemill::preprocess::testing
