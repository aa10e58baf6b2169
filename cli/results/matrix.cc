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
#include "cli/terminal/matrix_layout.h"
#include "cli/terminal/text.h"
#include "results/rows.h"
#include "results/sample_mean.h"

namespace tidemill::cli {
namespace {

using results::Row;
using supervisor::v1::GetRunResponse;

// With so few columns there is room for a decimal.
constexpr size_t kFewWindows = 8;
// If not everything fits, draws this many matrices, and only the means of the others.
constexpr size_t kMaxDrawn = 3;
constexpr size_t kLeastLines = 4;
constexpr size_t kLinesAround = 8;  // The lines of a matrix beside its rows.

// The value of a series; std::nullopt for one without windows on this dataset.
std::optional<std::string> Mean(const ResultTable& table, const std::vector<int64_t>& by_column) {
  const results::Rows series = SeriesOf(table, by_column);
  const results::SampleMean mean(series, table.of_pipeline);
  if (const std::string missing = mean.Missing(); !missing.empty()) {
    return fmt::format("unknown over all windows: {}", Printable(missing));
  }
  if (mean.num_samples() == 0) return std::nullopt;
  const MeasuredShare share(series);
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
  MatrixDrawing(const GetRunResponse& run, const ResultTable& table, const View& view,
                size_t num_lines)
      : run_(run), table_(table), view_(view) {
    ChooseRows(num_lines);
    ChooseColumns();
    for (const auto& cells : table.cells) {
      for (const auto& [column, row] : cells) {
        has_undefined_ = has_undefined_ || IsUndefined(*row);
        if (!row->has_value() || !std::isfinite(row->value())) continue;
        least_ = std::min(least_.value_or(row->value()), row->value());
        most_ = std::max(most_.value_or(row->value()), row->value());
      }
    }
  }

  std::string ToString() const {
    std::string text =
        Wrapped(fmt::format("{} on {}{}: model (row) by window (column)", table_.measure,
                            table_.dataset, table_.share ? ", in %" : InUnit()),
                view_, 0);
    if (!rows_.empty()) text += Header();
    for (const int64_t trigger : rows_) text += Line(trigger);
    if (has_undefined_) {
      text += Wrapped("?: there are samples, but no value, as of one class alone", view_, 2);
    }
    return text + LeftOut();
  }

 private:
  static bool IsUndefined(const Row& row) { return !row.has_value() && row.num_samples() > 0; }

  std::string InUnit() const { return table_.unit.empty() ? "" : ", in " + Printable(table_.unit); }

  void ChooseRows(size_t num_lines) {
    const std::vector<int64_t>& all = table_.triggers;
    for (const size_t row : Spread(all.size(), view_.full ? all.size() : num_lines)) {
      rows_.push_back(all[row]);
    }
    times_ = TimesOf(run_, {rows_.begin(), rows_.end()});
    for (const auto& [trigger, time] : times_) time_width_ = std::max(time_width_, time.size());
  }

  // If only some windows fit, windows in which a shown model was active come first.
  void ChooseColumns() {
    const size_t num_windows = table_.windows.size();
    width_ = fmt::formatted_size("{}", num_windows);
    for (const auto& cells : table_.cells) {
      for (const auto& [column, row] : cells) {
        if (row->has_value()) width_ = std::max(width_, Number(row->value()).size());
      }
    }
    const auto room = static_cast<size_t>(std::max(view_.width, 0));
    const size_t label = 5 + time_width_;
    const size_t fitting = room > label ? (room - label) / (width_ + 2) : 0;
    const auto in_use = [&](size_t column) {
      return std::ranges::find(rows_, table_.active[column]) != rows_.end();
    };
    const size_t most = view_.full ? num_windows : std::max<size_t>(fitting, 1);
    columns_ = SpreadTo(num_windows, most, in_use);
  }

  // Shares are shown in percent.
  std::string Number(double value) const {
    if (!table_.share) return fmt::format("{:.3g}", value);
    return fmt::format("{:.{}f}", value * 100, table_.windows.size() <= kFewWindows ? 1 : 0);
  }

  std::string Header() const {
    std::string text = fmt::format("{:>4} {:<{}}", "", "trained to", time_width_);
    for (const size_t column : columns_) text += fmt::format(" {:>{}} ", column + 1, width_);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  std::string Line(int64_t trigger) const {
    const auto time = times_.find(trigger);
    std::string text =
        fmt::format("{:>4} {:<{}}", trigger, time == times_.end() ? "" : time->second, time_width_);
    for (const size_t column : columns_) text += Cell(trigger, column);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  std::string Cell(int64_t trigger, size_t column) const {
    const Row* const row = table_.At(trigger, column);
    const bool known = row != nullptr && row->has_value();
    const char* const none = row != nullptr && IsUndefined(*row) ? "?" : "-";
    const std::string cell = fmt::format(" {:>{}}{}", known ? Number(row->value()) : none, width_,
                                         table_.active[column] == trigger ? "*" : " ");
    return view_.paint && known ? Painted(cell, ColourOf(Goodness(row->value()))) : cell;
  }

  // From the worst value of the matrix, 0, to its best, 1.
  double Goodness(double value) const {
    if (!least_ || *most_ <= *least_) return 1;
    const double place = (value - *least_) / (*most_ - *least_);
    return table_.lower_is_better ? 1 - place : place;
  }

  std::string LeftOut() const {
    const size_t models = table_.triggers.size();
    const size_t windows = table_.windows.size();
    if (rows_.size() == models && columns_.size() == windows) return "";
    return Wrapped(fmt::format("{} of {} models and {} of {} windows are shown; --full shows all",
                               rows_.size(), models, rows_.empty() ? 0 : columns_.size(), windows),
                   view_, 2);
  }

  const GetRunResponse& run_;
  const ResultTable& table_;
  const View& view_;
  std::vector<int64_t> rows_;
  std::vector<size_t> columns_;
  std::map<int64_t, std::string> times_;
  size_t time_width_ = 10;
  size_t width_ = 1;  // The width of a number.
  bool has_undefined_ = false;
  std::optional<double> least_;
  std::optional<double> most_;
};

std::string DrawMeans(const ResultTable& table, const View& view) {
  std::string text;
  if (const auto mean = Mean(table, table.active)) {
    text += Wrapped(
        fmt::format("active (*, scored before it was trained on the window): {}", *mean), view, 2);
  }
  if (const auto mean = Mean(table, table.trained)) {
    text += Wrapped(
        fmt::format("trained (scored on the window it was trained on):       {}", *mean), view, 2);
  }
  return text + WrappedLines(DescribeBaselines(table.baselines), view);
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
  const std::vector<ResultTable> matrices = ResultTables(run);
  for (size_t i = 0; i < matrices.size(); ++i) {
    if (!text.empty()) text += '\n';
    const size_t num_lines = LinesOf(i, matrices.size(), view);
    text += MatrixDrawing(run, matrices[i], view, num_lines).ToString();
    text += DrawMeans(matrices[i], view);
  }
  return text;
}

}  // namespace tidemill::cli
