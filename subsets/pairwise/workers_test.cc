// Pairwise selection by worker processes: how many there are, what becomes of them and how much
// memory they have changes nothing that is chosen.
#include <fstream>

#include "gmock/gmock.h"

#include "base/process/program_folder.h"
#include "subsets/pairwise/testing/small_graphs.h"

namespace tidemill::subsets {
namespace {

using ::testing::AllOf;
using testing::Choose;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

std::string Program(const std::string& name) { return *process::ProgramFolder() + "/" + name; }

constexpr int64_t kNodes = 20'000;
const ImplicitGraphSpec kGraph{.num_nodes = kNodes, .neighbors = 10, .seed = 3};

PairwiseOptions Options() {
  return {.count = 2000,
          .alpha = .9,
          .partitions = 5,
          .rounds = 3,
          .least_progress = .05,
          .seed = 4,
          .range_nodes = 4096};
}

TEST(RunInWorkers, OneSevenAndNoneChooseTheSame) {
  PairwiseOptions options = Options();
  const auto expected = Choose(kGraph, kNodes, options);
  ASSERT_THAT(expected, IsOk());
  ASSERT_GT(expected->outcome.num_discarded, 0);
  ASSERT_GT(expected->outcome.rounds.size(), 1U);
  options.workers.program = Program("tidemill-select-worker");
  for (const int64_t workers : {1, 7}) {
    options.workers.count = workers;
    const auto chosen = Choose(kGraph, kNodes, options);
    ASSERT_THAT(chosen, IsOk());
    EXPECT_EQ(chosen->nodes, expected->nodes);
    EXPECT_EQ(chosen->outcome.objective, expected->outcome.objective);
    EXPECT_EQ(chosen->outcome.num_repeated_tasks, 0);
  }
}

TEST(RunInWorkers, TheWorkOfOneThatIsKilledIsDoneByAnother) {
  PairwiseOptions options = Options();
  const auto expected = Choose(kGraph, kNodes, options);
  options.workers.program = Program("pairwise_dying_worker");
  const auto chosen = Choose(kGraph, kNodes, options);
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ(chosen->nodes, expected->nodes);
  EXPECT_EQ(chosen->outcome.objective, expected->outcome.objective);
  // Bounding, counting, deciding, dealing, picking and adding up; drawing where there is an excess.
  EXPECT_GE(chosen->outcome.num_repeated_tasks, 6);
}

TEST(RunInWorkers, ATaskThatKillsEveryWorkerIsGivenUp) {
  const testing::TestFolder folder;
  std::ofstream(folder.path() + "/always") << "";
  PairwiseOptions options = Options();
  options.workers.program = Program("pairwise_dying_worker");
  EXPECT_THAT(SelectPairwise(kGraph, options, folder.path()),
              StatusIs(absl::StatusCode::kInternal,
                       AllOf(HasSubstr("bounding nodes 0 to 4096"), HasSubstr("signal 9"),
                             HasSubstr("use more partitions or fewer workers"))));
}

TEST(RunInWorkers, APartThatDoesNotFitIntoAWorkerSaysHowManyWould) {
  PairwiseOptions options{.count = 100'000, .alpha = .5, .partitions = 1, .bounding = false};
  options.workers.program = Program("tidemill-select-worker");
  options.workers.memory = int64_t{32} << 20;
  const ImplicitGraphSpec graph{.num_nodes = 1'000'000};
  EXPECT_THAT(Choose(graph, graph.num_nodes, options),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("part 1 of 1"), HasSubstr("1000000 nodes"),
                             HasSubstr("may hold 32 MiB: use at least 2 partitions"))));
  options.partitions = 2;
  EXPECT_THAT(Choose(graph, graph.num_nodes, options), IsOk());
}

// Workers of sanitized programs have no limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(RunInWorkers, AWorkerThatGetsNoMemorySaysSo) {
  PairwiseOptions options{.count = 100'000, .alpha = .5, .partitions = 2, .bounding = false};
  options.workers.program = Program("tidemill-select-worker");
  options.workers.memory = int64_t{4} << 20;
  // Dealing a range takes eight bytes for each of its nodes.
  options.range_nodes = int64_t{1} << 20;
  const ImplicitGraphSpec graph{.num_nodes = 1'000'000};
  EXPECT_THAT(Choose(graph, graph.num_nodes, options),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("a worker may hold 4 MiB, which is not enough")));
}
#endif

TEST(RunInWorkers, NeedsAProgram) {
  PairwiseOptions options = Options();
  options.workers.program = "/nowhere/tidemill-select-worker";
  EXPECT_THAT(Choose(kGraph, kNodes, options),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere/tidemill-select-worker")));
  options.workers = {.program = Program("tidemill-select-worker"), .count = 0};
  EXPECT_THAT(Choose(kGraph, kNodes, options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("0 workers")));
}

}  // namespace
}  // namespace tidemill::subsets
