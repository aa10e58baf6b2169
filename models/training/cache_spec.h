// The `cache` of a training: whether what the first ops of its graph make of samples is kept for
// the next epoch, trigger or job.
//
//   cache: auto
//   cache: {type: after, op: resize}
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/choice.h"
#include "config/config.h"

namespace tidemill::models {

// A cache and its settings. Thread-compatible.
class Cache : public config::Part<Cache> {
 public:
  static std::span<const config::Alternative<Cache>> Alternatives();

  virtual bool IsOff() const { return false; }
  // The op after which rows are kept; std::nullopt when it is not given.
  virtual std::optional<std::string> AfterOp() const { return std::nullopt; }
  virtual bool Equals(const Cache& other) const = 0;
};

using CacheSpec = config::Choice<Cache>;

struct AutoCache {
  static constexpr std::string_view kType = "auto";
  static constexpr std::string_view kDoc =
      "Measures what the ops cost and what they make, and keeps rows after the op where that saves "
      "most; nothing where it would save less than 5 %. Weights do not depend on it.";
  static constexpr bool kIsOff = false;
  void Fields(auto&&) {}
  friend bool operator==(const AutoCache&, const AutoCache&) = default;
};

struct NoCache {
  static constexpr std::string_view kType = "off";
  static constexpr std::string_view kDoc = "Prepares every sample again each time.";
  static constexpr bool kIsOff = true;
  void Fields(auto&&) {}
  friend bool operator==(const NoCache&, const NoCache&) = default;
};

struct CacheAfter {
  static constexpr std::string_view kType = "after";
  static constexpr std::string_view kDoc =
      "Keeps rows after an op. No op up to there may be random, and none after it may "
      "read records.";
  static constexpr bool kIsOff = false;
  std::string op = {};
  void Fields(auto&& field) {
    field("op", op,
          "The type of the op, or its place in the graph, from 1, where several have that type.",
          config::Limits{.required = true, .example = "resize"});
  }
  friend bool operator==(const CacheAfter&, const CacheAfter&) = default;
};

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::CacheSpec);
