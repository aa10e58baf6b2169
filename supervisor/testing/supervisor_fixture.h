// A supervisor on its own database, over services that answer at once.
#pragma once

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "db/migrations.h"
#include "db/testing/postgres.h"
#include "supervisor/migrations.h"
#include "supervisor/requests/supervisor.h"
#include "supervisor/testing/fake_downstream.h"
#include "supervisor/testing/open_pool.h"

namespace tidemill::supervisor::testing {

// Deletes the pipeline, although it may have a model in use.
inline absl::StatusOr<bool> DeletePipeline(Supervisor& supervisor,
                                           const std::string& name = "weather") {
  static int num_calls = 0;
  v1::ReleaseModelRequest request;
  request.mutable_command()->set_request_id("delete-" + std::to_string(++num_calls));
  request.set_pipeline_name(name);
  request.set_release(v1::MODEL_RELEASE_MODEL);
  supervisor.model_uses().Release(request).IgnoreError();
  return supervisor.removals().DeletePipeline("", name);
}

class SupervisorFixture : public ::testing::Test {
 protected:
  SupervisorFixture() {
    auto database = db::Database::Connect(test_database_.connection_string());
    EXPECT_THAT(database, ::tidemill::testing::IsOk());
    database_ = *std::move(database);
    EXPECT_THAT(db::Migrate(*database_, "supervisor", Migrations()), ::tidemill::testing::IsOk());
    Restart();
  }

  // Acts as a new process, as far as the database can tell.
  void Restart() {
    supervisor_.reset();
    pool_.reset();
    pool_ = OpenPool(*database_);
    supervisor_ =
        std::make_unique<Supervisor>(*database_, services_.Connect(), services_.Connect(), *pool_);
  }

  RunId Submit(const v1::SubmitPipelineRequest& request) {
    const auto response = supervisor_->submissions().Submit(request);
    EXPECT_THAT(response, ::tidemill::testing::IsOk());
    return {response.ok() ? response->run_id() : 0};
  }

  // Returns the run with its events.
  v1::GetRunResponse Get(RunId run) {
    v1::GetRunRequest request;
    request.set_run_id(run.value);
    request.set_with_events(true);
    const auto response = supervisor_->run_answers().Get(request);
    EXPECT_THAT(response, ::tidemill::testing::IsOk());
    return response.ok() ? *response : v1::GetRunResponse();
  }

  db::testing::TestDatabase test_database_;
  std::unique_ptr<db::Database> database_;
  FakeServices services_;
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<Supervisor> supervisor_;
};

}  // namespace tidemill::supervisor::testing
