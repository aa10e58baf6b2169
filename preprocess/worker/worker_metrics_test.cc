#include "preprocess/worker/worker_metrics.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::preprocess {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

loader::PathWork Work(int64_t rows, int64_t cpu_ns) {
  return {.rows = rows,
          .cpu_ns = cpu_ns,
          .ops = {{"resize", {.rows = rows, .cpu_ns = cpu_ns}},
                  {"resize", {.rows = rows}},
                  {"label", {.rows = rows, .rejected = 1}}}};
}

TEST(WorkerMetrics, CountWhatIsNewOfEachJobAndAddOpsOfOneTypeUp) {
  metrics::Registry registry;
  WorkerMetrics metrics(registry);
  metrics.Note(1, Work(10, 500'000'000));
  metrics.Note(2, Work(5, 0));
  metrics.Note(1, Work(30, 1'500'000'000));
  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("tidemill_preprocess_made_rows_total 35\n"));
  EXPECT_THAT(text, HasSubstr("tidemill_preprocess_making_cpu_seconds_total 1.5\n"));
  EXPECT_THAT(text, HasSubstr("tidemill_preprocess_op_rows_total{op=\"resize\"} 70\n"));
  EXPECT_THAT(text, HasSubstr("tidemill_preprocess_op_rejected_rows_total{op=\"label\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("rejected_rows_total{op=\"resize\"}")));
}

TEST(WorkerMetrics, AJobThatBeginsAnewCountsFromZero) {
  metrics::Registry registry;
  WorkerMetrics metrics(registry);
  metrics.Note(1, Work(10, 0));
  metrics.Forget(1);
  metrics.Note(1, Work(40, 0));
  EXPECT_THAT(registry.Text(), HasSubstr("tidemill_preprocess_made_rows_total 50\n"));
}

}  // namespace
}  // namespace tidemill::preprocess
