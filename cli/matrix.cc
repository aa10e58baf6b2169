#include "cli/matrix.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fmt/format.h"

#include "base/time.h"
#include "cli/sample_mean.h"
#include "cli/text.h"

namespace tidemill::cli {
namespace {

using supervisor::v1::CompositeValue;
using supervisor::v1::EvaluationValue;
using supervisor::v1::GetRunResponse;

// With so few columns there is room for a decimal.
constexpr size_t kFewWindows = 8;

struct Matrix {
  int32_t evaluation = 0;
  std::string dataset;
  std::string measure;
  std::set<int64_t> triggers = {};
  std::set<WindowKey> windows = {};
  std::map<std::pair<int64_t, WindowKey>, double> values = {};
};

Cut ToCut(const rpc::v1::Cut& cut) { return {{cut.event_time()}, {cut.sample_key()}}; }

template <typename Value>
bool BelongsTo(const Value& value, const Matrix& matrix) {
  return value.evaluation() == matrix.evaluation && value.dataset() == matrix.dataset &&
         value.measure() == matrix.measure;
}

std::vector<Matrix> Collect(const GetRunResponse& run) {
  std::vector<Matrix> matrices;
  for (const EvaluationValue& value : run.evaluations()) {
    const bool only_detail = !value.has_value() && !value.detail().empty();
    if (!value.slice().empty() || only_detail) continue;
    auto at = std::find_if(matrices.begin(), matrices.end(),
                           [&](const Matrix& matrix) { return BelongsTo(value, matrix); });
    if (at == matrices.end()) {
      matrices.push_back({.evaluation = value.evaluation(),
                          .dataset = value.dataset(),
                          .measure = value.measure()});
      at = matrices.end() - 1;
    }
    const WindowKey window{ToCut(value.from()), ToCut(value.to())};
    at->triggers.insert(value.trigger());
    at->windows.insert(window);
    if (value.has_value()) at->values[{value.trigger(), window}] = value.value();
  }
  return matrices;
}

// Shares are shown as whole percent, other measures with one decimal.
bool IsShare(const Matrix& matrix) {
  return std::all_of(matrix.values.begin(), matrix.values.end(),
                     [](const auto& entry) { return entry.second >= 0 && entry.second <= 1; });
}

// A 256-colour background from red over yellow to green.
int HeatColour(double share) {
  static constexpr int kScale[] = {124, 166, 172, 178, 142, 106, 70, 34, 28};
  const auto index = static_cast<int>(std::clamp(share, 0.0, 0.999) * std::size(kScale));
  return kScale[index];
}

std::string Cell(std::optional<double> value, bool share, bool exact, bool active) {
  if (!value) return "    -" + std::string(active ? "*" : " ");
  const std::string number =
      share ? fmt::format("{:5.{}f}", *value * 100, exact ? 1 : 0) : fmt::format("{:5.3g}", *value);
  return number + (active ? "*" : " ");
}

// Weighted per sample; std::nullopt for a series without windows on this dataset.
std::optional<std::string> Mean(const google::protobuf::RepeatedPtrField<CompositeValue>& series,
                                const Matrix& matrix) {
  SampleMean mean;
  for (const CompositeValue& value : series) {
    if (BelongsTo(value, matrix)) mean.Add(value);
  }
  if (mean.num_samples() == 0) return std::nullopt;
  return fmt::format("{} per sample, over {} samples", mean.ToString(),
                     WithThousands(mean.num_samples()));
}

std::string TriggerDate(const GetRunResponse& run, int64_t number) {
  for (const auto& trigger : run.triggers()) {
    if (trigger.number() == number) {
      return FormatTimestampShort({trigger.at().event_time()}).substr(0, 10);
    }
  }
  return "";
}

std::string Draw(const GetRunResponse& run, const Matrix& matrix, bool paint) {
  std::set<std::pair<int64_t, WindowKey>> active;
  for (const CompositeValue& value : run.active()) {
    if (BelongsTo(value, matrix)) {
      active.insert({value.trigger(), {ToCut(value.from()), ToCut(value.to())}});
    }
  }
  const bool share = IsShare(matrix);
  double least = 0;
  double most = 1;
  if (!share) {
    for (const auto& [key, value] : matrix.values) most = std::max(most, value);
  }
  std::string text = fmt::format("{} on {}{}: model (row) by window (column)\n", matrix.measure,
                                 matrix.dataset, share ? ", in %" : "");
  text += fmt::format("{:>4} {:<10}", "", "trained to");
  for (size_t column = 0; column < matrix.windows.size(); ++column) {
    text += fmt::format("{:>5} ", column + 1);
  }
  text.back() = '\n';
  for (const int64_t trigger : matrix.triggers) {
    text += fmt::format("{:>4} {:<10}", trigger, TriggerDate(run, trigger));
    for (const WindowKey& window : matrix.windows) {
      const auto found = matrix.values.find({trigger, window});
      const auto value =
          found == matrix.values.end() ? std::nullopt : std::optional<double>(found->second);
      const std::string cell = Cell(value, share, matrix.windows.size() <= kFewWindows,
                                    active.contains({trigger, window}));
      if (paint && value) {
        const double position = (*value - least) / (most - least);
        text += fmt::format("\x1b[48;5;{}m\x1b[38;5;231m{}\x1b[0m",
                            HeatColour(share ? position : 1 - position), cell);
      } else {
        text += cell;
      }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  if (const auto mean = Mean(run.active(), matrix)) {
    text += fmt::format("  active (*, scored before it was trained on the window): {}\n", *mean);
  }
  if (const auto mean = Mean(run.trained(), matrix)) {
    text += fmt::format("  trained (scored on the window it was trained on):       {}\n", *mean);
  }
  return text;
}

}  // namespace

std::string DrawMatrices(const GetRunResponse& run, bool paint) {
  std::string text;
  for (const Matrix& matrix : Collect(run)) {
    if (!text.empty()) text += "\n";
    text += Draw(run, matrix, paint);
  }
  return text;
}

}  // namespace tidemill::cli
