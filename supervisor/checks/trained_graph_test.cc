#include "supervisor/checks/trained_graph.h"

#include "gmock/gmock.h"

#include "config/config.h"
#include "transform/target_scale.h"

namespace tidemill::supervisor {
namespace {

constexpr char kGraph[] =
    "- parse_csv: {columns: [wind]}\n- stack: {columns: all, into: input}\n- label: {}\n";

PipelineSpec Pipeline(const std::string& training, const std::string& graph = kGraph) {
  PipelineSpec pipeline;
  pipeline.preprocess.graph = *config::Read<transform::GraphSpec>(graph, "graph");
  pipeline.training = *config::Read<models::TrainingSpec>(training, "training");
  return pipeline;
}

TEST(TrainedGraph, StandardizesRealTargetsAtItsEnd) {
  for (const char* loss : {"loss: mse", "loss: l1", "loss: {type: huber, delta: 2}"}) {
    const transform::GraphSpec graph = TrainedGraph(Pipeline(loss));
    ASSERT_EQ(graph.size(), 4U) << loss;
    EXPECT_TRUE(transform::StandardizesTarget(graph[3].value)) << loss;
  }
}

TEST(TrainedGraph, IsTheOneOfThePipelineWhereNothingMustBeAdded) {
  const std::string standardized = std::string(kGraph) + "- standardize: {columns: [target]}\n";
  for (const PipelineSpec& pipeline :
       {Pipeline("loss: cross_entropy"), Pipeline("{loss: mse, standardize_target: false}"),
        Pipeline("loss: mse", standardized)}) {
    EXPECT_EQ(TrainedGraph(pipeline), pipeline.preprocess.graph);
  }
}

TEST(TrainingSpec, RefusesStandardizedClasses) {
  const auto read =
      config::Read<models::TrainingSpec>("{loss: cross_entropy, standardize_target: true}", "t");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(std::string(read.status().message()), ::testing::HasSubstr("is for real labels"));
}

}  // namespace
}  // namespace tidemill::supervisor
