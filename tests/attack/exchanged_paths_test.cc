// An attacker writes below an allowed data folder and replaces files there by a way to the tokens
// of the stack, while an operator submits pipelines over it.
//
// TIDEMILL_TEST_SUBMISSIONS: how many against each kind of exchange, 60 unless it says otherwise.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "storage/client/storage_client.h"
#include "tests/attack/attacked_stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using tidemill::testing::IsOk;

int NumSubmissions() {
  const char* const text = std::getenv("TIDEMILL_TEST_SUBMISSIONS");
  return text == nullptr ? 60 : std::atoi(text);
}

// A process that does one thing again and again until it is destroyed.
class Attacker {
 public:
  // `deed` makes system calls only.
  explicit Attacker(const std::function<void()>& deed) : process_(fork()) {
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) deed();
  }
  ~Attacker() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

 private:
  const pid_t process_;
};

class ExchangedPaths : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { attacked_ = new AttackedStack(); }
  static void TearDownTestSuite() { delete attacked_; }

  ExchangedPaths() : tokens_(*files::Read(attacked_->stack().state() + "/token")) {
    fs::create_directory(In("dir"));
    std::ofstream(In("dir/token")) << "t y\n1 warm\n";
  }
  ~ExchangedPaths() override {
    for (const auto& entry : fs::directory_iterator(attacked_->data())) fs::remove_all(entry);
  }

  static std::string In(const std::string& name) { return attacked_->data() + "/" + name; }
  static std::string State(const std::string& name) {
    return attacked_->stack().state() + "/" + name;
  }

  // Whether a text has a part of a token in it.
  bool Quotes(const std::string& text) const {
    constexpr size_t kPart = 12;
    for (size_t at = 0; at + kPart <= tokens_.size(); ++at) {
      if (text.find(tokens_.substr(at, kPart)) != std::string::npos) return true;
    }
    return false;
  }

  static std::string Dataset() {
    return fmt::format(
        "path: \"{}\"\n    files: token\n    format: {{type: csv, delimiter: \" \"}}", In("dir"));
  }

  // Submits while the attacker is at it. Expects that some answers describe the file that may be
  // read, and none describes another.
  void SubmitUnder(const std::function<void()>& deed) const {
    const Attacker attacker(deed);
    int num_quoting = 0, num_read = 0;
    // On a busy machine, many may meet the same state.
    const int most = 20 * NumSubmissions();
    for (int i = 0; i < NumSubmissions() || (num_read == 0 && i < most); ++i) {
      const std::string answer =
          attacked_->Submit(SubmissionOf(PipelineOf({.dataset = Dataset()}))).ToString();
      num_quoting += Quotes(answer) ? 1 : 0;
      num_read += answer.find("warm") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(num_quoting, 0) << "of " << NumSubmissions();
    EXPECT_GT(num_read, 0);
  }

  const std::string tokens_;
  static AttackedStack* attacked_;
};

AttackedStack* ExchangedPaths::attacked_ = nullptr;

void Exchange(const std::string& one, const std::string& other) {
  renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
}

TEST_F(ExchangedPaths, AFolderAndALinkToTheFolderOfTheTokens) {
  fs::create_symlink(State(""), In("link"));
  SubmitUnder([one = In("dir"), other = In("link")] { Exchange(one, other); });
}

TEST_F(ExchangedPaths, AFileAndALinkToTheTokens) {
  fs::create_symlink(State("token"), In("link"));
  SubmitUnder([one = In("dir/token"), other = In("link")] { Exchange(one, other); });
}

TEST_F(ExchangedPaths, AFolderAndAMountOfTheFolderOfTheTokens) {
  const std::string from = State(""), at = In("dir");
  // Only root mounts, and not on every machine.
  if (mount(from.c_str(), at.c_str(), nullptr, MS_BIND, nullptr) != 0) return;
  ASSERT_EQ(umount2(at.c_str(), MNT_DETACH), 0);
  SubmitUnder([from, at] {
    constexpr int kLooks = 2'000;  // Looks of a millisecond or two, enough to meet each state.
    int num_seen = 0;
    mount(from.c_str(), at.c_str(), nullptr, MS_BIND, nullptr);
    for (int i = 0; i < kLooks; ++i) num_seen += access(at.c_str(), R_OK) == 0 ? 1 : 0;
    umount2(at.c_str(), MNT_DETACH);
    for (int i = 0; i < kLooks; ++i) num_seen += access(at.c_str(), R_OK) == 0 ? 1 : 0;
    EXPECT_GT(num_seen, 0);
  });
  while (umount2(at.c_str(), MNT_DETACH) == 0) {
  }
}

TEST_F(ExchangedPaths, WhatIsIngestedAndReadAgainIsOfTheFolderItself) {
  fs::create_symlink(State(""), In("link"));
  storage::StorageClient storage(attacked_->As(rpc::v1::ROLE_SERVICE, "storage"));
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  const auto registered = storage.RegisterDataset(
      "exchanged",
      fmt::format("path: \"{}\"\nfiles: token\nformat: {{type: csv, delimiter: \" \", header: "
                  "false, columns: [t, y]}}\nevent_time: {{row: {{start: 2020-01-01, step: 1s}}}}\n"
                  "label: {{column: y, classes: [warm]}}\nsettle: 1us\nmax_bad_fraction: 1\n",
                  In("dir")),
      command);
  ASSERT_THAT(registered, IsOk());
  const DatasetId id{registered->dataset_id()};
  const Attacker attacker([one = In("dir"), other = In("link")] { Exchange(one, other); });
  for (int i = 0; i < NumSubmissions(); ++i) {
    const auto snapshot = storage.SyncDataset(id, {});
    if (!snapshot.ok()) {
      EXPECT_FALSE(Quotes(snapshot.status().ToString()));
      continue;
    }
    storage::v1::ListSamplesRequest request;
    *request.mutable_snapshot() = *snapshot;
    std::vector<int64_t> keys;
    EXPECT_THAT(storage.ListSamples(request,
                                    [&](const batch::Batch& rows) {
                                      keys.insert(keys.end(), rows.keys().begin(),
                                                  rows.keys().end());
                                      return absl::OkStatus();
                                    }),
                IsOk());
    const absl::Status read = storage.ReadSamples(
        id, keys,
        [&](const batch::Batch& rows, const std::vector<storage::v1::MissingSample>& missing) {
          for (const auto& sample : missing) {
            EXPECT_FALSE(Quotes(sample.reason()));
          }
          const batch::Column* const payload = rows.Find(batch::kPayloadColumn);
          for (int64_t row = 0; payload != nullptr && row < rows.num_rows(); ++row) {
            EXPECT_FALSE(Quotes(std::string(payload->Bytes(row))));
          }
          return absl::OkStatus();
        });
    // The link leads out of the allowed folders.
    EXPECT_TRUE(read.ok() || absl::IsFailedPrecondition(read)) << read;
    EXPECT_FALSE(Quotes(read.ToString()));
  }
  const auto entries = storage.ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  for (const auto& entry : *entries) EXPECT_FALSE(Quotes(entry.reason())) << entry.reason();
}

}  // namespace
}  // namespace tidemill::tests
