#include "cli/terminal/error_json.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/status.h"

namespace tidemill::cli {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

TEST(ErrorJson, HasOnlyWhatIsKnown) {
  EXPECT_EQ(ErrorToJson({.code = kNotFound, .message = "there is no run 9"}).dump(),
            R"({"code":"not_found","exit_code":4,"message":"there is no run 9"})");
  EXPECT_EQ(ErrorToJson({.code = kUsage, .message = "m", .advice = "see --help"}).dump(),
            R"({"code":"usage","exit_code":2,"message":"m","advice":"see --help"})");
}

TEST(ErrorJson, HasThePlaceOfItsFinding) {
  EXPECT_EQ(ErrorToJson({.code = kInvalid,
                         .findings = {{.file = "p.yaml",
                                       .position = {14, 5},
                                       .path = "trigger.sample",
                                       .message = "unknown key 'sample'",
                                       .hint = "did you mean 'samples'?",
                                       .note = "keys allowed here: samples"}}})
                .dump(),
            R"({"code":"invalid","exit_code":3,"message":"unknown key 'sample'","file":"p.yaml",)"
            R"("line":14,"column":5,"path":"trigger.sample",)"
            R"("advice":"did you mean 'samples'?; keys allowed here: samples"})");
}

TEST(ErrorJson, ListsSeveralFindings) {
  const auto json =
      ErrorToJson({.code = kInvalid,
                   .findings = {{.file = "p.yaml", .position = {1, 2}, .message = "first"},
                                {.file = "--set a", .message = "second"}}});
  EXPECT_EQ(json["message"], "first");
  EXPECT_EQ(json["findings"].dump(), R"([{"message":"first","file":"p.yaml","line":1,"column":2},)"
                                     R"({"message":"second","file":"--set a"}])");
}

TEST(Report, SaysTheSameToPeopleAndInJsonOnceJsonIsAskedFor) {
  CaptureStdout();
  CaptureStderr();
  EXPECT_EQ(Report(Unavailable("no stack runs")), kUnreachable);
  EXPECT_EQ(GetCapturedStdout(), "");
  EXPECT_EQ(GetCapturedStderr(), "tidemill: no stack runs\n  start a stack with `tidemill up`\n");

  SetErrorsAsJson(true);
  CaptureStdout();
  CaptureStderr();
  EXPECT_EQ(Report(absl::OkStatus()), kDone);
  ReportNonFatal(NotFound("no report"));
  EXPECT_EQ(GetCapturedStdout(), "");
  EXPECT_EQ(GetCapturedStderr(), "tidemill: no report\n");

  CaptureStdout();
  CaptureStderr();
  EXPECT_EQ(Report(config::InFile(NotFound("p.yaml does not exist"), "p.yaml")), kNotFound);
  EXPECT_EQ(ReportUsage("an odd \xff word", "see --help"), kUsage);
  EXPECT_EQ(
      GetCapturedStdout(),
      "{\"error\":{\"code\":\"not_found\",\"exit_code\":4,"
      "\"message\":\"p.yaml does not exist\",\"file\":\"p.yaml\"}}\n"
      "{\"error\":{\"code\":\"usage\",\"exit_code\":2,\"message\":\"an odd \xef\xbf\xbd word\","
      "\"advice\":\"see --help\"}}\n");
  EXPECT_EQ(GetCapturedStderr(),
            "tidemill: p.yaml does not exist\ntidemill: an odd \\xff word\n  see --help\n");
  SetErrorsAsJson(false);
}

}  // namespace
}  // namespace tidemill::cli
