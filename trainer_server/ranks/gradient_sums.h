// Adds up the gradients of a network over ranks, while the backward pass still computes others.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "trainer_server/ranks/ranks.h"

namespace tidemill::trainer_server {

// Parameters are put into buckets, the last layers first, because their gradients are ready first.
// A bucket is sent when all its gradients are there and the buckets before it have been sent, so
// that all ranks send the same buckets in the same order. Thread-compatible.
class GradientSums {
 public:
  static constexpr int64_t kBucketBytes = int64_t{4} << 20;

  // `parameters` have the same order, shapes and types in all ranks. `ranks` must outlive this
  // object, and the parameters must not be replaced.
  GradientSums(Ranks& ranks, const std::vector<torch::Tensor>& parameters,
               int64_t bucket_bytes = kBucketBytes);
  ~GradientSums();
  GradientSums(const GradientSums&) = delete;
  GradientSums& operator=(const GradientSums&) = delete;

  // From now on, buckets are sent when a backward pass has computed their gradients. Call it before
  // the last backward pass of a step.
  void Begin();
  // Sends what has not been sent, and waits for all sums. Each parameter for which a rank has a
  // gradient then has the sum of all gradients, and the others have none. Returns the errors of
  // Ranks. Throws what libtorch throws.
  absl::Status Finish();

 private:
  struct Bucket;
  class Hooks;

  void NoteGradient(size_t bucket);
  void SendReady();
  void Send(Bucket& bucket);

  Ranks& ranks_;
  std::vector<Bucket> buckets_;
  bool is_open_ = false;  // Between Begin() and Finish().
  size_t num_sent_ = 0;
  absl::Status status_;
  std::unique_ptr<Hooks> hooks_;  // The last member: they use all members above.
};

}  // namespace tidemill::trainer_server
