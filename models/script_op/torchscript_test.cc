// The op with real processes that run real programs.
#include "transform/ops/torchscript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "torch/script.h"

#include "base/testing/status_matchers.h"
#include "transform/script_rules/testing/made_archive.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::Spec;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// A program with this forward(), as the supervisor would put it into a graph.
std::string Program(const std::string& forward) {
  torch::jit::Module module("Program");
  module.register_parameter("scale", torch::tensor({10.0F}), false);
  module.define(forward);
  std::ostringstream file;
  module.save(file);
  return absl::Base64Escape(file.str());
}

constexpr char kTimesTen[] = "def forward(self, x):\n  return x * self.scale\n";

// Reads a number, which becomes `input` by the program.
Graph GraphOf(const std::string& program, Duration timeout = {60'000'000}) {
  return MustBuild(
      Spec(ParseCsvSpec{.columns = {"x"}},
           TorchScriptSpec{
               .program = program, .columns = {"x"}, .into = "input", .timeout = timeout}),
      CsvSchema({"x"}));
}

std::vector<std::string> Count(int64_t count) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < count; ++i) texts.push_back(std::to_string(i));
  return texts;
}

// Processes of this one that run programs.
std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

TEST(TorchScriptOp, RunsTheProgramOnTheRows) {
  const Graph graph = GraphOf(Program(kTimesTen));
  const auto made = graph.Run(MakeSamples({"1", "-2", "0.5"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(Numbers<float>(made->batch, "input"), ElementsAre(10, -20, 5));
}

TEST(TorchScriptOp, TakesSeveralColumnsAndMakesRowsOfAnyShapeAndType) {
  const Graph graph =
      MustBuild(Spec(ParseCsvSpec{.columns = {"x", "y"}},
                     TorchScriptSpec{.program = Program("def forward(self, y, x):\n"
                                                        "  return torch.stack([x, y], 1).long()\n"),
                                     .columns = {"y", "x"},
                                     .dtype = CastType::kInt64,
                                     .shape = {2},
                                     .into = "input"}),
                CsvSchema({"x", "y"}));
  const auto made = graph.Run(MakeSamples({"1,2", "3,4"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(Numbers<int64_t>(made->batch, "input"), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(graph.input().shape, std::vector<int64_t>{2});
}

TEST(TorchScriptOp, MakesTheSameOfARowWhateverComesWithIt) {
  // A product of matrices, whose order of summation depends on how many rows there are.
  const Graph graph = MustBuild(
      Spec(ParseCsvSpec{.columns = {"x"}},
           TorchScriptSpec{
               .program =
                   Program("def forward(self, x):\n"
                           "  row = torch.sin(x.unsqueeze(1) * torch.arange(1, 300).unsqueeze(0))\n"
                           "  return torch.matmul(row, torch.cos(torch.arange(299 * 3) * "
                           "0.1).view(299, 3))\n"),
               .columns = {"x"},
               .shape = {3},
               .into = "input"}),
      CsvSchema({"x"}));
  const batch::Batch samples = MakeSamples(Count(300));
  const auto whole = testing::RunInBlocks(graph, samples, nullptr, 300);
  ASSERT_THAT(whole, IsOk());
  for (const int64_t block : {1, 7, 64}) {
    const auto cut = testing::RunInBlocks(graph, samples, nullptr, block);
    ASSERT_THAT(cut, IsOk());
    EXPECT_EQ(Numbers<float>(cut->batch, "input"), Numbers<float>(whole->batch, "input"));
  }
}

TEST(TorchScriptOp, ARowOfWhichTheProgramRaisesAnErrorIsABadSample) {
  const Graph graph =
      GraphOf(Program("def forward(self, x):\n"
                      " assert bool((x != 3).all()), 'three is not a number'\n return x\n"));
  const auto made = graph.Run(MakeSamples(Count(200)), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->batch.num_rows(), 199);
  ASSERT_EQ(made->bad.size(), 1u);
  EXPECT_EQ(made->bad[0].row, 3);
  EXPECT_THAT(made->bad[0].reason, HasSubstr("three is not a number"));
}

TEST(TorchScriptOp, ARowThatTakesForeverCostsTheRow) {
  const Graph graph = GraphOf(Program("def forward(self, x):\n"
                                      "  y = x\n"
                                      "  while bool((y == 2).any()):\n"
                                      "    y = x * 1\n"
                                      "  return y\n"),
                              Duration{300'000});
  const auto made = graph.Run(MakeSamples({"1", "2", "3"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(Numbers<float>(made->batch, "input"), ElementsAre(1, 3));
  ASSERT_EQ(made->bad.size(), 1u);
  EXPECT_THAT(made->bad[0].reason, HasSubstr("it took longer than 0.3 s"));
}

TEST(TorchScriptOp, AProcessThatDiesIsReplacedAndNothingIsLost) {
  const Graph graph = GraphOf(Program(kTimesTen));
  ASSERT_THAT(graph.Run(MakeSamples({"1"}), nullptr), IsOk());
  const std::vector<pid_t> children = Children();
  ASSERT_EQ(children.size(), 1u);
  kill(children[0], SIGKILL);
  const auto made = graph.Run(MakeSamples(Count(3)), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(Numbers<float>(made->batch, "input"), ElementsAre(0, 10, 20));
  EXPECT_TRUE(made->bad.empty());
}

TEST(TorchScriptOp, EndsItsProcessesWithTheGraph) {
  {
    const Graph graph = GraphOf(Program(kTimesTen));
    ASSERT_THAT(graph.Run(MakeSamples({"1"}), nullptr), IsOk());
    EXPECT_EQ(Children().size(), 1u);
  }
  EXPECT_TRUE(Children().empty());
}

TEST(TorchScriptOp, ThreadsHaveAProcessEach) {
  const Graph graph = GraphOf(Program(kTimesTen));
  std::vector<std::vector<float>> made(4);
  {
    std::vector<std::jthread> threads;
    for (auto& numbers : made) {
      threads.emplace_back([&graph, &numbers] {
        const auto run = graph.Run(MakeSamples(Count(100)), nullptr);
        ASSERT_THAT(run, IsOk());
        numbers = Numbers<float>(run->batch, "input");
      });
    }
  }
  for (const auto& numbers : made) EXPECT_EQ(numbers, made[0]);
  EXPECT_EQ(made[0].size(), 100u);
  EXPECT_LE(Children().size(), 4u);
}

TEST(TorchScriptOp, SaysWhatIsWrongWithAProgram) {
  EXPECT_THAT(GraphOf(absl::Base64Escape("no program")).Run(MakeSamples({"1"}), nullptr).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot be loaded")));
  const auto made = GraphOf(Program("def forward(self, x):\n  return x.sum()\n"))
                        .Run(MakeSamples({"1"}), nullptr);
  ASSERT_THAT(made, IsOk());
  ASSERT_EQ(made->bad.size(), 1u);
  EXPECT_THAT(made->bad[0].reason, HasSubstr("forward() gives Float [] instead of Float [64]"));
}

TEST(TorchScriptOp, AProgramThatIsNotArithmeticIsNeverRun) {
  const std::string made = ::testing::TempDir() + "made_by_a_program";
  std::filesystem::remove(made);
  const std::vector<std::string> bodies = models::testing::HostileBodies();
  // Each takes a process; all of them are tried with networks, which the same code loads.
  for (size_t i = 0; i < bodies.size(); i += 6) {
    const std::string& body = bodies[i];
    const Graph graph = GraphOf(absl::Base64Escape(models::testing::NetworkOf(body)));
    EXPECT_THAT(graph.Run(MakeSamples({"1"}), nullptr).status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("not among the operators that a script may use")))
        << body;
  }
  const auto ran = GraphOf(Program("def forward(self, x):\n  return torch.from_file('" + made +
                                   "', True, 64)\n"))
                       .Run(MakeSamples({"1"}), nullptr);
  EXPECT_THAT(ran.status(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("from_file")));
  EXPECT_FALSE(std::filesystem::exists(made));
}

// The line of /proc/PID/status that begins with this.
std::string StatusLine(pid_t pid, const std::string& begin) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(begin)) return line.substr(begin.size());
  }
  return "";
}

TEST(TorchScriptOp, ItsProcessMayNotCallTheSystemForMore) {
  const Graph graph = GraphOf(Program(kTimesTen));
  ASSERT_THAT(graph.Run(MakeSamples({"1"}), nullptr), IsOk());
  ASSERT_EQ(Children().size(), 1u);
  EXPECT_EQ(StatusLine(Children()[0], "NoNewPrivs:\t"), "1");
  EXPECT_EQ(StatusLine(Children()[0], "Seccomp:\t"), "2");
}

TEST(TorchScriptOp, IsRefusedForTextsAndWithoutAProgram) {
  const auto problems =
      Graph::Check(Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kString},
                        TorchScriptSpec{.program = "AA==", .columns = {"x"}, .into = "input"}),
                   CsvSchema({"x"}));
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].field, "columns");
  EXPECT_THAT(problems[0].message, HasSubstr("holds text"));
}

}  // namespace
}  // namespace tidemill::transform
