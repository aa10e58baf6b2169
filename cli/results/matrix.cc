#include "cli/results/matrix.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fmt/format.h"

#include "base/time.h"
#include "cli/results/baselines.h"
#include "cli/results/ledger.h"
#include "cli/results/result_tables.h"
#include "cli/results/run_measures.h"
#include "cli/results/sample_mean.h"
#include "cli/terminal/matrix_layout.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using supervisor::v1::CompositeValue;
using supervisor::v1::EvaluationValue;
using supervisor::v1::GetRunResponse;

// With so few columns there is room for a decimal.
constexpr size_t kFewWindows = 8;
// If not everything fits, draws this many matrices, and only the means of the others.
constexpr size_t kMaxDrawn = 3;
constexpr size_t kLeastLines = 4;
constexpr size_t kLinesAround = 8;  // The lines of a matrix beside its rows.

struct Matrix {
  int32_t evaluation = 0;
  std::string dataset;
  std::string measure;
  std::shared_ptr<const evaluator::Measure> of_pipeline = nullptr;
  std::set<int64_t> triggers = {};
  std::set<WindowKey> windows = {};
  std::map<std::pair<int64_t, WindowKey>, double> values = {};
  // Those that have samples, but no value.
  std::set<std::pair<int64_t, WindowKey>> undefined = {};
};

template <typename Value>
bool BelongsTo(const Value& value, const Matrix& matrix) {
  return value.evaluation() == matrix.evaluation && value.dataset() == matrix.dataset &&
         value.measure() == matrix.measure;
}

// The windows of a dataset have one number each, whether a measure has a value for them or not.
using Windows = std::map<std::pair<int32_t, std::string>, std::set<WindowKey>>;

Windows WindowsOf(const GetRunResponse& run) {
  Windows windows;
  for (const EvaluationValue& value : run.evaluations()) {
    windows[{value.evaluation(), value.dataset()}].insert({ToCut(value.from()), ToCut(value.to())});
  }
  return windows;
}

std::vector<Matrix> Collect(const GetRunResponse& run) {
  const Windows windows = WindowsOf(run);
  std::vector<Matrix> matrices;
  for (const EvaluationValue& value : run.evaluations()) {
    const bool only_detail = !value.has_value() && !value.detail().empty();
    if (!value.slice().empty() || only_detail) continue;
    auto at = std::find_if(matrices.begin(), matrices.end(),
                           [&](const Matrix& matrix) { return BelongsTo(value, matrix); });
    if (at == matrices.end()) {
      matrices.push_back({.evaluation = value.evaluation(),
                          .dataset = value.dataset(),
                          .measure = value.measure(),
                          .of_pipeline = PluginMeasureOf(run, value.evaluation(), value.measure()),
                          .windows = windows.at({value.evaluation(), value.dataset()})});
      at = matrices.end() - 1;
    }
    const WindowKey window{ToCut(value.from()), ToCut(value.to())};
    at->triggers.insert(value.trigger());
    if (value.has_value()) {
      at->values[{value.trigger(), window}] = value.value();
    } else if (value.num_samples() > 0) {
      at->undefined.insert({value.trigger(), window});
    }
  }
  return matrices;
}

// Shares are shown in percent.
std::string Number(double value, bool share, bool exact) {
  return share ? fmt::format("{:.{}f}", value * 100, exact ? 1 : 0) : fmt::format("{:.3g}", value);
}

// As evaluator::Pool() makes it; std::nullopt for a series without windows on this dataset.
std::optional<std::string> Mean(const google::protobuf::RepeatedPtrField<CompositeValue>& series,
                                const Matrix& matrix) {
  SampleMean mean(matrix.of_pipeline);
  MeasuredShare share;
  for (const CompositeValue& value : series) {
    if (!BelongsTo(value, matrix)) continue;
    mean.Add(value);
    share.Add(value);
  }
  if (const std::string missing = mean.Missing(); !missing.empty()) {
    return fmt::format("unknown over all windows: {}", Printable(missing));
  }
  if (mean.num_samples() == 0) return std::nullopt;
  return fmt::format("{} {}, over {}{} samples{}", mean.ToString(), mean.How(),
                     WithThousands(mean.num_samples()), share.OfKnown(), share.Lost());
}

