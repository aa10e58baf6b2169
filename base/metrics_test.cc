#include "base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemill::metrics {
namespace {

using ::testing::HasSubstr;

constexpr Declaration kRead = {"storage_read", "samples", "Samples read."};

TEST(Metrics, ShowsEachKindInPrometheusText) {
  Registry registry;
  registry.AddCounter(kRead).Add(3);
  registry.AddGauge({"trainer_server_queue", "", "Trainings that wait."}).Set(2);
  registry.AddHistogram({"storage_read", "seconds", "Time of a read."}, kSeconds).Observe(0.002);
  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("# HELP tidemill_storage_read_samples_total Samples read.\n"));
  EXPECT_THAT(text, HasSubstr("\ntidemill_storage_read_samples_total 3\n"));
  EXPECT_THAT(text, HasSubstr("\ntidemill_trainer_server_queue 2\n"));
  EXPECT_THAT(text, HasSubstr("tidemill_storage_read_seconds_bucket{le=\"0.001\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("tidemill_storage_read_seconds_bucket{le=\"0.003\"} 1\n"));
}

TEST(Metrics, KeepsTheSeriesOfALabelApart) {
  Registry registry;
  Counter& failed = registry.AddCounter({"rpc_failed", "calls", "Calls that failed.", "method"});
  failed.Add(1, "Get");
  failed.Add(1, "Get");
  failed.Add(1, "List");
  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("tidemill_rpc_failed_calls_total{method=\"Get\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("tidemill_rpc_failed_calls_total{method=\"List\"} 1\n"));
}

TEST(Metrics, GivesTheSameMetricToTheSameDeclaration) {
  Registry registry;
  registry.AddCounter(kRead).Add(1);
  registry.AddCounter(kRead).Add(1);
  EXPECT_THAT(registry.Text(), HasSubstr("tidemill_storage_read_samples_total 2\n"));
}

TEST(MetricsDeathTest, EndsWhenANameIsDeclaredAsSomethingElse) {
  Registry registry;
  registry.AddCounter(kRead);
  EXPECT_DEATH(registry.AddCounter({"storage_read", "samples", "Samples read.", "dataset"}),
               "declared twice");
}

}  // namespace
}  // namespace tidemill::metrics
