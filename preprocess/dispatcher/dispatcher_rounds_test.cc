// What is written when, and for whom.
#include <future>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/metrics.h"
#include "base/testing/status_matchers.h"
#include "preprocess/dispatcher/testing/dispatcher_fixture.h"

namespace tidemill::preprocess {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::_;
using testing::DispatcherTest;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

class DispatcherRoundsTest : public DispatcherTest {
 protected:
  using Answer = std::promise<absl::StatusOr<v1::LeaseSplitsResponse>>;

  // A request that waits, as long as the clock stands still.
  void LeaseLater(const Incarnation& worker, const std::string& request_id, Answer& answer) {
    v1::LeaseSplitsRequest request = testing::LeaseRequest(worker, 1, request_id);
    request.set_wait_millis(1000);
    life_->Lease(request, [&answer](auto response) { answer.set_value(std::move(response)); });
    life_.Settle();
  }

  // Transactions of rounds so far.
  static int64_t NumWrites() {
    const std::string text = metrics::Process().Text();
    const std::string name = "tidemill_preprocess_write_seconds_count ";
    return std::stoll(text.substr(text.find(name) + name.size()));
  }
};

TEST_F(DispatcherRoundsTest, RequestsThatWaitTogetherAreWrittenTogether) {
  const Incarnation workers[] = {life_.Register("a"), life_.Register("b"), life_.Register("c")};
  Answer answers[3];
  for (size_t i = 0; i < 3; ++i) LeaseLater(workers[i], std::to_string(i), answers[i]);
  const int64_t job = life_.CreateJob({});
  const int64_t num_writes = NumWrites();
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {workers[0], workers[1], workers[2]}}),
              IsOk());
  for (Answer& answer : answers) EXPECT_THAT(answer.get_future().get()->splits(), SizeIs(1));
  EXPECT_EQ(NumWrites(), num_writes + 1);
}

TEST_F(DispatcherRoundsTest, ProgressIsWrittenWithTheNextLeaseOrTick) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  life_.Settle();
  const int64_t num_writes = NumWrites();
  for (int64_t done = 0; done < 10; ++done) {
    ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{.done_before = done}}}), IsOk());
    EXPECT_THAT(life_.Lease(worker, 1), IsOk());
  }
  EXPECT_EQ(NumWrites(), num_writes) << "nothing was leased";
  life_.Pass(milliseconds{50});
  EXPECT_EQ(NumWrites(), num_writes + 1);
  life_.Pass(milliseconds{50});
  EXPECT_EQ(NumWrites(), num_writes + 1);
}

TEST_F(DispatcherRoundsTest, ARepeatedRequestTakesThePlaceOfTheOneThatWaits) {
  const Incarnation worker = life_.Register("a");
  Answer first, second;
  LeaseLater(worker, "the request", first);
  LeaseLater(worker, "the request", second);
  EXPECT_THAT(first.get_future().get()->splits(), SizeIs(0));
  const int64_t job = life_.CreateJob({});
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_THAT(second.get_future().get()->splits(), SizeIs(1));
}

TEST_F(DispatcherRoundsTest, AWaitingRequestHearsThatItsWorkerIsOver) {
  const Incarnation worker = life_.Register("a");
  Answer answer;
  LeaseLater(worker, "the request", answer);
  life_.Register("a");
  EXPECT_THAT(answer.get_future().get(), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(DispatcherRoundsTest, AWorkerThatPollsIsAliveAndSaysWhatItHasDone) {
  const Incarnation worker = life_.Register("a");
  for (int64_t i = 1; i <= 5; ++i) {
    life_.Pass(seconds{2});
    v1::LeaseSplitsRequest heartbeat = testing::LeaseRequest(worker, 0, "");
    heartbeat.set_num_batches(i);
    heartbeat.set_num_bytes(100 * i);
    life_->Lease(heartbeat, [](const auto& response) { EXPECT_THAT(response, IsOk()); });
  }
  EXPECT_EQ(WorkerOf(worker).state(), v1::WORKER_STATE_ALIVE);
  EXPECT_EQ(WorkerOf(worker).num_batches(), 5);
  EXPECT_EQ(WorkerOf(worker).num_bytes(), 500);
}

}  // namespace
}  // namespace tidemill::preprocess
