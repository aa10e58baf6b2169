// A disk that is full for a while costs a run time and nothing else. The disk is a file system in
// memory, which only root can mount: for others it tries nothing, and says so.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>

#include "supervisor_client/supervisor_client.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
namespace v1 = supervisor::v1;

using ::testing::HasSubstr;

// A small disk at a folder, as long as it lives.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    fs::create_directory(folder);
    is_mounted_ = mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=24m,mode=0700") == 0;
    if (!is_mounted_) why_not_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (is_mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  const std::string& why_not() const { return why_not_; }

  // Fills the disk.
  void Fill() const {
    const int file = open(Filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    const std::string page(4096, 'x');
    while (write(file, page.data(), page.size()) > 0) {
    }
    EXPECT_EQ(errno, ENOSPC);
    close(file);
  }
  void Free() const { fs::remove(Filler()); }

 private:
  std::string Filler() const { return folder_ + "/filler"; }

  const std::string folder_;
  bool is_mounted_ = false;
  std::string why_not_;
};

// Fills the disk whenever the run has come to a stage that it has not yet been full in, and frees
// it once the run says that it waits.
class Saboteur {
 public:
  explicit Saboteur(const SmallDisk& disk) : disk_(disk) { disk_.Fill(); }

  void See(const v1::WatchRunResponse& message) {
    if (message.has_event() && message.event().type() == "step_waited") {
      waits_.push_back(message.event().text());
    }
    if (is_full_ && !message.progress().waiting_for().empty()) {
      waited_in_.insert(message.progress().stage());
      disk_.Free();
      is_full_ = false;
    }
    // What follows the event is the stage that finds the disk full.
    static const std::set<std::string> kBefore = {"training_set_sealed", "graph_fitted",
                                                  "model_trained", "model_stored", "stream_ended"};
    if (!is_full_ && message.has_event() && message.event().trigger() <= 2 &&
        kBefore.contains(message.event().type())) {
      disk_.Fill();
      is_full_ = true;
    }
  }

  const std::set<std::string>& waited_in() const { return waited_in_; }
  const std::vector<std::string>& waits() const { return waits_; }

 private:
  const SmallDisk& disk_;
  bool is_full_ = true;
  std::set<std::string> waited_in_;
  std::vector<std::string> waits_;
};

int64_t Submit(const Stack& stack, const std::string& pipeline) {
  const CommandResult run = stack.Tidemill({"run", pipeline, "--detach", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.Json().at("run").get<int64_t>();
}

TEST(FullDisk, CostsARunTimeOnly) {
  const Stack undisturbed, full;
  const SmallDisk disk(full.state());
  if (!disk.is_mounted()) {
    std::printf("not tried, because no disk can be mounted: %s\n", disk.why_not().c_str());
    return;
  }
  ASSERT_EQ(undisturbed.Tidemill({"up"}).exit_code, 0) << undisturbed.Logs();
  const CommandResult expected =
      undisturbed.Tidemill({"run", WriteSmallPipeline(undisturbed.files()), "--json"});
  ASSERT_EQ(expected.exit_code, 0) << expected.err;

  ASSERT_EQ(full.Tidemill({"up"}).exit_code, 0) << full.Logs();
  const int64_t run = Submit(full, WriteSmallPipeline(full.files()));
  supervisor::SupervisorClient supervisor(full.PeerOf("supervisor", rpc::v1::ROLE_OPERATOR));
  Saboteur saboteur(disk);
  const auto see = [&](const v1::WatchRunResponse& message) {
    saboteur.See(message);
    return absl::OkStatus();
  };
  const auto end =
      supervisor.WatchRun({run}, 0, see, [] { return std::chrono::milliseconds{60'000}; });
  disk.Free();
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->state(), v1::RUN_STATE_SUCCEEDED) << end->error();
  const nlohmann::json shown =
      full.Tidemill({"runs", "show", std::to_string(run), "--json"}).Json();
  EXPECT_EQ(Fingerprint(shown), Fingerprint(expected.Json())) << full.Logs();
  EXPECT_FALSE(saboteur.waited_in().empty());
  ASSERT_FALSE(saboteur.waits().empty());
  EXPECT_THAT(saboteur.waits().front(), HasSubstr("the disk is full"));
  for (const std::string& stage : saboteur.waited_in())
    std::printf("waited in %s\n", stage.c_str());
  // Before its disk goes away.
  EXPECT_EQ(full.Tidemill({"down"}).exit_code, 0);
}

}  // namespace
}  // namespace tidemill::tests
