#include "base/logs/log_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/descriptor.h"
#include "base/files.h"

namespace tidemill::log {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxBytes = 1'000;
constexpr int kKept = 3;

// Meanwhile, the standard error of the process is a file of the test.
class LogFileTest : public ::testing::Test {
 protected:
  LogFileTest() : before_(dup(STDERR_FILENO)) {
    char pattern[] = "/tmp/log-file-XXXXXX";
    folder_ = mkdtemp(pattern);
    path_ = folder_ + "/storage.log";
    const Descriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    dup2(file.number(), STDERR_FILENO);
  }
  ~LogFileTest() override {
    dup2(before_.number(), STDERR_FILENO);
    fs::remove_all(folder_);
  }

  static void Write(LogFile& file, const std::string& text) {
    file.BeforeLine();
    const std::string line = text + "\n";
    EXPECT_EQ(write(STDERR_FILENO, line.data(), line.size()), std::ssize(line));
  }

  // The text of the kept files, the oldest first, and of the current one.
  std::string All() const {
    std::string all;
    for (int number = 20; number >= 0; --number) {
      const auto text = files::Read(LogFile::PathOf(path_, number));
      if (text.ok()) all += *text;
    }
    return all;
  }

  const Descriptor before_;
  std::string folder_;
  std::string path_;
};

TEST_F(LogFileTest, KeepsALimitedNumberOfFilesOfALimitedSize) {
  LogFile file(path_, kMaxBytes, kKept);
  for (int i = 0; i < 10'000; ++i) Write(file, "line " + std::to_string(i));
  EXPECT_TRUE(fs::exists(path_ + ".3"));
  EXPECT_FALSE(fs::exists(path_ + ".4"));
  for (int number = 0; number <= kKept; ++number) {
    EXPECT_LT(fs::file_size(LogFile::PathOf(path_, number)), kMaxBytes + 20) << number;
  }
  EXPECT_TRUE(All().ends_with("line 9998\nline 9999\n"));
}

TEST_F(LogFileTest, LosesNoLineOfAnyProcessThatSharesIt) {
  LogFile file(path_, kMaxBytes, 20);
  const auto write_all = [&](const std::string& who) {
    for (int i = 0; i < 200; ++i) Write(file, who + std::to_string(i));
  };
  const pid_t child = fork();
  if (child == 0) {
    write_all("child ");
    _exit(0);
  }
  write_all("parent ");
  int status = 0;
  waitpid(child, &status, 0);
  const std::string all = All();
  for (int i = 0; i < 200; ++i) {
    EXPECT_NE(all.find("child " + std::to_string(i) + "\n"), std::string::npos) << i;
    EXPECT_NE(all.find("parent " + std::to_string(i) + "\n"), std::string::npos) << i;
  }
  EXPECT_TRUE(fs::exists(path_ + ".1"));
}

TEST_F(LogFileTest, LeavesAStandardErrorAloneThatLeadsElsewhere) {
  LogFile file(path_, kMaxBytes, kKept);
  const std::string other = folder_ + "/other";
  const Descriptor elsewhere(open(other.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  dup2(elsewhere.number(), STDERR_FILENO);
  for (int i = 0; i < 500; ++i) Write(file, "line");
  EXPECT_EQ(fs::file_size(other), 2'500);
  EXPECT_FALSE(fs::exists(path_ + ".1"));
}

}  // namespace
}  // namespace tidemill::log
