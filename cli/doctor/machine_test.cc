// What the doctor makes of a machine; a broken stack is examined in tests/e2e/doctor_test.cc.
#include "cli/doctor/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "cli/doctor/plugins.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kGiB = int64_t{1} << 30;

TEST(Doctor, JudgesRoomByWhatIsLeftAndByTheDisksSize) {
  EXPECT_EQ(JudgeSpace("/s", 100 * kGiB, 1000 * kGiB).health, Health::kOk);
  EXPECT_EQ(JudgeSpace("/s", 4 * kGiB, 1000 * kGiB).health, Health::kWarn);
  const Finding full = JudgeSpace("/s", kGiB / 2, 1000 * kGiB);
  EXPECT_EQ(full.health, Health::kFail);
  EXPECT_THAT(full.fix, HasSubstr("du -xh /s"));
  // A small disk that is nearly empty is not full.
  EXPECT_EQ(JudgeSpace("/s", 900 << 20, kGiB).health, Health::kOk);
  // One on which nothing can start is, and it is not said to have 0.0 GiB.
  EXPECT_EQ(JudgeSpace("/s", 40 << 20, 64 << 20).health, Health::kFail);
  EXPECT_THAT(JudgeSpace("/s", 40 << 20, 64 << 20).message, HasSubstr("40 MiB free"));
}

TEST(Doctor, ClocksMayDifferByASecond) {
  EXPECT_EQ(JudgeClock("it", 900'000).health, Health::kOk);
  const Finding late = JudgeClock("it", -61'000'000);
  EXPECT_EQ(late.health, Health::kFail);
  EXPECT_THAT(late.message, HasSubstr("61.0 s behind"));
}

TEST(Doctor, SaysWhatPluginsRunWith) {
  const Finding works = ExaminePlugins(plugin::HostSettings::OfThisProcess());
  EXPECT_EQ(works.health, Health::kOk) << works.message;
  EXPECT_THAT(works.message, HasSubstr("numpy"));
  EXPECT_THAT(works.message, HasSubstr("sandbox: "));
  const Finding missing = ExaminePlugins({.python = "no-such-python"});
  EXPECT_EQ(missing.health, Health::kWarn);
  EXPECT_THAT(missing.message, HasSubstr("no program no-such-python"));
  EXPECT_THAT(missing.fix, HasSubstr("cluster.plugins.python"));
}

class DoctorFolderTest : public ::testing::Test {
 protected:
  DoctorFolderTest() {
    char pattern[] = "/tmp/tidemill-doctor-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~DoctorFolderTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(DoctorFolderTest, AStateFolderThatOthersWriteIsNamedAndFixed) {
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  const Finding open = ExamineStateFolder(folder_).front();
  EXPECT_EQ(open.health, Health::kFail);
  ASSERT_EQ(std::system(open.fix.c_str()), 0);
  EXPECT_EQ(ExamineStateFolder(folder_).front().health, Health::kOk);
}

TEST_F(DoctorFolderTest, ALostDataFolderIsNamedAndFixed) {
  StackLayout layout;
  layout.state_folder = folder_;
  const std::string kept = folder_ + "/kept";
  std::filesystem::create_directory(kept);
  ASSERT_TRUE(files::WriteAtomically(layout.DataRootsFile(), kept + "\n/nowhere/data\n").ok());
  const Findings findings = ExamineDataRoots(layout);
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].health, Health::kWarn);
  EXPECT_THAT(findings[0].message, HasSubstr("/nowhere/data"));
  ASSERT_EQ(std::system(findings[0].fix.c_str()), 0);
  EXPECT_EQ(ExamineDataRoots(layout).front().health, Health::kOk);
  EXPECT_EQ(*files::Read(layout.DataRootsFile()), kept + "\n");
}

TEST_F(DoctorFolderTest, AFileThatIsNotACertificateIsNamed) {
  ASSERT_TRUE(files::WriteAtomically(folder_ + "/ca.pem", "nothing").ok());
  const Finding finding =
      ExamineTls({.certificate = {}, .key = {}, .ca = folder_ + "/ca.pem", .client_ca = {}})
          .front();
  EXPECT_EQ(finding.health, Health::kFail);
  EXPECT_THAT(finding.message, HasSubstr("ca.pem"));
}

}  // namespace
}  // namespace tidemill::cli
