// Streams for tests, and policies that are driven through them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor::testing {

struct Stream {
  std::vector<int64_t> times;
  std::vector<int64_t> keys;

  Samples View() const { return {times, keys}; }
};

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

// Times ascend in steps of 0 to 20 microseconds. Now and then there is a pause of a hundred steps.
inline Stream ManySamples(int64_t n = 5000) {
  Stream stream;
  uint64_t state = 7;
  int64_t time = 1'000'000;
  for (int64_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    time += static_cast<int64_t>((state >> 33) % 21);
    if ((state >> 40) % 500 == 0) time += 1000;
    stream.times.push_back(time);
    stream.keys.push_back((int64_t{1} << 44) + i);
  }
  return stream;
}

}  // namespace tidemill::supervisor::testing
