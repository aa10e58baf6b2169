// The state folders that releases left behind, killed in the middle of a run: they open, explain
// themselves as they did then, and continue. record_state.py recorded them: state_0.7.tar.xz by
// programs between 0.7.0 and 0.8.0 that still said 0.7.0.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "db/database.h"
#include "db/private_postgres.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::tidemill::testing::IsOk;

// Files of the state name their paths, so it is where it was recorded.
constexpr char kRoot[] = "/tmp/tidemill-older-state";

// The unpacked state. One at a time on a machine.
class OlderState {
 public:
  explicit OlderState(const std::string& archive) {
    lock_ = open(fmt::format("{}.lock", kRoot).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    flock(lock_, LOCK_EX);
    Remove();
    fs::create_directory(kRoot);
    fs::permissions(kRoot, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    const std::string unpack = fmt::format("tar -C {} -xJf {}/{}", kRoot, OLDER_STATES, archive);
    EXPECT_EQ(std::system(unpack.c_str()), 0) << unpack;
    RestoreDatabase();
  }
  ~OlderState() {
    Remove();
    close(lock_);
  }
  OlderState(const OlderState&) = delete;
  OlderState& operator=(const OlderState&) = delete;

  CommandResult Tidemill(std::vector<std::string> words) const {
    words.insert(words.end(), {"--state", State()});
    return RunTidemill(words, {}, kRoot);
  }
  static std::string State() { return fmt::format("{}/state", kRoot); }
  static std::string Pipeline() { return fmt::format("{}/files/pipeline.yaml", kRoot); }
  // What the release said.
  static std::string Said(const std::string& file) {
    return files::Read(fmt::format("{}/said/{}", kRoot, file)).value_or("");
  }

 private:
  void Remove() const {
    if (!fs::exists(kRoot)) return;
    Tidemill({"down", "--purge", "-y"});
    fs::remove_all(kRoot);
  }

  // Makes the cluster in which the release had its database, from the database as SQL.
  static void RestoreDatabase() {
    const std::string identity_file = State() + "/identity";
    std::istringstream identity(files::Read(identity_file).value_or(""));
    std::string number, folder;
    std::getline(identity, number);
    std::getline(identity, folder);
    if (geteuid() != 0) {
      folder = State() + "/postgres";
      std::ofstream(identity_file) << number << "\n" << folder << "\n";
    }
    const auto postgres =
        db::PrivatePostgres::Start(folder, fmt::format("{}/sockets", kRoot), {.durable = false});
    ASSERT_THAT(postgres, IsOk());
    const auto database = db::Database::Connect((*postgres)->ConnectionString());
    ASSERT_THAT(database, IsOk());
    const std::string sql = files::Read(fmt::format("{}/database.sql", kRoot)).value_or("");
    EXPECT_THAT((*database)->Transact([&](pqxx::work& work) {
      work.exec(sql);
      return absl::OkStatus();
    }),
                IsOk());
    EXPECT_THAT((*postgres)->Stop(), IsOk());
    std::ofstream(folder + "/identity") << number << "\n" << State() << "\n";
  }

  int lock_ = -1;
};

// What the triggers of a run were: places and training sets.
std::vector<std::string> TriggersOf(const json& run) {
  std::vector<std::string> triggers;
  for (const json& trigger : run.value("triggers", json::array())) {
    triggers.push_back(fmt::format("{} at {}: {} samples, {}", trigger.at("number").dump(),
                                   trigger.at("at").dump(), trigger.at("samples").dump(),
                                   trigger.at("training_set_digest").dump()));
  }
  return triggers;
}

// A sentence may be put in another order; its numbers and words stay.
std::multiset<std::string> WordsOf(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '.' || c == ';'; }, ' ');
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

// Each row has all that the earlier release told about it.
void ExpectSameRows(const json& shown, const json& before) {
  ASSERT_EQ(shown.size(), before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    for (const auto& [key, value] : before.at(i).items()) {
      if (key == "rule") continue;  // Words change.
      EXPECT_EQ(shown.at(i).value(key, json()), value) << key << " of " << before.at(i).dump();
    }
  }
}

class OlderStateTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Releases, OlderStateTest,
                         ::testing::Values("state_0.7.tar.xz", "state_0.8.tar.xz"));

TEST_P(OlderStateTest, OpensExplainsItselfAndContinues) {
  const OlderState older(GetParam());
  const json before = json::parse(OlderState::Said("run.json"));
  ASSERT_EQ(before.at("triggers").size(), 4U);

  // Run 2 was killed. It continues as the stack starts.
  ASSERT_EQ(older.Tidemill({"up"}).exit_code, 0) << older.Tidemill({"logs", "supervisor"}).out;
  const CommandResult resumed = older.Tidemill({"runs", "watch", "2", "--json"});
  EXPECT_THAT(resumed.exit_code, ::testing::AnyOf(0, 8)) << resumed.err;

  const json shown = older.Tidemill({"runs", "show", "1", "--json"}).Json();
  EXPECT_EQ(TriggersOf(shown), TriggersOf(before));
  ExpectSameRows(shown.at("evaluations"), before.at("evaluations"));
  for (const char* series : {"active", "trained", "baselines"}) {
    ExpectSameRows(shown.at("composite").at(series), before.at("composite").at(series));
  }
  ExpectSameRows(shown.at("baselines"), before.at("baselines"));
  EXPECT_EQ(shown.at("models"), before.at("models"));
  EXPECT_EQ(shown.at("ledger"), before.at("ledger"));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(shown.at("triggers").at(i).at("weights_digest"),
              before.at("triggers").at(i).at("weights_digest"));
    const std::string trigger = std::to_string(i + 1);
    EXPECT_EQ(WordsOf(older.Tidemill({"why", "1/" + trigger}).out),
              WordsOf(OlderState::Said("why_" + trigger + ".txt")));
  }

  const json second = older.Tidemill({"runs", "show", "2", "--json"}).Json();
  EXPECT_EQ(second.at("state"), "succeeded");
  EXPECT_EQ(TriggersOf(second), TriggersOf(before));

  // The same pipeline again finds its data ingested, and the same triggers.
  const CommandResult again = older.Tidemill({"run", OlderState::Pipeline(), "--json"});
  EXPECT_THAT(again.exit_code, ::testing::AnyOf(0, 8)) << again.err;
  EXPECT_EQ(TriggersOf(again.Json()), TriggersOf(before));
  EXPECT_EQ(again.Json().at("run"), 3);

  const std::string model = before.at("models").at(0).dump();
  const CommandResult exported =
      older.Tidemill({"models", "export", model, "--output", fmt::format("{}/exported", kRoot)});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  const CommandResult checked = older.Tidemill({"datasets", "check", "drift"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

}  // namespace
}  // namespace tidemill::tests
