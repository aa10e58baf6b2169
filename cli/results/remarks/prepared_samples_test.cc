#include "cli/results/remarks/prepared_samples.h"

#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

void AddEvaluation(int32_t evaluation, int64_t at_workers, int64_t here,
                   supervisor::v1::GetRunResponse& run) {
  auto& finished = *run.add_events()->mutable_event()->mutable_evaluation_finished();
  finished.set_evaluation(evaluation);
  if (at_workers < 0) return;
  finished.set_num_prepared_at_workers(at_workers);
  finished.set_num_prepared_here(here);
}

void AddFound(int32_t evaluation, int64_t found, int64_t all, supervisor::v1::GetRunResponse& run) {
  auto& finished = *run.add_events()->mutable_event()->mutable_evaluation_finished();
  finished.set_evaluation(evaluation);
  finished.set_num_prepared_here(all);
  finished.set_num_found(found);
}

TEST(PreparedSamples, AreThoseOfTheLastRoundOfEachEvaluationWithWorkers) {
  supervisor::v1::GetRunResponse run;
  EXPECT_EQ(DescribePreparedSamples(run), "");
  AddEvaluation(0, 100, 2000, run);
  AddEvaluation(1, -1, 0, run);
  AddEvaluation(2, 0, 12, run);
  AddEvaluation(0, 262'144, 1000, run);
  EXPECT_EQ(
      DescribePreparedSamples(run),
      "  evaluation 1: workers prepared 262,144 of 263,144 samples, the evaluator the others\n"
      "  evaluation 3: workers prepared 0 of 12 samples, the evaluator the others\n");
  EXPECT_EQ(PreparedSamplesToJson(run).dump(),
            R"([{"evaluation":1,"at_workers":262144,"at_evaluator":1000,"found":0},)"
            R"({"evaluation":3,"at_workers":0,"at_evaluator":12,"found":0}])");
}

TEST(PreparedSamples, SayHowManyWereFound) {
  supervisor::v1::GetRunResponse run;
  AddFound(0, 0, 100, run);
  AddFound(1, 1500, 2000, run);
  EXPECT_EQ(DescribePreparedSamples(run),
            "  evaluation 2: 1,500 of 2,000 samples were found prepared\n");
  EXPECT_EQ(PreparedSamplesToJson(run).dump(),
            R"([{"evaluation":1,"at_workers":0,"at_evaluator":100,"found":0},)"
            R"({"evaluation":2,"at_workers":0,"at_evaluator":2000,"found":1500}])");
  run.mutable_events(1)
      ->mutable_event()
      ->mutable_evaluation_finished()
      ->set_num_prepared_at_workers(1000);
  EXPECT_EQ(DescribePreparedSamples(run),
            "  evaluation 2: workers prepared 1,000 of 3,000 samples, the evaluator the others; "
            "1,500 of 3,000 samples were found prepared\n");
}

}  // namespace
}  // namespace tidemill::cli
