// Pages of runs of many sizes, on a phone, on paper: looked at in a browser, without a stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/run_directory/backtest_report.h"
#include "cli/run_directory/report.h"
#include "cli/run_directory/sweep_page.h"
#include "cli/run_directory/testing/example_run.h"
#include "tests/browser.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

constexpr const char* kDesktop = "--window-size=1280,2000";
constexpr const char* kPhone = "--window-size=500,2000";  // No window of Chromium is narrower.

class Pages : public ::testing::Test {
 protected:
  Pages() {
    std::string pattern = fs::temp_directory_path() / "pages-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~Pages() override { fs::remove_all(folder_); }

  // The page once it was drawn, and after `script`.
  std::string Draw(std::string page, const std::string& size, const std::string& script = "") {
    page.insert(page.rfind("</body>"), "<script>" + script + "</script>");
    const std::string path = folder_ + "/page.html";
    EXPECT_TRUE(files::WriteAtomically(path, page).ok());
    const Shown shown = Browse(folder_, path, "--dump-dom " + size);
    EXPECT_THAT(shown.log, Not(HasSubstr("CONSOLE")));
    EXPECT_THAT(shown.dom, HasSubstr("data-drawn=\"yes\""));
    // The scripts are not visible.
    return shown.dom.substr(0, shown.dom.find("<script"));
  }

  std::string folder_;
};

std::string RunPage(int num_windows) {
  return cli::ReportPage(cli::testing::ExampleRun("p", num_windows));
}

std::vector<std::string> FindAll(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

TEST_F(Pages, OfRunsOfAnyLengthAreDrawn) {
  for (const int num_windows : {2, 19, 201, 1001}) {
    EXPECT_THAT(Draw(RunPage(num_windows), kDesktop), HasSubstr("Timeline")) << num_windows;
  }
  EXPECT_THAT(Draw(RunPage(1), kDesktop), HasSubstr("no trigger fired"));
}

TEST_F(Pages, NamesOfTriggersDoNotCover) {
  // The last eighteen triggers of twenty-six come within two hours.
  auto record = cli::testing::ExampleRun("p", 27);
  for (int i = 8; i < 26; ++i) {
    const int64_t begin = record.run.triggers(7).at().event_time();
    record.run.mutable_triggers(i)->mutable_at()->set_event_time(begin + 400'000'000LL * (i - 7));
  }
  const std::string dom = Draw(cli::ReportPage(record), kDesktop);
  const std::regex name("<text x=\"([0-9.]+)\" y=\"14\" text-anchor=\"middle\">(#[0-9]+)</text>");
  double end = -1;
  int names = 0;
  for (std::sregex_iterator at(dom.begin(), dom.end(), name), last; at != last; ++at, ++names) {
    const double half = 3.5 * static_cast<double>((*at)[2].length());
    EXPECT_GT(std::stod((*at)[1]) - half, end);
    end = std::stod((*at)[1]) + half;
  }
  EXPECT_GE(names, 8);
}

TEST_F(Pages, OnAPhoneTheMatrixIsAsNarrowAsItsNumbers) {
  EXPECT_THAT(Draw(RunPage(12), kPhone), HasSubstr("class=\"heat tight\""));
  EXPECT_THAT(Draw(RunPage(12), kDesktop), HasSubstr("class=\"heat wide\""));
}

TEST_F(Pages, OnPaperEverythingIsFoldedOutAndFits) {
  const std::string print = "dispatchEvent(new Event('beforeprint'));";
  const std::string paper = Draw(RunPage(19), kDesktop, print);
  EXPECT_THAT(FindAll(paper, "<details( open)?"), AllOf(Each(" open"), Not(::testing::IsEmpty())));
  std::vector<int> widths;
  for (const std::string& width : FindAll(paper, "<svg width=\"([0-9]+)")) {
    widths.push_back(std::stoi(width));
  }
  EXPECT_THAT(widths, AllOf(Each(Le(680)), Not(::testing::IsEmpty())));
  const std::string after =
      Draw(RunPage(19), kDesktop, print + "dispatchEvent(new Event('afterprint'));");
  EXPECT_EQ(FindAll(after, "<details( open)?"),
            FindAll(Draw(RunPage(19), kDesktop), "<details( open)?"));
}

TEST_F(Pages, WhatIsFoldedOutStaysSoWhenThePageIsDrawnAgain) {
  const std::string open =
      "[...document.querySelectorAll('details')].find("
      "part => part.textContent.includes('The same as a table')).open = true; redrawAll();";
  EXPECT_THAT(Draw(RunPage(4), kDesktop, open),
              HasSubstr("<details open=\"\"><summary>The same as a table"));
}

TEST_F(Pages, TicksOfAnAxisDiffer) {
  cli::BacktestFinal final;
  final.set_num_samples(1461);
  final.set_last_time(1'461'000'000);
  for (int i = 0; i < 5; ++i) {
    auto& result = *final.add_results();
    result.set_name(fmt::format("policy {}", i));
    result.set_num_triggers(3);
    result.set_num_selected(1456 + i);
    result.set_mean_latency_seconds(100 + 0.01 * i);
  }
  const std::string dom = Draw(cli::BacktestPage("p", final), kDesktop);
  const auto ticks = FindAll(dom, "text-anchor=\"middle\">(1,4[0-9]+)</text>");
  EXPECT_THAT(ticks, ::testing::ElementsAre("1,456", "1,457", "1,458", "1,459", "1,460"));
  const auto rises = FindAll(dom, "text-anchor=\"end\">([0-9.,]+ s)</text>");
  EXPECT_GE(rises.size(), 3U);
  EXPECT_EQ(std::set<std::string>(rises.begin(), rises.end()).size(), rises.size());
}

// A sweep over one key: the last setting has failed, the first was halved.
nlohmann::ordered_json SweepOf(int num_settings, bool has_values) {
  auto sweep = nlohmann::ordered_json::parse(R"({"sweep": "p-1", "pipeline": "p", "file": "p.yaml",
    "measure": "accuracy", "dataset": "d", "lower_is_better": false, "seed_key": "training.seed",
    "seeds": [], "halving": {"unit": "triggers", "rungs": [{"effort": 1, "settings": 2}]},
    "settings": [], "best": null, "best_pipeline": null, "seconds": 3,
    "axes": [{"key": "training.optimizer.lr", "values": ["1e-3", "<b>"]}]})");
  for (int i = 0; i < num_settings; ++i) {
    auto setting = nlohmann::ordered_json::parse(R"({"values": {"training.optimizer.lr": "<b>"},
      "fate": "done", "why": "done", "rung": 2, "place": 1, "value": null, "baseline": null,
      "training_seconds": 1.5, "runs": [{"run": 7, "rung": 2, "windows": [
      {"from": "2020-01-01T00:00:00Z", "to": "2020-02-01T00:00:00Z", "trigger": 1, "value": 0.5},
      {"from": "2020-02-01T00:00:00Z", "to": "2020-03-01T00:00:00Z", "trigger": 2, "value": 0.7}]}]})");
    setting["setting"] = i + 1;
    if (has_values) {
      setting.update({{"value", 0.5 + 0.001 * i}, {"low", 0.4}, {"high", 0.8}, {"baseline", 0.3}});
      setting["baseline_name"] = "constant";
    }
    sweep["settings"].push_back(setting);
  }
  if (has_values) sweep["best"] = num_settings;
  return sweep;
}

TEST_F(Pages, OfSweepsHaveAPointAndACurveForEachSetting) {
  for (const int num_settings : {1, 12, 200}) {
    const std::string dom = Draw(cli::SweepPage(SweepOf(num_settings, true)), kDesktop);
    EXPECT_THAT(FindAll(dom, "<(circle) "), ::testing::SizeIs(num_settings));
    EXPECT_THAT(FindAll(dom, "<(path) "), ::testing::SizeIs(num_settings));
    EXPECT_THAT(dom, AllOf(HasSubstr("Value by setting"), HasSubstr("lr=&lt;b&gt;")));
  }
  EXPECT_THAT(Draw(cli::SweepPage(SweepOf(3, true)), kPhone), HasSubstr("best, done"));
  EXPECT_THAT(Draw(cli::SweepPage(SweepOf(3, false)), kDesktop),
              AllOf(HasSubstr("All settings"), Not(HasSubstr("Value by setting"))));
}

}  // namespace
}  // namespace tidemill::tests
