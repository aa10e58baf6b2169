// Evidence with drift in it, to try policies on. The evidence about a sample is a function of its
// key.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/numbers/random.h"
#include "supervisor/trials/trial_stream.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor::trials {

// Samples drift when `drifted` returns true for their number in the stream. Their values are then
// shifted by a standard deviation, and the model errs in every second case instead of in one of
// ten. One sample in `missing_of` cannot be read.
class DriftingEvidence : public EvidenceSource {
 public:
  using IsDrifted = std::function<bool(int64_t number)>;

  explicit DriftingEvidence(const Stream& stream, IsDrifted drifted = &AlternatesEvery1250,
                            int64_t missing_of = 23, int64_t seed = 1)
      : stream_(stream), drifted_(std::move(drifted)), missing_of_(missing_of), seed_(seed) {}

  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    requests_.push_back(request);
    EvidenceTable table;
    table.width = WidthOf(request);
    for (const int64_t number : NumbersOf(request)) {
      if (IsMissing(number)) {
        ++table.num_missing;
        continue;
      }
      ++table.num_rows;
      table.keys.push_back(stream_.keys[static_cast<size_t>(number)]);
      for (int64_t i = 0; i < table.width; ++i) {
        table.values.push_back(ValueOf(request.kind, number, i));
      }
    }
    return table;
  }

  // Returns the numbers of the samples of a request, including missing ones.
  std::vector<int64_t> NumbersOf(const EvidenceRequest& request) const {
    const int64_t to = NumBefore(request.to);
    int64_t from = request.from ? NumBefore(*request.from) : 0;
    if (request.newest > 0) from = std::max(from, to - request.newest);
    std::vector<int64_t> numbers;
    for (int64_t number = from; number < to; ++number) numbers.push_back(number);
    if (request.most_rows == 0 || request.most_rows >= to - from) return numbers;
    const auto rank = [&](int64_t number) { return Unit("rank", number, 0); };
    std::sort(numbers.begin(), numbers.end(),
              [&](int64_t a, int64_t b) { return rank(a) < rank(b); });
    numbers.resize(static_cast<size_t>(request.most_rows));
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  bool IsMissing(int64_t number) const {
    return missing_of_ > 0 && stream_.keys[static_cast<size_t>(number)] % missing_of_ == 0;
  }
  // The requests so far, in order.
  const std::vector<EvidenceRequest>& requests() const { return requests_; }

  static bool AlternatesEvery1250(int64_t number) { return number / 1250 % 2 == 1; }

 private:
  static int64_t WidthOf(const EvidenceRequest& request) {
    if (request.kind == EvidenceKind::kEmbeddings) return 3;
    if (request.kind == EvidenceKind::kPredictions) return 2;
    if (request.kind == EvidenceKind::kOutcomes) return 3;
    return std::max<int64_t>(1, static_cast<int64_t>(request.columns.size()));
  }
  int64_t NumBefore(const Cut& cut) const {
    const auto first =
        std::lower_bound(stream_.times.begin(), stream_.times.end(), cut.event_time.micros);
    auto number = first - stream_.times.begin();
    const auto size = static_cast<ptrdiff_t>(stream_.keys.size());
    while (number < size && Cut{{stream_.times[static_cast<size_t>(number)]},
                                {stream_.keys[static_cast<size_t>(number)]}} < cut) {
      ++number;
    }
    return number;
  }
  double Unit(std::string_view purpose, int64_t number, int64_t column) const {
    const RandomKey key = {.seed = seed_, .purpose = purpose, .epoch = column};
    return RandomUnit(key, stream_.keys[static_cast<size_t>(number)]);
  }
  double ValueOf(EvidenceKind kind, int64_t number, int64_t column) const {
    const bool drifted = drifted_(number);
    const double u = Unit("value", number, column);
    if (kind == EvidenceKind::kErrors) return u < (drifted ? .5 : .1) ? 1 : 0;
    if (kind == EvidenceKind::kOutcomes) return OutcomeOf(number, column, drifted);
    if (kind == EvidenceKind::kLabels) return u < (drifted ? .8 : .4) ? 1 : 0;
    // A normal number, by Box and Muller.
    const double normal = std::sqrt(-2 * std::log(1 - u)) *
                          std::cos(6.283185307179586 * Unit("angle", number, column));
    return normal + (drifted ? 1 : 0);
  }

  // One of two classes, and the probabilities of both: as often wrong as the errors say.
  double OutcomeOf(int64_t number, int64_t column, bool drifted) const {
    const double label = Unit("label", number, 0) < .5 ? 1 : 0;
    if (column == 0) return label;
    const bool is_wrong = Unit("wrong", number, 0) < (drifted ? .5 : .1);
    const double of_top = .5 + .5 * Unit("probability", number, 0);
    const bool is_top = (static_cast<double>(column - 1) == label) != is_wrong;
    return is_top ? of_top : 1 - of_top;
  }

  const Stream& stream_;
  const IsDrifted drifted_;
  const int64_t missing_of_;
  const int64_t seed_;
  std::vector<EvidenceRequest> requests_;
};

}  // namespace tidemill::supervisor::trials
