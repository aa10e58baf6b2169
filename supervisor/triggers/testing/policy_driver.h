// Streams for tests, and policies that are driven through them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "supervisor/trials/trial_stream.h"
#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor::testing {

using trials::ManySamples;
using trials::Stream;

// Returns the samples 1 to n, one a second.
inline Stream EverySecond(int64_t n) {
  Stream stream;
  for (int64_t i = 0; i < n; ++i) {
    stream.times.push_back(i * 1'000'000);
    stream.keys.push_back(i + 1);
  }
  return stream;
}

// Returns the cost of a training in tests.
inline TrainingCost CostOf(const Decision& decision) {
  return {.num_samples = decision.num_new,
          .seconds = 0.002 + 1e-6 * static_cast<double>(decision.num_new)};
}

// Returns the next decision of a decider whose evidence cannot fail.
inline std::optional<Decision> NextOf(Decider& decider, Samples& ahead) {
  auto decision = decider.Next(ahead);
  EXPECT_TRUE(decision.ok()) << decision.status();
  return decision.ok() ? *std::move(decision) : std::nullopt;
}

// Shows the decider the samples from number `from` on, in batches of `chunk`, with a training after
// each fired decision. Returns the decisions. `at_decision` may replace the decider at each of
// them.
template <typename AtDecision>
std::vector<Decision> Drive(Decider decider, const Stream& stream, size_t from, size_t chunk,
                            const AtDecision& at_decision) {
  std::vector<Decision> decisions;
  for (Samples rest = stream.View().From(from); !rest.empty();) {
    const size_t size = std::min(chunk, rest.size());
    Samples ahead = rest.First(size);
    rest = rest.From(size);
    while (auto decision = NextOf(decider, ahead)) {
      at_decision(decider);
      if (decision->fired) decider.Learn(CostOf(*decision));
      decisions.push_back(*std::move(decision));
    }
  }
  return decisions;
}

inline std::vector<Decision> Drive(Decider decider, const Stream& stream, size_t from,
                                   size_t chunk) {
  return Drive(std::move(decider), stream, from, chunk, [](const Decider&) {});
}

inline Decider Make(const TriggerSpec& spec, const std::string& sealed = "",
                    EvidenceSource* source = nullptr) {
  auto decider = Decider::Create(spec, sealed, source);
  EXPECT_TRUE(decider.ok()) << decider.status();
  return *std::move(decider);
}

inline std::vector<Decision> Decide(const TriggerSpec& spec, const Stream& stream, size_t chunk,
                                    EvidenceSource* source = nullptr) {
  return Drive(Make(spec, "", source), stream, 0, chunk);
}

// Returns the number of samples before each cut.
inline std::vector<int64_t> Places(const std::vector<Decision>& decisions, const Stream& stream) {
  std::vector<int64_t> places;
  for (const Decision& decision : decisions) {
    int64_t before = 0;
    for (size_t i = 0; i < stream.keys.size(); ++i) {
      before += Cut{{stream.times[i]}, {stream.keys[i]}} < decision.at ? 1 : 0;
    }
    places.push_back(before);
  }
  return places;
}

}  // namespace tidemill::supervisor::testing
