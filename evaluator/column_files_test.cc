// Jobs that compute columns, without their processes.
#include "evaluator/column_files.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"
#include "devices/pretended_devices.h"
#include "evaluator/evaluator.h"

namespace tidemill::evaluator {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

v1::ReadModelColumnsRequest Request(int64_t run, int64_t model_id) {
  v1::ReadModelColumnsRequest request;
  request.mutable_command()->set_run_id(run);
  request.mutable_command()->set_run_epoch(1);
  request.set_model_id(model_id);
  request.add_keys(7);
  request.add_columns(v1::MODEL_COLUMN_ERROR);
  return request;
}

// A file whose one row is the model's id.
absl::Status WriteFile(const v1::EvaluationJob& job) {
  batch::Batch rows(1);
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(
      batch::kKeyColumn, std::vector<int64_t>{job.columns().model_id()})));
  ASSIGN_OR_RETURN(auto writer, batch::SealedFileWriter::Create(job.file().path(), rows, 1));
  RETURN_IF_ERROR(writer->Append(rows));
  return writer->Seal().status();
}

class ColumnFilesTest : public ::testing::Test {
 protected:
  ColumnFilesTest() {
    std::string pattern = ::testing::TempDir() + "columns_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    EXPECT_THAT(
        Evaluator::Open(*connection_, {*devices_}, [](const auto&...) { return absl::OkStatus(); }),
        IsOk());
  }
  ~ColumnFilesTest() override {
    failpoints::DisarmAll();
    std::filesystem::remove_all(folder_);
  }

  // One life of the files; ends the one before.
  ColumnFiles& NewLife(ColumnsRunner run_job, int num_jobs = 1) {
    columns_.reset();
    columns_ = *ColumnFiles::Open(*connection_, {.folder = folder_, .num_jobs = num_jobs},
                                  std::move(run_job));
    return *columns_;
  }

  absl::StatusOr<int64_t> Read(const v1::ReadModelColumnsRequest& request,
                               const std::stop_token& stop = {}) {
    ASSIGN_OR_RETURN(const batch::Batch rows, columns_->Read(request, stop));
    return rows.keys()[0];
  }

  // A job that continues until it is stopped.
  ColumnsRunner Endless() {
    return [this](const v1::EvaluationJob&, const std::stop_token& stop) {
      ++num_begun_;
      num_begun_.notify_all();
      std::atomic<bool> stopped = false;
      const std::stop_callback end(stop, [&] {
        stopped = true;
        stopped.notify_all();
      });
      stopped.wait(false);
      ++num_stopped_;
      num_stopped_.notify_all();
      return absl::Status(Cancelled("the job was stopped"));
    };
  }

  db::testing::TestDatabase database_;
  const std::unique_ptr<devices::Devices> devices_ = *devices::PretendDevices("0x1GiB");
  std::unique_ptr<db::Database> connection_ = *db::Database::Connect(database_.connection_string());
  std::string folder_;
  std::atomic<int> num_begun_ = 0;
  std::atomic<int> num_stopped_ = 0;
  std::unique_ptr<ColumnFiles> columns_;
};

TEST_F(ColumnFilesTest, EqualRequestsWaitForOneJob) {
  std::atomic<int> num_jobs = 0;
  std::atomic<bool> go = false;
  NewLife(
      [&](const v1::EvaluationJob& job, const std::stop_token&) {
        ++num_jobs;
        go.wait(false);
        return WriteFile(job);
      },
      2);
  std::vector<std::jthread> readers;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([&, i] {
      const auto said = Read(Request(1, i % 2 + 5));
      ASSERT_THAT(said, IsOk());
      EXPECT_EQ(*said, i % 2 + 5);
    });
  }
  go = true;
  go.notify_all();
  readers.clear();
  EXPECT_EQ(num_jobs, 2);
}

TEST_F(ColumnFilesTest, AFileThatIsPublishedWhileAnotherLooksForItIsNotForgotten) {
  int num_jobs = 0;
  NewLife([&](const v1::EvaluationJob& job, const std::stop_token&) {
    ++num_jobs;
    return WriteFile(job);
  });
  // The outer reader has found no file. Before it acts on that, the inner one publishes it.
  failpoints::ArmCall("evaluator.before_forgetting_columns",
                      [&] { EXPECT_THAT(Read(Request(1, 5)), IsOk()); });
  EXPECT_THAT(Read(Request(1, 5)), IsOk());
  EXPECT_EQ(num_jobs, 1);
  EXPECT_THAT(Read(Request(1, 5)), IsOk());
  EXPECT_EQ(num_jobs, 1);
}

