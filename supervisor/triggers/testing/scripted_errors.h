// Errors of a model that a test defines.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "supervisor/triggers/evidence.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor::testing {

// One sample per second, with keys from 1 on.
inline Stream SteadySamples(int64_t n) {
  Stream stream;
  for (int64_t i = 0; i < n; ++i) {
    stream.times.push_back(i * 1'000'000);
    stream.keys.push_back(i + 1);
  }
  return stream;
}

// Returns the error of a sample of SteadySamples() by its number, from 0. std::nullopt when the
// sample cannot be read.
class ScriptedErrors : public EvidenceSource {
 public:
  using ErrorOf = std::function<std::optional<double>(int64_t number)>;
  explicit ScriptedErrors(ErrorOf error_of) : error_of_(std::move(error_of)) {}

  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    EXPECT_EQ(request.kind, EvidenceKind::kErrors);
    EvidenceTable table;
    for (int64_t number = NumBefore(*request.from); number < NumBefore(request.to); ++number) {
      const auto error = error_of_(number);
      if (!error) {
        ++table.num_missing;
        continue;
      }
      ++table.num_rows;
      table.values.push_back(*error);
    }
    return table;
  }

 private:
  static int64_t NumBefore(const Cut& cut) {
    const int64_t number = cut.event_time.micros / 1'000'000;
    return cut.sample_key.value > number + 1 ? number + 1 : number;
  }

  const ErrorOf error_of_;
};

}  // namespace tidemill::supervisor::testing
