// Trains on every sample.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

struct NoDownsampling {
  static constexpr std::string_view kType = "none";
  static constexpr std::string_view kDoc = "Each epoch trains on every sample.";
  static constexpr std::string_view kRule = "everything";
  static constexpr std::string_view kWeights = "those of the training set";
  static constexpr std::string_view kCost = "nothing";
  static constexpr std::string_view kSource = "";
  void Fields(auto&&) {}

  friend bool operator==(const NoDownsampling&, const NoDownsampling&) = default;
};

std::unique_ptr<const BlindMethod> MakeMethod(const NoDownsampling& spec);

template <>
class DownsamplingOf<NoDownsampling> final : public DownsamplingBase<NoDownsampling> {
 public:
  bool IsNone() const override { return true; }
};

}  // namespace tidemill::trainer_server
