// What the command reports about runs, models, datasets and logs, on a real stack.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/digest.h"
#include "base/files.h"
#include "db/database.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ComfortTest : public ::testing::Test {
 protected:
  ComfortTest() { EXPECT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs(); }

  nlohmann::json RunPipeline(const std::string& max_triggers) {
    const CommandResult result = stack_.Tidemill(
        {"run", WriteSmallPipeline(stack_.files()), "--json", "--max-triggers", max_triggers});
    EXPECT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
    return result.Json();
  }

  // What a shell may offer for the last of these words.
  CommandResult Completed(std::vector<std::string> words) const {
    words.insert(words.end() - 1, {"--state", stack_.state()});
    words.insert(words.begin(), {"__complete", "--"});
    return RunTidemill(words, {}, stack_.files());
  }

  void ForgetChangeStamps() {
    const auto settings = files::Read(stack_.state() + "/tidemill.yaml");
    ASSERT_TRUE(settings.ok());
    constexpr std::string_view kKey = "database: \"";
    const size_t begin = settings->find(kKey) + kKey.size();
    const auto database =
        db::Database::Connect(settings->substr(begin, settings->find('"', begin) - begin));
    ASSERT_TRUE(database.ok());
    const absl::Status forgotten = (*database)->Transact([](pqxx::work& work) {
      work.exec("UPDATE storage.files SET change_stamp = NULL");
      return absl::OkStatus();
    });
    ASSERT_TRUE(forgotten.ok()) << forgotten;
  }

  Stack stack_;
};

TEST_F(ComfortTest, ARunIsWatchedComparedCompletedAndLogged) {
  const nlohmann::json first = RunPipeline("2");
  const nlohmann::json second = RunPipeline("1");
  const std::string id = first.at("run").dump();

  const CommandResult watched = stack_.Tidemill({"watch", id, "--json"});
  EXPECT_EQ(watched.exit_code, 0);
  // All but the model that the pipeline has in use now, which the second run has trained.
  nlohmann::json then = first;
  nlohmann::json now = watched.Json();
  EXPECT_EQ(now.at("model_in_use").at("run"), second.at("run"));
  then.erase("model_in_use");
  now.erase("model_in_use");
  EXPECT_EQ(now, then);
  EXPECT_EQ(stack_.Tidemill({"watch", "9999"}).exit_code, 4);

  const nlohmann::json compared =
      stack_.Tidemill({"compare", id, second.at("run").dump(), "--json"}).Json();
  ASSERT_EQ(compared.at("runs").size(), 2);
  EXPECT_EQ(compared["runs"][0].at("triggers"), 2);
  EXPECT_EQ(compared["runs"][1].at("triggers"), 1);
  EXPECT_EQ(compared["runs"][0].at("samples"), 400);
  EXPECT_TRUE(compared.at("config").empty());

  EXPECT_THAT(Completed({"watch", ""}).out, HasSubstr(id + "\tsmall, succeeded\n"));
  EXPECT_EQ(Completed({"datasets", "show", ""}).out, "drift\t1,200 samples\n");

  const CommandResult logged = stack_.Tidemill({"logs", "supervisor", "--run", id, "--json"});
  EXPECT_EQ(logged.exit_code, 0);
  std::istringstream lines(logged.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json.at("run"), id);
    EXPECT_EQ(json.at("service"), "supervisor");
  }
  EXPECT_GT(count, 0);
  EXPECT_EQ(stack_.Tidemill({"logs", "nobody"}).exit_code, 4);
  EXPECT_EQ(stack_.Tidemill({"logs", "--since", "yesterday"}).exit_code, 2);
  EXPECT_THAT(stack_.Tidemill({"logs", "--since", "2100-01-01T00:00:00Z"}).out, IsEmpty());
}

