// A stack with an attacker, who has a token other than a service's, and no shell.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/channel.h"
#include "tests/stack.h"
#include "tidemill/rpc/v1/rpc.pb.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::tests {

// A running local stack whose storage may read `data()`. Thread-compatible.
class AttackedStack {
 public:
  AttackedStack();

  // The folder that storage may read, and a folder that no caller may read. Both are empty.
  const std::string& data() const { return data_; }
  const std::string& outside() const { return outside_; }
  const Stack& stack() const { return stack_; }

  // Returns the peer of a service, with the token of a role.
  rpc::Peer As(rpc::v1::Role role, const std::string& service) const {
    return stack_.PeerOf(service, role);
  }

  // Returns the supervisor's answer to a submission of an operator.
  absl::Status Submit(const supervisor::v1::SubmitPipelineRequest& request) const;

 private:
  Stack stack_;
  std::string data_;
  std::string outside_;
};

// A pipeline over one dataset, `d`, that would train if there were data. The keys of the dataset
// besides its label are given: `{path: /data, files: "*.csv", format: csv}`.
struct Bait {
  std::string dataset;
  std::string label = "{column: y, classes: [cold, hot]}";
  std::string graph_head = "parse_csv: {columns: [a], dtype: float32}";
  std::string model = "{type: mlp, hidden: [4], outputs: 2}";
};
std::string PipelineOf(const Bait& bait);

// Uses a new request id.
supervisor::v1::SubmitPipelineRequest SubmissionOf(const std::string& pipeline);

}  // namespace tidemill::tests
