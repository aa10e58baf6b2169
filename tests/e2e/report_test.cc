// The run directory and its report, as a browser shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <filesystem>
#include <set>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/tree.h"
#include "tests/browser.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Colours of every fourth pixel of a PNG.
std::set<uint32_t> ColoursOf(const std::string& path) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return {};
  image.format = PNG_FORMAT_RGBA;
  std::vector<uint32_t> pixels(PNG_IMAGE_SIZE(image) / 4);
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) return {};
  std::set<uint32_t> colours;
  for (size_t i = 0; i < pixels.size(); i += 4) colours.insert(pixels[i]);
  return colours;
}

// Per sample, of the models in use.
double ActiveAccuracy(const nlohmann::json& run) {
  double sum = 0;
  double samples = 0;
  for (const auto& value : run.at("composite").at("active")) {
    if (value.at("measure") != "accuracy" || value.at("value").is_null()) continue;
    sum += value["value"].get<double>() * value.at("samples").get<double>();
    samples += value["samples"].get<double>();
  }
  return sum / samples;
}

TEST(Report, ShowsTheQuickstartInABrowser) {
  const Stack stack;
  const CommandResult result =
      stack.Tidemill({"run", testing::InTree("pipelines/quickstart/pipeline.yaml"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const nlohmann::json run = result.Json();
  const std::string folder =
      fmt::format("{}/runs/quickstart/{}", stack.state(), run.at("run").get<int64_t>());
  EXPECT_THAT(result.err, HasSubstr(folder + "/report.html"));
  EXPECT_EQ(fs::read_symlink(fs::path(folder).parent_path() / "latest"),
            std::to_string(run["run"].get<int64_t>()));
  EXPECT_EQ(Slurp(folder + "/config.yaml"),
            Slurp(testing::InTree("pipelines/quickstart/pipeline.yaml")));

  const std::string picture = stack.files() + "/report.png";
  const Shown shown = Browse(stack.files(), folder + "/report.html",
                             "--dump-dom --screenshot='" + picture + "' --window-size=1200,2400");
  EXPECT_THAT(shown.log, Not(HasSubstr("CONSOLE")));
  EXPECT_THAT(shown.dom, HasSubstr("data-drawn=\"yes\""));
  EXPECT_THAT(shown.dom, HasSubstr(fmt::format("<b>{:.1f} %</b>", 100 * ActiveAccuracy(run))));
  const size_t models = run.at("models").size();
  EXPECT_EQ(Count(shown.dom, " data-at=\""), models * (models + 1));
  EXPECT_EQ(Count(shown.dom, "<canvas"), 2U);  // Quality and loss.
  EXPECT_GT(ColoursOf(picture).size(), 100U);
}

TEST(Report, IsWrittenAgainByPullAndReportAndShowsTextAsText) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WriteSmallPipeline(stack.files());
  const std::string evil = "</script><img src=x onerror=document.body.remove()>";
  const std::string described = "A pipeline that takes a few seconds.";
  std::string text = Slurp(pipeline);
  ASSERT_THAT(text, HasSubstr(described));
  text.replace(text.find(described), described.size(), '"' + evil + '"');
  ASSERT_TRUE(files::WriteAtomically(pipeline, text).ok());
  const CommandResult result = stack.Tidemill({"run", pipeline, "--max-triggers", "2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const std::string run = std::to_string(result.Json().at("run").get<int64_t>());
  const std::string folder = stack.files() + "/pulled";
  for (int i = 0; i < 2; ++i) {
    const CommandResult pulled = stack.Tidemill({"pull", run, "--into", folder, "--json"});
    ASSERT_EQ(pulled.exit_code, 0) << pulled.err << stack.Logs();
    EXPECT_EQ(pulled.Json().at("folder"), folder);
  }
  for (const char* file : {"metrics.csv", "eval/matrix.csv", "events.jsonl", "decisions.jsonl",
                           "triggers/0002/decision.json", "resolved.yaml"}) {
    EXPECT_EQ(Slurp(folder + "/" + file),
              Slurp(fmt::format("{}/runs/small/{}/{}", stack.state(), run, file)))
        << file;
  }
  const std::string page = stack.files() + "/page.html";
  EXPECT_EQ(stack.Tidemill({"report", run, "-o", page}).exit_code, 0);
  EXPECT_EQ(Slurp(page), Slurp(folder + "/report.html"));
  const Shown shown = Browse(stack.files(), page, "--dump-dom");
  EXPECT_THAT(shown.log, Not(HasSubstr("CONSOLE")));
  EXPECT_THAT(shown.dom, HasSubstr("data-drawn=\"yes\""));
  EXPECT_THAT(shown.dom, HasSubstr("&lt;/script&gt;&lt;img src=x"));
  EXPECT_THAT(shown.dom, Not(HasSubstr("<img")));
  EXPECT_EQ(stack.Tidemill({"report", "9999"}).exit_code, 4);
  EXPECT_EQ(stack.Tidemill({"pull", run, "--into", stack.files()}).exit_code, 7);
}

TEST(Report, ShowsPoliciesThatWereTriedOnHistory) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const CommandResult result = stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const nlohmann::json run = result.Json();
  std::vector<std::string> command = {"backtest", "small", "--json"};
  for (const auto& [name, policy] : {std::pair("own", "{type: amount, samples: 250}"),
                                     std::pair("hourly", "{type: time, every: 1h}"),
                                     std::pair("never", "{type: never, first: 300}")}) {
    const std::string path = fmt::format("{}/{}.yaml", stack.files(), name);
    ASSERT_TRUE(files::WriteAtomically(path, policy).ok());
    command.insert(command.end(), {"--policy", path});
  }
  const std::string page = stack.files() + "/policies.html";
  command.insert(command.end(), {"--report", page});
  const CommandResult tried = stack.Tidemill(command);
  ASSERT_EQ(tried.exit_code, 0) << tried.err << stack.Logs();
  const nlohmann::json own = tried.Json().at("results").at(0);
  EXPECT_EQ(own.at("value").get<double>(), ActiveAccuracy(run));
  EXPECT_EQ(own.at("num_triggers"), run.at("models").size());
  EXPECT_EQ(tried.Json().at("matrix").at("run"), run.at("run"));

  const std::string picture = stack.files() + "/policies.png";
  const Shown shown = Browse(stack.files(), page,
                             "--dump-dom --screenshot='" + picture + "' --window-size=1200,2000");
  EXPECT_THAT(shown.log, Not(HasSubstr("CONSOLE")));
  EXPECT_THAT(shown.dom, HasSubstr("data-drawn=\"yes\""));
  EXPECT_THAT(shown.dom, HasSubstr(fmt::format("<td>{:.2f} %</td>", 100 * ActiveAccuracy(run))));
  EXPECT_EQ(Count(shown.dom, "<circle"), 3U);
  EXPECT_GT(ColoursOf(picture).size(), 50U);
  EXPECT_EQ(stack.Tidemill({"backtest", "small", "--run", "9999"}).exit_code, 4);
  EXPECT_EQ(stack.Tidemill({"backtest", "small", "--measure", "beauty"}).exit_code, 3);
}

}  // namespace
}  // namespace tidemill::tests
