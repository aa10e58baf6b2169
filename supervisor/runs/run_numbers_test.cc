// Which numbers runs get, and by which names pipelines are asked for.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using testing::kTestdata;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

class RunNumbersTest : public testing::SupervisorFixture {
 protected:
  static v1::SubmitPipelineRequest Request(const std::string& request_id,
                                           const std::string& name_space = "") {
    std::ifstream stream(kTestdata / "sound.yaml");
    std::ostringstream text;
    text << stream.rdbuf();
    v1::SubmitPipelineRequest request;
    request.mutable_command()->set_request_id(request_id);
    request.set_namespace_(name_space);
    request.set_pipeline(text.str());
    request.set_file_name("sound.yaml");
    request.set_base_folder(kTestdata.string());
    return request;
  }

  // A run that is over.
  int64_t NextRun(const std::string& request_id) {
    const RunId run = Submit(Request(request_id));
    EXPECT_THAT(supervisor_->run_control().Stop(run), IsOk());
    return run.value;
  }
};

TEST_F(RunNumbersTest, FollowEachOtherThoughTheDatabaseWasKilled) {
  const int64_t first = NextRun("a");
  EXPECT_THAT(testing::DeletePipeline(*supervisor_), IsOkAndHolds(true));
  // What a killed PostgreSQL comes back with: it writes a sequence's numbers to the disk 32 ahead.
  ASSERT_THAT(database_->Transact([](pqxx::work& work) {
    work.exec("SELECT setval('supervisor.runs_run_id_seq', 33)");
    return absl::OkStatus();
  }),
              IsOk());
  const int64_t second = NextRun("b");
  EXPECT_EQ(second, first + 1);
  // The number of a deleted run is not reused.
  EXPECT_THAT(testing::DeletePipeline(*supervisor_), IsOkAndHolds(true));
  EXPECT_EQ(NextRun("c"), second + 1);
}

TEST_F(RunNumbersTest, NoNameReachesTheDatabaseThatIsNone) {
  EXPECT_EQ(NextRun("a"), 1);
  for (const std::string& bad :
       {std::string("weather\0x", 9), std::string("../../weather"), std::string("a\nb"),
        std::string("\x1b[2J"), std::string("\xE2\x80\xAE"), std::string(3'000, 'x')}) {
    const auto refused = [](const char* what) {
      return StatusIs(absl::StatusCode::kInvalidArgument,
                      HasSubstr(std::string("cannot name a ") + what));
    };
    EXPECT_THAT(supervisor_->pipelines().Get("", bad), refused("pipeline"));
    EXPECT_THAT(supervisor_->pipelines().Get(bad, "weather"), refused("namespace"));
    EXPECT_THAT(supervisor_->removals().DeletePipeline("", bad), refused("pipeline"));
    EXPECT_THAT(supervisor_->runs().List("", bad), refused("pipeline"));
    EXPECT_THAT(supervisor_->runs().List(bad, ""), refused("namespace"));
    EXPECT_THAT(supervisor_->pipelines().List(bad), refused("namespace"));
    EXPECT_THAT(supervisor_->submissions().Submit(Request("b", bad)), refused("namespace"));
  }
  EXPECT_THAT(supervisor_->pipelines().Get("", "weather"), IsOk());
}

}  // namespace
}  // namespace tidemill::supervisor