TEST_F(ColumnFilesTest, ASoundFileThatReplacesADamagedOneMeanwhileIsKept) {
  int num_jobs = 0;
  NewLife([&](const v1::EvaluationJob& job, const std::stop_token&) {
    ++num_jobs;
    return WriteFile(job);
  });
  ASSERT_THAT(Read(Request(1, 5)), IsOk());
  const int64_t num_bytes = columns_->num_bytes();
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/1")) {
    std::filesystem::resize_file(entry.path(), 20);
  }
  failpoints::ArmCall("evaluator.before_forgetting_columns",
                      [&] { EXPECT_THAT(Read(Request(1, 5)), IsOk()); });
  EXPECT_THAT(Read(Request(1, 5)), IsOk());
  EXPECT_EQ(num_jobs, 2);
  EXPECT_EQ(columns_->num_bytes(), num_bytes);
}

TEST_F(ColumnFilesTest, AJobEndsWhenNobodyWaitsForItAnyMore) {
  NewLife(Endless());
  std::stop_source first_goes;
  std::stop_source second_goes;
  std::jthread first([&] {
    EXPECT_THAT(Read(Request(1, 5), first_goes.get_token()),
                StatusIs(absl::StatusCode::kCancelled, _));
  });
  std::jthread second([&] {
    EXPECT_THAT(Read(Request(1, 5), second_goes.get_token()),
                StatusIs(absl::StatusCode::kCancelled, _));
  });
  num_begun_.wait(0);
  first_goes.request_stop();
  first.join();
  second_goes.request_stop();
  second.join();
  // Two jobs, if the second reader came late.
  for (int n = num_stopped_; n != num_begun_; n = num_stopped_) num_stopped_.wait(n);
}

TEST_F(ColumnFilesTest, WithTheirRunItsJobsEnd) {
  NewLife(Endless());
  std::jthread reader(
      [&] { EXPECT_THAT(Read(Request(1, 5)), StatusIs(absl::StatusCode::kCancelled, _)); });
  num_begun_.wait(0);
  EXPECT_THAT(columns_->DeleteRun(RunId{2}), IsOk());
  EXPECT_EQ(num_stopped_, 0);
  EXPECT_THAT(columns_->DeleteRun(RunId{1}), IsOk());
  num_stopped_.wait(0);
}

TEST_F(ColumnFilesTest, AServiceThatStopsLetsThoseWhoWaitGo) {
  NewLife(Endless());
  std::jthread reader([&] {
    EXPECT_THAT(Read(Request(1, 5)), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stop")));
  });
  num_begun_.wait(0);
  columns_->Stop();
  reader.join();
  EXPECT_THAT(Read(Request(1, 6)), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stop")));
}

TEST_F(ColumnFilesTest, AJobThatLeavesNoFileIsTriedAgain) {
  int num_jobs = 0;
  NewLife([&](const v1::EvaluationJob& job, const std::stop_token&) {
    if (++num_jobs == 3) return WriteFile(job);
    if (num_jobs == 1) return absl::OkStatus();
    std::ofstream(job.file().path()) << "half a file";
    return absl::OkStatus();
  });
  const auto said = Read(Request(1, 5));
  ASSERT_THAT(said, IsOk());
  EXPECT_EQ(*said, 5);
  EXPECT_EQ(num_jobs, 3);
}

TEST_F(ColumnFilesTest, OnlyDyingIsTriedAgain) {
  int num_jobs = 0;
  absl::Status end = absl::AbortedError("the process of the job was killed");
  NewLife([&](const v1::EvaluationJob&, const std::stop_token&) {
    ++num_jobs;
    return end;
  });
  EXPECT_THAT(Read(Request(1, 5)), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("killed")));
  EXPECT_EQ(num_jobs, ColumnFiles::kMaxAttempts);
  end = NotFound("there is no model 5");
  EXPECT_THAT(Read(Request(1, 5)), StatusIs(absl::StatusCode::kNotFound, HasSubstr("model 5")));
  EXPECT_EQ(num_jobs, ColumnFiles::kMaxAttempts + 1);
}

TEST_F(ColumnFilesTest, ANewLifeKeepsFilesAndRemovesWhatWasNotSealed) {
  const auto write = [](const v1::EvaluationJob& job, const std::stop_token&) {
    return WriteFile(job);
  };
  NewLife(write);
  ASSERT_THAT(Read(Request(1, 5)), IsOk());
  ASSERT_THAT(Read(Request(2, 5)), IsOk());
  const int64_t num_bytes = columns_->num_bytes();
  EXPECT_GT(num_bytes, 0);
  std::ofstream(folder_ + "/unsealed/17") << "half a file";
  NewLife([](const auto&...) { return absl::Status(Internal("no job is needed")); });
  EXPECT_FALSE(files::Exists(folder_ + "/unsealed/17"));
  EXPECT_EQ(columns_->num_bytes(), num_bytes);
  EXPECT_THAT(Read(Request(1, 5)), IsOk());
  EXPECT_THAT(Read(Request(2, 5)), IsOk());
  EXPECT_THAT(Read(Request(3, 5)), StatusIs(absl::StatusCode::kInternal, _));
}

}  // namespace
}  // namespace tidemill::evaluator