// When the models of the rows were trained to: days, or minutes where days are the same.
std::map<int64_t, std::string> TimesOf(const GetRunResponse& run, const std::set<int64_t>& rows) {
  std::map<int64_t, std::string> times;
  for (const size_t digits : {size_t{10}, size_t{16}}) {
    std::set<std::string> distinct;
    for (const auto& trigger : run.triggers()) {
      if (!rows.contains(trigger.number())) continue;
      times[trigger.number()] = FormatTimestampShort({trigger.at().event_time()}).substr(0, digits);
      distinct.insert(times[trigger.number()]);
    }
    if (distinct.size() == times.size()) break;
  }
  return times;
}

// One matrix, drawn in the room of a view.
class MatrixDrawing {
 public:
  // `num_lines`: the largest number of models to show.
  MatrixDrawing(const GetRunResponse& run, const Matrix& matrix, const View& view, size_t num_lines)
      : run_(run), matrix_(matrix), view_(view), share_(IsShare(matrix.measure)) {
    for (const CompositeValue& value : run.active()) {
      if (!BelongsTo(value, matrix)) continue;
      active_.insert({value.trigger(), {ToCut(value.from()), ToCut(value.to())}});
    }
    ChooseRows(num_lines);
    ChooseColumns();
    for (const auto& [key, value] : matrix.values) {
      if (!std::isfinite(value)) continue;
      least_ = least_ ? std::min(*least_, value) : value;
      most_ = most_ ? std::max(*most_, value) : value;
    }
  }

  std::string ToString() const {
    std::string text =
        Wrapped(fmt::format("{} on {}{}: model (row) by window (column)", matrix_.measure,
                            matrix_.dataset, share_ ? ", in %" : InUnit()),
                view_, 0);
    if (!rows_.empty()) text += Header();
    for (const int64_t trigger : rows_) text += Row(trigger);
    if (!matrix_.undefined.empty()) {
      text += Wrapped("?: there are samples, but no value, as of one class alone", view_, 2);
    }
    return text + LeftOut();
  }

 private:
  std::string InUnit() const {
    const std::string unit =
        matrix_.of_pipeline == nullptr ? "" : Printable(matrix_.of_pipeline->Unit());
    return unit.empty() ? "" : ", in " + unit;
  }

  using Column = std::pair<size_t, WindowKey>;  // With the window's number.

  void ChooseRows(size_t num_lines) {
    const std::vector<int64_t> all(matrix_.triggers.begin(), matrix_.triggers.end());
    for (const size_t row : Spread(all.size(), view_.full ? all.size() : num_lines)) {
      rows_.push_back(all[row]);
    }
    times_ = TimesOf(run_, {rows_.begin(), rows_.end()});
    for (const auto& [trigger, time] : times_) time_width_ = std::max(time_width_, time.size());
  }

  // If only some windows fit, windows in which a shown model was active come first.
  void ChooseColumns() {
    const std::vector<WindowKey> all(matrix_.windows.begin(), matrix_.windows.end());
    width_ = fmt::formatted_size("{}", all.size());
    const bool exact = all.size() <= kFewWindows;
    for (const auto& [key, value] : matrix_.values) {
      width_ = std::max(width_, Number(value, share_, exact).size());
    }
    const auto room = static_cast<size_t>(std::max(view_.width, 0));
    const size_t label = 5 + time_width_;
    const size_t fitting = room > label ? (room - label) / (width_ + 2) : 0;
    const auto in_use = [&](size_t column) {
      return std::any_of(rows_.begin(), rows_.end(), [&](int64_t trigger) {
        return active_.contains({trigger, all[column]});
      });
    };
    const size_t most = view_.full ? all.size() : std::max<size_t>(fitting, 1);
    for (const size_t column : SpreadTo(all.size(), most, in_use)) {
      columns_.emplace_back(column + 1, all[column]);
    }
  }

