#include "cli/results/set_values.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

supervisor::v1::GetRunResponse RunWithSetValues() {
  supervisor::v1::GetRunResponse run;
  supervisor::v1::SetValue* set = run.add_set_values();
  set->set_key("training.optimizer.lr");
  set->set_value("1e-3");
  set->set_was("0.01");
  set = run.add_set_values();
  set->set_key("training.epochs");
  set->set_value("3");
  set->set_was("1");
  set->set_was_default(true);
  set = run.add_set_values();
  set->set_key("description");
  set->set_value("a\n\x1b[31mb");
  return run;
}

TEST(SetValues, AreALineEach) {
  EXPECT_EQ(DescribeSetValues(RunWithSetValues()),
            "set: training.optimizer.lr = 1e-3 (was 0.01)\n"
            "set: training.epochs = 3 (was 1, the default)\n"
            "set: description = a\\n\\x1b[31mb (not set before)\n");
  EXPECT_EQ(DescribeSetValues({}), "");
}

TEST(SetValues, AreAListInJson) {
  EXPECT_EQ(SetValuesToJson(RunWithSetValues()).dump(),
            R"([{"key":"training.optimizer.lr","value":"1e-3","was":"0.01","was_default":false},)"
            R"({"key":"training.epochs","value":"3","was":"1","was_default":true},)"
            R"({"key":"description","value":"a\n\u001b[31mb","was":null,"was_default":false}])");
}

}  // namespace
}  // namespace tidemill::cli
