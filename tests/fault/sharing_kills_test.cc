// Trainings that share what they prepare, one of which is killed: both make the models that they
// would make alone. TIDEMILL_SHARING_KILLS says how often each is killed.
#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "loader/shared/sharing.h"
#include "tests/run_comparison.h"
#include "tests/small_pipeline.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

// How long a pair may take until both share.
constexpr std::chrono::seconds kPatience{60};

// A member of a stream, as its control file has it (docs/formats/shared_rows.md).
struct Member {
  int32_t process = 0;
  int64_t next = 0;
};

std::vector<Member> MembersIn(const std::string& control) {
  constexpr size_t kPlace = 64;
  std::vector<Member> members;
  const std::string page = files::Read(control).value_or("");
  for (size_t at = kPlace; at + kPlace <= page.size(); at += kPlace) {
    uint32_t state = 0;
    Member member;
    std::memcpy(&state, page.data() + at, sizeof(state));
    std::memcpy(&member.process, page.data() + at + 4, sizeof(member.process));
    std::memcpy(&member.next, page.data() + at + 8, sizeof(member.next));
    if (state != 0 && kill(member.process, 0) == 0) members.push_back(member);
  }
  return members;
}

// Waits for a stream of two members, the foremost of which needs chunk `next`. Returns them, the
// foremost first; nothing when there is none for long.
std::vector<Member> AwaitPair(const std::string& folder, int64_t next) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    std::error_code error;
    std::filesystem::directory_iterator stream(folder, error);
    for (; !error && stream != std::filesystem::directory_iterator(); stream.increment(error)) {
      std::vector<Member> members = MembersIn((stream->path() / "control").string());
      std::ranges::sort(members, std::greater(), &Member::next);
      if (members.size() == 2 && members[0].next >= next) return members;
    }
    std::this_thread::yield();
  }
  return {};
}

// Another moment of an epoch, which takes half a second.
void AwaitMoment(std::chrono::milliseconds moment) {
  const auto end = std::chrono::steady_clock::now() + moment;
  while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

// Two pipelines that differ in their names only, on one stack. Preparing an epoch takes half a
// second.
class SharingPair {
 public:
  SharingPair() {
    EXPECT_EQ(stack_.Tidemill({"up"}).exit_code, 0);
    EXPECT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
    std::ofstream(stack_.state() + "/tidemill.yaml", std::ios::app)
        << "trainer_server:\n  cpu_slots: 2\n";
    EXPECT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
    for (size_t i = 0; i < 2; ++i) {
      const std::string path = WriteSmallPipeline(stack_.files(), "{type: amount, samples: 600}");
      ReplaceIn(path, "name: small", fmt::format("name: pair{}", i));
      ReplaceIn(path, "- standardize",
                "- delay: {milliseconds: 1, per: sample}\n    - standardize");
      // Rows that are kept would not be shared.
      ReplaceIn(path, "training:\n", "training:\n  cache: off\n");
      pipelines_[i] = fmt::format("{}/pair{}.yaml", stack_.files(), i);
      std::filesystem::rename(path, pipelines_[i]);
      std::filesystem::create_directory(ScratchOf(i));
    }
  }

  std::unique_ptr<RunningCommand> Start(size_t i, const std::string& share) const {
    return std::make_unique<RunningCommand>(
        std::vector<std::string>{"run", pipelines_[i], "--json", "--set", "training.share=" + share,
                                 "--state", stack_.state()},
        std::map<std::string, std::string>{}, ScratchOf(i));
  }
  std::vector<std::string> ResultOf(RunningCommand& run) const {
    const CommandResult result = run.Result();
    EXPECT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
    return Fingerprint(result.Json());
  }
  std::string SharedFolder() const { return loader::SharedFolderOf(stack_.state()); }

 private:
  std::string ScratchOf(size_t i) const { return fmt::format("{}/scratch{}", stack_.files(), i); }

  const Stack stack_;
  std::array<std::string, 2> pipelines_;
};

enum class Victim { kProducer, kConsumer };

// The tests use one stack.
class SharingKills : public ::testing::TestWithParam<std::tuple<const char*, Victim>> {
 protected:
  static void SetUpTestSuite() {
    pair_ = std::make_unique<const SharingPair>();
    expected_ = pair_->ResultOf(*pair_->Start(0, "off"));
  }
  static void TearDownTestSuite() { pair_.reset(); }

  static std::unique_ptr<const SharingPair> pair_;
  static std::vector<std::string> expected_;  // A run that shares nothing.
};
std::unique_ptr<const SharingPair> SharingKills::pair_;
std::vector<std::string> SharingKills::expected_;

// The foremost prepares what the other one takes.
TEST_P(SharingKills, ChangeNoWeightOfEither) {
  const auto& [share, victim] = GetParam();
  const char* const given = std::getenv("TIDEMILL_SHARING_KILLS");
  const int num_kills = given == nullptr ? 1 : std::atoi(given);
  ASSERT_EQ(expected_.front(), "succeeded");
  for (int seed = 0; seed < num_kills; ++seed) {
    SCOPED_TRACE(seed);
    const auto first = pair_->Start(0, share);
    const auto second = pair_->Start(1, share);
    // A chunk of these rows is an epoch.
    const std::vector<Member> members = AwaitPair(pair_->SharedFolder(), seed % 4);
    ASSERT_EQ(members.size(), 2U) << "the two did not share";
    AwaitMoment(std::chrono::milliseconds(seed * 137 % 400));
    const Member& killed = victim == Victim::kProducer ? members[0] : members[1];
    EXPECT_EQ(kill(killed.process, SIGKILL), 0);
    EXPECT_EQ(pair_->ResultOf(*first), expected_);
    EXPECT_EQ(pair_->ResultOf(*second), expected_);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SharingKills,
                         ::testing::Combine(::testing::Values("window", "strict"),
                                            ::testing::Values(Victim::kProducer,
                                                              Victim::kConsumer)),
                         [](const auto& tested) {
                           const bool is_producer = std::get<1>(tested.param) == Victim::kProducer;
                           return fmt::format("{}{}", std::get<0>(tested.param),
                                              is_producer ? "Producer" : "Consumer");
                         });

}  // namespace
}  // namespace tidemill::tests