  std::string Header() const {
    std::string text = fmt::format("{:>4} {:<{}}", "", "trained to", time_width_);
    for (const Column& column : columns_) text += fmt::format(" {:>{}} ", column.first, width_);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  std::string Row(int64_t trigger) const {
    const auto time = times_.find(trigger);
    std::string text =
        fmt::format("{:>4} {:<{}}", trigger, time == times_.end() ? "" : time->second, time_width_);
    for (const Column& column : columns_) text += Cell(trigger, column.second);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  std::string Cell(int64_t trigger, const WindowKey& window) const {
    const auto found = matrix_.values.find({trigger, window});
    const bool known = found != matrix_.values.end();
    const bool exact = matrix_.windows.size() <= kFewWindows;
    const char* const none = matrix_.undefined.contains({trigger, window}) ? "?" : "-";
    const std::string cell =
        fmt::format(" {:>{}}{}", known ? Number(found->second, share_, exact) : none, width_,
                    active_.contains({trigger, window}) ? "*" : " ");
    return view_.paint && known ? Painted(cell, ColourOf(Goodness(found->second))) : cell;
  }

  // From the worst value of the matrix, 0, to its best, 1.
  double Goodness(double value) const {
    if (!least_ || *most_ <= *least_) return 1;
    const double place = (value - *least_) / (*most_ - *least_);
    const bool lower = matrix_.of_pipeline == nullptr ? LowerIsBetter(matrix_.measure)
                                                      : matrix_.of_pipeline->LowerIsBetter();
    return lower ? 1 - place : place;
  }

  std::string LeftOut() const {
    const size_t models = matrix_.triggers.size();
    const size_t windows = matrix_.windows.size();
    if (rows_.size() == models && columns_.size() == windows) return "";
    return Wrapped(fmt::format("{} of {} models and {} of {} windows are shown; --full shows all",
                               rows_.size(), models, rows_.empty() ? 0 : columns_.size(), windows),
                   view_, 2);
  }

  const GetRunResponse& run_;
  const Matrix& matrix_;
  const View& view_;
  const bool share_;
  std::set<std::pair<int64_t, WindowKey>> active_;
  std::vector<int64_t> rows_;
  std::vector<Column> columns_;
  std::map<int64_t, std::string> times_;
  size_t time_width_ = 10;
  size_t width_ = 1;  // The width of a number.
  std::optional<double> least_;
  std::optional<double> most_;
};

std::string DrawMeans(const GetRunResponse& run, const Matrix& matrix, const View& view) {
  std::string text;
  if (const auto mean = Mean(run.active(), matrix)) {
    text += Wrapped(
        fmt::format("active (*, scored before it was trained on the window): {}", *mean), view, 2);
  }
  if (const auto mean = Mean(run.trained(), matrix)) {
    text += Wrapped(
        fmt::format("trained (scored on the window it was trained on):       {}", *mean), view, 2);
  }
  const auto baselines = BaselinesOf(run, matrix.evaluation, matrix.dataset, matrix.measure);
  return text + WrappedLines(DescribeBaselines(baselines), view);
}

// The models that each of `count` matrices may show so that all of them fit; the last ones may show
// none.
size_t LinesOf(size_t index, size_t count, const View& view) {
  const size_t drawn = std::min(count, kMaxDrawn);
  if (index >= drawn) return 0;
  const size_t room = static_cast<size_t>(std::max(view.height, 0)) / drawn;
  return std::max(kLeastLines, room > kLinesAround ? room - kLinesAround : 0);
}

}  // namespace

std::string DrawMatrices(const GetRunResponse& run, const View& view) {
  std::string text;
  const std::vector<Matrix> matrices = Collect(run);
  for (size_t i = 0; i < matrices.size(); ++i) {
    if (!text.empty()) text += '\n';
    const size_t num_lines = LinesOf(i, matrices.size(), view);
    text += MatrixDrawing(run, matrices[i], view, num_lines).ToString();
    text += DrawMeans(run, matrices[i], view);
  }
  return text;
}

}  // namespace tidemill::cli
