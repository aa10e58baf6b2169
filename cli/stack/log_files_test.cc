#include "cli/stack/log_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kLine =
    R"(2026-03-01T10:00:00.250000Z warn  storage: cannot list files path="/a \"b\"" run="3" )"
    R"(error="one\ntwo\x1b")";

TEST(LogLine, IsTakenApartAsItWasPutTogether) {
  const auto line = ParseLogLine(kLine);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->time.micros % 1'000'000, 250'000);
  EXPECT_EQ(line->level, log::Level::kWarn);
  EXPECT_EQ(line->service, "storage");
  EXPECT_EQ(line->message, "cannot list files");
  EXPECT_THAT(line->fields, ElementsAre(Pair("path", "/a \"b\""), Pair("run", "3"),
                                        Pair("error", "one\ntwo\x1b")));
  EXPECT_EQ(ToJson(*line).dump(-1, ' ', true),
            R"({"time":"2026-03-01T10:00:00.25Z","level":"warn","service":"storage",)"
            R"("message":"cannot list files","path":"/a \"b\"","run":"3",)"
            R"("error":"one\ntwo\u001b"})");
}

TEST(LogLine, OfPostgresIsReadToo) {
  const auto line =
      ParseLogLine("2026-03-01 10:00:00.123 UTC [42] FATAL:  the database system is shutting down");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->service, "postgres");
  EXPECT_EQ(line->level, log::Level::kError);
  EXPECT_EQ(line->message, "the database system is shutting down");
  EXPECT_EQ(line->time.micros % 1'000'000, 123'000);
}

TEST(LogLine, WhatNoLoggerWroteIsNone) {
  for (const char* text : {"", "terminate called", "2026-03-01T10:00:00.250000Z", "a b c: d",
                           "2026-03-01T10:00:00.250000Z loud storage: x"}) {
    EXPECT_FALSE(ParseLogLine(text).has_value()) << text;
  }
}

TEST(LogFile, OneThatIsKeptIsReadOnceWhateverTakesItsName) {
  char pattern[] = "/tmp/log-files-XXXXXX";
  const std::filesystem::path folder = mkdtemp(pattern);
  const std::string present = folder / "storage.log", kept = folder / "storage.log.1";
  std::ofstream(kept) << "kept\n";
  std::ofstream(present) << "present\n";
  std::vector<LogFile> both;
  both.emplace_back(kept, "storage", /*is_kept=*/true);
  both.emplace_back(present, "storage");
  LogFiles read(std::move(both));
  EXPECT_EQ(read.Next()->text, "kept");
  EXPECT_EQ(read.Next()->text, "present");
  EXPECT_FALSE(read.Next().has_value());
  std::filesystem::rename(present, kept);
  std::ofstream(present) << "new\n";
  EXPECT_EQ(read.Next()->text, "new");
  EXPECT_FALSE(read.Next().has_value());
  std::filesystem::remove_all(folder);
}

TEST(LogFilter, ChoosesByTimeLevelAndRun) {
  const LogLine line = *ParseLogLine(kLine);
  EXPECT_TRUE((LogFilter{.run = ""}).Admits(line));
  EXPECT_TRUE((LogFilter{.since = line.time, .least = log::Level::kWarn, .run = "3"}).Admits(line));
  EXPECT_FALSE((LogFilter{.since = {line.time.micros + 1}, .run = ""}).Admits(line));
  EXPECT_FALSE((LogFilter{.least = log::Level::kError, .run = ""}).Admits(line));
  EXPECT_FALSE((LogFilter{.run = "33"}).Admits(line));
}

class LogFilesTest : public ::testing::Test {
 protected:
  LogFilesTest() {
    char pattern[] = "/tmp/tidemill-logs-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~LogFilesTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Append(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::app) << text;
  }
  static std::string Line(int second, const std::string& message) {
    return fmt::format("2026-03-01T10:00:{:02}.000000Z info  x: {}\n", second, message);
  }
  static std::vector<std::string> Rest(LogFiles& files) {
    std::vector<std::string> messages;
    while (const auto line = files.Next()) messages.push_back(line->message);
    return messages;
  }
  LogFiles Open(const std::vector<std::string>& names) const {
    std::vector<LogFile> files;
    for (const std::string& name : names) files.emplace_back(Path(name), name);
    return LogFiles(std::move(files));
  }

  std::string folder_;
};

TEST_F(LogFilesTest, FilesAreMergedByTime) {
  Append("a", Line(1, "one") + Line(4, "four"));
  Append("b", Line(2, "two") + Line(3, "three"));
  LogFiles files = Open({"a", "b", "none"});
  EXPECT_THAT(Rest(files), ElementsAre("one", "two", "three", "four"));
}

TEST_F(LogFilesTest, ALineIsShownOnceItIsWhole) {
  Append("a", Line(1, "one") + "2026-03-01T10:00:02.000000Z info  x: tw");
  LogFiles files = Open({"a"});
  EXPECT_THAT(Rest(files), ElementsAre("one"));
  Append("a", "o\n");
  EXPECT_THAT(Rest(files), ElementsAre("two"));
}

TEST_F(LogFilesTest, WhatALibraryPrintedStaysWithTheLineBeforeIt) {
  Append("a", Line(1, "one") + "terminate called\n" + Line(3, "three"));
  Append("b", Line(2, "two"));
  LogFiles files = Open({"a", "b"});
  EXPECT_THAT(Rest(files), ElementsAre("one", "terminate called", "two", "three"));
}

TEST_F(LogFilesTest, AFileThatWasRotatedIsReadToItsEndAndThenTheNewOne) {
  Append("a", Line(1, "one"));
  LogFiles files = Open({"a"});
  EXPECT_THAT(Rest(files), ElementsAre("one"));
  Append("a", Line(2, "two"));
  std::filesystem::rename(Path("a"), Path("a.1"));
  Append("a", Line(3, "three"));
  EXPECT_THAT(Rest(files), ElementsAre("two", "three"));
  Append("a", Line(4, "four"));
  EXPECT_THAT(Rest(files), ElementsAre("four"));
}

TEST_F(LogFilesTest, AFileThatWasCutShortIsReadFromItsBeginning) {
  Append("a", Line(1, "one") + Line(2, "two"));
  LogFiles files = Open({"a"});
  EXPECT_THAT(Rest(files), ElementsAre("one", "two"));
  std::filesystem::resize_file(Path("a"), 0);
  Append("a", Line(3, "three"));
  EXPECT_THAT(Rest(files), ElementsAre("three"));
}

TEST_F(LogFilesTest, AFileMayComeLater) {
  LogFiles files = Open({"a"});
  EXPECT_THAT(Rest(files), ElementsAre());
  Append("a", Line(1, "one"));
  EXPECT_THAT(Rest(files), ElementsAre("one"));
}

}  // namespace
}  // namespace tidemill::cli
