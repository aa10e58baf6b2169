#include "tests/attack/attacked_stack.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fmt/format.h"

namespace tidemill::tests {

AttackedStack::AttackedStack() {
  const CommandResult up = stack_.Tidemill({"up"});
  EXPECT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
  data_ = stack_.files() + "/data";
  outside_ = stack_.files() + "/outside";
  for (const std::string& folder : {data_, outside_}) std::filesystem::create_directory(folder);
  std::ofstream(stack_.state() + "/data_roots") << data_ << "\n";
}

absl::Status AttackedStack::Submit(const supervisor::v1::SubmitPipelineRequest& request) const {
  const rpc::Peer peer = As(rpc::v1::ROLE_OPERATOR, "supervisor");
  const auto stub = supervisor::v1::SupervisorService::NewStub(rpc::Connect(peer));
  supervisor::v1::SubmitPipelineResponse response;
  return rpc::Call(peer, *stub, &supervisor::v1::SupervisorService::Stub::SubmitPipeline, request,
                   &response);
}

std::string PipelineOf(const Bait& bait) {
  return fmt::format(R"(version: 1
name: bait
datasets:
  d:
    {0}
    event_time: {{column: t}}
    label: {1}
preprocess:
  dataset: d
  graph:
    - {2}
    - stack: {{columns: all, into: input}}
    - label: {{into: target}}
model: {3}
trigger: {{type: amount, samples: 10}}
training: {{batch_size: 4, optimizer: {{type: sgd, lr: 0.1}}, loss: cross_entropy}}
)",
                     bait.dataset, bait.label, bait.graph_head, bait.model);
}

supervisor::v1::SubmitPipelineRequest SubmissionOf(const std::string& pipeline) {
  supervisor::v1::SubmitPipelineRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_pipeline(pipeline);
  request.set_file_name("pipeline.yaml");
  return request;
}

}  // namespace tidemill::tests
