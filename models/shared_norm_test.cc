#include "models/shared_norm.h"

#include <barrier>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace tidemill::models {
namespace {

constexpr int64_t kChannels = 3;

// Adds up over threads that call together.
class Meeting {
 public:
  explicit Meeting(int size) : arrive_(size), leave_(size, Forget{sum_}) {}
  void Sum(torch::Tensor& numbers) {
    {
      const std::lock_guard lock(mutex_);
      sum_ = sum_.defined() ? sum_ + numbers : numbers.clone();
    }
    arrive_.arrive_and_wait();
    numbers.copy_(sum_);
    leave_.arrive_and_wait();
  }

 private:
  struct Forget {
    torch::Tensor& sum;
    void operator()() noexcept { sum.reset(); }
  };

  torch::Tensor sum_;
  std::barrier<> arrive_;
  std::barrier<Forget> leave_;
  std::mutex mutex_;
};

struct Passed {
  torch::Tensor output;
  torch::Tensor input_gradient;
  torch::Tensor weight_gradient;
  torch::Tensor bias_gradient;
  torch::Tensor running_mean;
  torch::Tensor running_var;
};

// A forward and a backward pass, whose gradients are the numbers of `factors`.
template <typename Norm>
Passed Pass(Norm norm, const torch::Tensor& images, const torch::Tensor& factors) {
  const torch::Tensor input = images.clone().requires_grad_(true);
  {
    const torch::NoGradGuard no_gradients;
    norm->weight.copy_(torch::tensor({1.F, 2.F, -0.5F}));
    norm->bias.copy_(torch::tensor({0.F, 1.F, 3.F}));
  }
  const torch::Tensor output = norm->forward(input);
  (output * factors).sum().backward();
  return {output.detach(),   input.grad(),       norm->weight.grad(),
          norm->bias.grad(), norm->running_mean, norm->running_var};
}

TEST(SharedNorm, ABatchInPartsIsNormalisedAsOneBatch) {
  torch::manual_seed(1);
  const torch::Tensor images = torch::randn({7, kChannels, 4, 5}) * 3 + 10;
  const torch::Tensor factors = torch::randn({7, kChannels, 4, 5});
  const Passed whole = Pass(torch::nn::BatchNorm2d(kChannels), images, factors);
  const Passed alone = Pass(SharedBatchNorm2d(kChannels), images, factors);
  EXPECT_TRUE(torch::equal(alone.output, whole.output)) << "nothing has been set";

  Meeting meeting(3);
  SetSumOverParts([&](torch::Tensor& numbers) { meeting.Sum(numbers); });
  const int64_t borders[] = {0, 5, 5, 7};  // The second part has no row.
  std::vector<Passed> parts(3);
  {
    std::vector<std::jthread> threads;
    for (size_t part = 0; part < 3; ++part) {
      threads.emplace_back([&, part] {
        const int64_t rows = borders[part + 1] - borders[part];
        parts[part] = Pass(SharedBatchNorm2d(kChannels), images.narrow(0, borders[part], rows),
                           factors.narrow(0, borders[part], rows));
      });
    }
  }
  SetSumOverParts(nullptr);
  const auto near = [](const torch::Tensor& one, const torch::Tensor& other) {
    return torch::allclose(one, other, 1e-5, 1e-5);
  };
  EXPECT_TRUE(near(torch::cat({parts[0].output, parts[1].output, parts[2].output}), whole.output));
  EXPECT_TRUE(
      near(torch::cat({parts[0].input_gradient, parts[1].input_gradient, parts[2].input_gradient}),
           whole.input_gradient));
  EXPECT_TRUE(near(parts[0].weight_gradient + parts[1].weight_gradient + parts[2].weight_gradient,
                   whole.weight_gradient));
  EXPECT_TRUE(near(parts[0].bias_gradient + parts[1].bias_gradient + parts[2].bias_gradient,
                   whole.bias_gradient));
  for (const Passed& part : parts) {
    EXPECT_TRUE(near(part.running_mean, whole.running_mean));
    EXPECT_TRUE(near(part.running_var, whole.running_var));
  }
}

TEST(SharedNorm, ANetworkThatHasOneIsKnown) {
  EXPECT_TRUE(NormalisesOverBatch(*torch::nn::Sequential(SharedBatchNorm2d(1))));
  EXPECT_FALSE(NormalisesOverBatch(*torch::nn::Sequential(torch::nn::BatchNorm2d(1))));
}

}  // namespace
}  // namespace tidemill::models
