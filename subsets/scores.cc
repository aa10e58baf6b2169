#include "subsets/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tidemill::subsets {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The greatest one's probability is 1 / (1 + others): its logarithm stays right where others are
// tiny.
void ToLogProbabilities(std::span<double> logits) {
  const auto top = std::max_element(logits.begin(), logits.end());
  const double greatest = *top;
  double others = 0;
  for (auto it = logits.begin(); it != logits.end(); ++it) {
    if (it != top) others += std::exp(*it - greatest);
  }
  const double log_sum = std::log1p(others);
  for (double& value : logits) value = (value - greatest) - log_sum;
}

// The logarithms of the probabilities of each row's classes; calls body(row, log probabilities),
// which returns the row's number. Rows with logits that are not finite get NaN.
template <typename Body>
void ForEachRow(const Rows& logits, std::span<double> numbers, Body&& body) {
  const bool binary = logits.width == 1;
  std::vector<double> logs(static_cast<size_t>(binary ? 2 : logits.width));
  for (int64_t row = 0; row < logits.num_rows; ++row) {
    const auto values = logits.Row(row);
    double& number = numbers[static_cast<size_t>(row)];
    number = kNone;
    if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }) ||
        values.empty()) {
      continue;
    }
    logs[0] = 0;
    std::copy(values.begin(), values.end(), logs.begin() + (binary ? 1 : 0));
    ToLogProbabilities(logs);
    number = body(row, std::span<const double>(logs));
  }
}

// As ForEachRow(), body(label, log probabilities), for rows whose label names a class.
template <typename Body>
void ForEachLabelled(const Rows& logits, std::span<const int64_t> labels, std::span<double> numbers,
                     Body&& body) {
  ForEachRow(logits, numbers, [&](int64_t row, std::span<const double> logs) {
    const int64_t label = labels[static_cast<size_t>(row)];
    if (label < 0 || label >= std::ssize(logs)) return kNone;
    return body(static_cast<size_t>(label), logs);
  });
}

// ||p - y||, of one logit |p - y|. One minus a probability is the sum of the others, which stays
// right where it is tiny.
double ErrorNorm(size_t label, std::span<const double> logs, bool binary) {
  double others = 0;
  double squares = 0;
  for (size_t i = 0; i < logs.size(); ++i) {
    if (i == label) continue;
    const double p = std::exp(logs[i]);
    others += p;
    squares += p * p;
  }
  return binary ? others : std::sqrt(squares + others * others);
}

}  // namespace

void Losses(const Rows& logits, std::span<const int64_t> labels, std::span<double> losses) {
  ForEachLabelled(logits, labels, losses,
                  [](size_t label, std::span<const double> logs) { return -logs[label]; });
}

void GradientNorms(const Rows& logits, std::span<const int64_t> labels, std::span<double> norms) {
  const bool binary = logits.width == 1;
  ForEachLabelled(logits, labels, norms, [&](size_t label, std::span<const double> logs) {
    return ErrorNorm(label, logs, binary);
  });
}

void LastLayerGradientNorms(const Rows& logits, std::span<const int64_t> labels,
                            const Rows& embeddings, std::span<double> norms) {
  GradientNorms(logits, labels, norms);
  for (int64_t row = 0; row < logits.num_rows; ++row) {
    double squares = 1;
    for (const float value : embeddings.Row(row)) squares += double{value} * double{value};
    norms[static_cast<size_t>(row)] *= std::sqrt(squares);
  }
}

void GreatestProbabilities(const Rows& logits, std::span<double> probabilities) {
  ForEachRow(logits, probabilities, [](int64_t, std::span<const double> logs) {
    return std::exp(*std::max_element(logs.begin(), logs.end()));
  });
}

void Margins(const Rows& logits, std::span<double> margins) {
  ForEachRow(logits, margins, [](int64_t, std::span<const double> logs) {
    double first = -std::numeric_limits<double>::infinity();
    double second = first;
    for (const double log : logs) {
      second = std::max(second, std::min(first, log));
      first = std::max(first, log);
    }
    return std::exp(first) - std::exp(second);
  });
}

void Entropies(const Rows& logits, std::span<double> entropies) {
  ForEachRow(logits, entropies, [](int64_t, std::span<const double> logs) {
    double entropy = 0;
    for (const double log : logs) entropy -= std::exp(log) * log;
    return entropy;
  });
}

}  // namespace tidemill::subsets
