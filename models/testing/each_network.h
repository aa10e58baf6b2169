// What a case of the tests that every network must pass consists of. The tests and the cases are in
// networks_test.cc. A new network adds a case there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "torch/torch.h"

#include "models/network.h"
#include "models/training/losses/cross_entropy.h"
#include "models/training/losses/real_losses.h"
#include "models/training/optimizers/adam.h"

namespace tidemill::models {

inline constexpr int64_t kRows = 96;

// A task to learn.
struct Task {
  ModelSpec model;
  Inputs inputs;
  torch::Tensor target;
  LossSpec loss = CrossEntropy{};
  OptimizerSpec optimizer = Adam{.lr = 0.01};
};

inline torch::Tensor Ids(int64_t columns, int64_t limit) {
  return torch::randint(limit, {kRows, columns}, torch::kInt64);
}

// Whether the token 7 occurs in rows of 6 tokens that end in padding.
inline Task FindToken(const ModelSpec& model) {
  torch::Tensor tokens = torch::randint(1, 7, {kRows, 6}, torch::kInt64);
  tokens.slice(1, 4).zero_();
  const torch::Tensor target = torch::arange(kRows) % 2;
  tokens.select(1, 2).masked_fill_(target.to(torch::kBool), 7);
  return {model, {{"input", tokens}}, target};
}

// Whether two categories of two values differ. No sum of their effects can tell.
inline Task Differ(const ModelSpec& model, bool with_dense) {
  const torch::Tensor ids = Ids(2, 2);
  const torch::Tensor target = ids.select(1, 0).ne(ids.select(1, 1)).to(torch::kInt64);
  Task task{model, {{"input", ids}}, target};
  if (with_dense) task.inputs = {{"input", torch::randn({kRows, 3})}, {"input_categories", ids}};
  return task;
}

// The latest value and the slope before it, far from the initial outputs of networks.
inline Task Forecast(const ModelSpec& model) {
  const torch::Tensor series = torch::randn({kRows, 8, 2});
  const torch::Tensor values = series.select(2, 0);
  const torch::Tensor target = 30 + 5 * values.select(1, -1) + values.select(1, -2);
  return {model, {{"input", series}}, target, Huber{.delta = 2}, Adam{.lr = 0.03}};
}

inline Task Images(const ModelSpec& model, const std::vector<int64_t>& shape) {
  std::vector<int64_t> rows = shape;
  rows.insert(rows.begin(), 12);
  return {model, {{"input", torch::randn(rows)}}, torch::arange(12) % 3};
}

// A network, its task, and how well it must learn the task.
struct NetworkCase {
  std::string name;
  std::function<Task()> make;
  double below;  // The loss after 200 steps.
};

class EachNetwork : public ::testing::TestWithParam<NetworkCase> {};

}  // namespace tidemill::models
