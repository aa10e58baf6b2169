#include "trainer_server/ranks/gradient_sums.h"

#include <utility>

#include "torch/csrc/autograd/utils/lambda_post_hook.h"
#include "torch/csrc/autograd/variable.h"

namespace tidemill::trainer_server {

struct GradientSums::Bucket {
  std::vector<torch::Tensor> parameters = {};
  // The gradients one after the other, and then a number for each of them: in how many ranks there
  // is one.
  torch::Tensor numbers = {};
  int64_t num_waited_for = 0;  // The parameters whose gradient is still to come.

  int64_t num_parameters() const { return static_cast<int64_t>(parameters.size()); }
};

// Calls back when the gradient of a parameter is complete.
class GradientSums::Hooks {
 public:
  explicit Hooks(GradientSums& sums) {
    for (size_t bucket = 0; bucket < sums.buckets_.size(); ++bucket) {
      for (const torch::Tensor& parameter : sums.buckets_[bucket].parameters) {
        Add(parameter, [&sums, bucket] { sums.NoteGradient(bucket); });
      }
    }
  }
  ~Hooks() {
    for (const auto& [node, key] : keys_) node->del_post_hook(key);
  }
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;

 private:
  using Node = decltype(torch::autograd::impl::grad_accumulator(torch::Tensor()));
  using Variables = std::vector<torch::autograd::Variable>;

  template <typename Call>
  void Add(const torch::Tensor& parameter, const Call& call) {
    const Node node = torch::autograd::impl::grad_accumulator(parameter);
    const auto hook = [call](const Variables& outputs, const Variables&) {
      call();
      return outputs;
    };
    keys_.emplace_back(
        node, node->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(hook)));
  }

  // Autograd itself holds such a node only while a backward pass needs it.
  std::vector<std::pair<Node, uintptr_t>> keys_;
};

GradientSums::GradientSums(Ranks& ranks, const std::vector<torch::Tensor>& parameters,
                           int64_t bucket_bytes)
    : ranks_(ranks) {
  int64_t bytes = bucket_bytes;
  for (auto it = parameters.rbegin(); it != parameters.rend(); ++it) {
    if (!it->requires_grad()) continue;
    const bool fits = bytes < bucket_bytes &&
                      buckets_.back().parameters.back().scalar_type() == it->scalar_type();
    if (!fits) {
      buckets_.emplace_back();
      bytes = 0;
    }
    buckets_.back().parameters.push_back(*it);
    bytes += static_cast<int64_t>(it->nbytes());
  }
  for (Bucket& bucket : buckets_) {
    int64_t size = bucket.num_parameters();
    for (const torch::Tensor& parameter : bucket.parameters) size += parameter.numel();
    bucket.numbers = torch::zeros({size}, bucket.parameters.front().options().requires_grad(false));
  }
  hooks_ = std::make_unique<Hooks>(*this);
}

GradientSums::~GradientSums() = default;

void GradientSums::Begin() {
  is_open_ = true;
  num_sent_ = 0;
  status_ = absl::OkStatus();
  for (Bucket& bucket : buckets_) bucket.num_waited_for = bucket.num_parameters();
}

void GradientSums::NoteGradient(size_t bucket) {
  if (!is_open_) return;
  --buckets_[bucket].num_waited_for;
  SendReady();
}

void GradientSums::SendReady() {
  while (num_sent_ < buckets_.size() && buckets_[num_sent_].num_waited_for == 0) {
    Send(buckets_[num_sent_++]);
  }
}

void GradientSums::Send(Bucket& bucket) {
  const torch::NoGradGuard no_gradients;
  int64_t at = 0;
  int64_t flag = bucket.numbers.numel() - bucket.num_parameters();
  for (const torch::Tensor& parameter : bucket.parameters) {
    const torch::Tensor& gradient = parameter.grad();
    const torch::Tensor place = bucket.numbers.narrow(0, at, parameter.numel());
    if (gradient.defined()) {
      place.view_as(parameter).copy_(gradient);
    } else {
      place.zero_();
    }
    bucket.numbers.narrow(0, flag++, 1).fill_(gradient.defined() ? 1 : 0);
    at += parameter.numel();
  }
  if (status_.ok()) status_ = ranks_.BeginSum(bucket.numbers);
}

absl::Status GradientSums::Finish() {
  is_open_ = false;
  while (num_sent_ < buckets_.size()) Send(buckets_[num_sent_++]);
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(ranks_.FinishSums());
  const torch::NoGradGuard no_gradients;
  for (Bucket& bucket : buckets_) {
    const int64_t num_parameters = bucket.num_parameters();
    const int64_t num_numbers = bucket.numbers.numel() - num_parameters;
    const torch::Tensor flags = bucket.numbers.narrow(0, num_numbers, num_parameters).cpu();
    int64_t at = 0;
    for (int64_t i = 0; i < num_parameters; ++i) {
      torch::Tensor& parameter = bucket.parameters[static_cast<size_t>(i)];
      const torch::Tensor sum = bucket.numbers.narrow(0, at, parameter.numel());
      at += parameter.numel();
      parameter.mutable_grad().reset();
      // A view: the bucket is written again only when the next step has dropped it.
      if (flags[i].item<double>() > 0) parameter.mutable_grad() = sum.view_as(parameter);
    }
  }
  return absl::OkStatus();
}

}  // namespace tidemill::trainer_server
