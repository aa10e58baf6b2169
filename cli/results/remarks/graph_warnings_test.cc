#include "cli/results/remarks/graph_warnings.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;

TEST(GraphWarnings, AreThoseOfAllTriggersEachOnce) {
  supervisor::v1::GetRunResponse run;
  for (const int64_t number : {1, 2}) {
    supervisor::v1::Trigger& trigger = *run.add_triggers();
    trigger.set_number(number);
    rpc::v1::TrainingResult& result = *trigger.mutable_result();
    result.add_fit_warnings("1 of 1 numbers of column h never vary");
    rpc::v1::UnknownValues& unknown = *result.add_unknown();
    unknown.set_op("op 2 (lookup)");
    unknown.set_num_samples(number * 1'000);
    unknown.set_num_unknown(number * 10);
  }
  EXPECT_THAT(GraphWarningsOf(run),
              ElementsAre("op 2 (lookup) did not know 30 of 3,000 values (triggers 1, 2)",
                          "1 of 1 numbers of column h never vary (triggers 1, 2)"));
  nlohmann::ordered_json json;
  AddGraphWarnings(run.triggers(0).result(), json);
  EXPECT_EQ(json.dump(),
            R"json({"fit_warnings":["1 of 1 numbers of column h never vary"],)json"
            R"json("unknown":[{"op":"op 2 (lookup)","samples":1000,"unknown":10}]})json");
  EXPECT_THAT(GraphWarningsOf({}), ElementsAre());
}

}  // namespace
}  // namespace tidemill::cli