TEST_F(ComfortTest, ValuesThatAreSetBelongToTheRunAndNotToTheFile) {
  const std::string pipeline = WriteSmallPipeline(stack_.files());
  const CommandResult result =
      stack_.Tidemill({"run", "--set", "training.optimizer.lr=1e-3", pipeline, "--set",
                       "evaluation.0.measures=[accuracy]", "--json", "--max-triggers", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
  const std::string id = result.Json().at("run").dump();
  EXPECT_EQ(result.Json().at("set").at(0).dump(),
            R"({"key":"training.optimizer.lr","value":"1e-3","was":"1e-2","was_default":false})");
  for (const auto& value : result.Json().at("evaluations")) {
    EXPECT_EQ(value.at("measure"), "accuracy");
  }
  EXPECT_THAT(stack_.Tidemill({"runs", "show", id}).out,
              HasSubstr("\nset: training.optimizer.lr = 1e-3 (was 1e-2)\n"));

  const std::string shown = stack_.files() + "/shown.html";
  const std::string browser = stack_.files() + "/browser";
  std::ofstream(browser) << "#!/bin/sh\ncp \"$1\" " << shown << "\n";
  std::filesystem::permissions(browser, std::filesystem::perms::owner_all);
  const CommandResult opened = stack_.Tidemill({"open", "--json"}, {{"BROWSER", browser}});
  ASSERT_EQ(opened.exit_code, 0) << opened.err;
  const std::string report = opened.Json().at("report");
  EXPECT_EQ(*files::Read(shown), *files::Read(report));
  EXPECT_THAT(*files::Read(report), HasSubstr("training.optimizer.lr = 1e-3 (was 1e-2)"));
  const std::string folder = std::filesystem::path(report).parent_path();
  EXPECT_EQ(*files::Read(folder + "/config.yaml"), *files::Read(pipeline));
  EXPECT_THAT(*files::Read(folder + "/resolved.yaml"), HasSubstr("lr: 0.001"));
  EXPECT_THAT(*files::Read(folder + "/events.jsonl"), HasSubstr("training.optimizer.lr"));
  EXPECT_EQ(stack_.Tidemill({"open", id}, {{"BROWSER", "false"}, {"DISPLAY", ""}}).exit_code, 1);
  const CommandResult unseen =
      stack_.Tidemill({"open", id}, {{"BROWSER", ""}, {"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}});
  EXPECT_EQ(unseen.exit_code, 0);
  EXPECT_EQ(unseen.out, report + "\n");
  EXPECT_THAT(unseen.err, HasSubstr("open the file yourself"));
}

TEST_F(ComfortTest, ErrorsAreDocumentsWithTheWordsForPeople) {
  const std::string pipeline = WriteSmallPipeline(stack_.files());
  const CommandResult unknown = stack_.Tidemill({"runs", "show", "9999", "--json"});
  EXPECT_EQ(unknown.exit_code, 4);
  const nlohmann::json error = unknown.Json().at("error");
  EXPECT_EQ(error.at("code"), "not_found");
  EXPECT_EQ(error.at("exit_code"), 4);
  EXPECT_EQ("tidemill: " + error.at("message").get<std::string>() + "\n", unknown.err);

  const CommandResult wrong =
      stack_.Tidemill({"run", pipeline, "--json", "--set", "training.epoch=3"});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_EQ(wrong.Json().at("error").at("file"), "--set training.epoch");
  EXPECT_EQ(wrong.Json().at("error").at("path"), "training.epoch");
  EXPECT_FALSE(wrong.Json().at("error").contains("line"));
  EXPECT_THAT(wrong.Json().at("error").at("advice").get<std::string>(),
              HasSubstr("did you mean 'epochs'?"));
  EXPECT_EQ(wrong.Json().at("valid"), false);

  const CommandResult absent = stack_.Tidemill({"check", "absent.yaml", "--json"});
  EXPECT_EQ(absent.Json().at("error").at("file"), "absent.yaml");
  const CommandResult misused = stack_.Tidemill({"runs", "lst", "--json"});
  EXPECT_EQ(misused.exit_code, 2);
  EXPECT_EQ(misused.Json().at("error").at("code"), "usage");
  EXPECT_EQ(stack_.Tidemill({"run", pipeline, "--set", "training.epochs"}).exit_code, 2);
}

TEST_F(ComfortTest, CompletionIsSilentWithoutAStack) {
  ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
  const CommandResult result = Completed({"watch", ""});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out + result.err, IsEmpty());
}

TEST_F(ComfortTest, AModelIsExportedWhole) {
  RunPipeline("1");
  const nlohmann::json model = stack_.Tidemill({"models", "list", "--json"}).Json().at(0);
  const std::string id = model.at("model").dump();
  const std::string output = stack_.files() + "/exported";
  ASSERT_EQ(stack_.Tidemill({"models", "export", id, "--output", output}).exit_code, 0);
  std::map<std::string, std::string> digests;
  for (const auto& part : model.at("parts")) digests[part.at("name")] = part.at("sha256");
  const auto weights = files::Read(output + "/model.safetensors");
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ(Sha256(*weights), digests.at("weights.safetensors"));
  const auto config = nlohmann::json::parse(*files::Read(output + "/config.json"));
  EXPECT_EQ(config.at("classes"), nlohmann::json({"DOWN", "UP"}));
  EXPECT_EQ(config.at("sha256").at("model.safetensors"), digests.at("weights.safetensors"));
  EXPECT_THAT(*files::Read(output + "/README.md"), StartsWith("---\nlibrary_name: tidemill\n"));
  EXPECT_EQ(stack_.Tidemill({"models", "export", id, "--output", output}).exit_code, 7);
  EXPECT_EQ(stack_.Tidemill({"models", "export", "999", "--output", output + "2"}).exit_code, 4);
  EXPECT_FALSE(std::filesystem::exists(output + "2"));
}

TEST_F(ComfortTest, DamageToADatasetIsFoundAndItsSamplesAreCounted) {
  RunPipeline("1");
  EXPECT_EQ(stack_.Tidemill({"datasets", "check", "drift"}).exit_code, 0);
  const nlohmann::json stats = stack_.Tidemill({"datasets", "stats", "drift", "--json"}).Json();
  int64_t by_class = 0;
  int64_t by_time = 0;
  for (const auto& entry : stats.at("classes")) by_class += entry.at("samples").get<int64_t>();
  for (const auto& entry : stats.at("intervals")) by_time += entry.at("samples").get<int64_t>();
  EXPECT_EQ(by_class, 1200);
  EXPECT_EQ(by_time, 1200);
  EXPECT_EQ(stats.at("intervals").size(), 20);
  EXPECT_EQ(stats.at("bytes"), std::filesystem::file_size(stack_.files() + "/drift.csv"));

  // A disk that fails changes bytes, not times. The time of the last change cannot be set.
  ForgetChangeStamps();
  const std::string path = stack_.files() + "/drift.csv";
  struct stat before {};
  ASSERT_EQ(stat(path.c_str(), &before), 0);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string header;
    std::getline(file, header);
    file.seekp(static_cast<std::streamoff>(header.size()) + 1);
    file << "3";  // The first record's year.
  }
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const CommandResult checked = stack_.Tidemill({"datasets", "check", "drift", "--json"});
  EXPECT_EQ(checked.exit_code, 8);
  ASSERT_EQ(checked.Json().at("damaged").size(), 1) << checked.out;
  EXPECT_EQ(checked.Json()["damaged"][0].at("key").get<int64_t>() & ((int64_t{1} << 44) - 1), 1);
  EXPECT_EQ(stack_.Tidemill({"datasets", "stats", "nothing"}).exit_code, 4);
}

}  // namespace
}  // namespace tidemill::tests
