#include "supervisor/checks/expression_check.h"

#include <algorithm>
#include <cstdint>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/numbers/thousands.h"
#include "storage/spec/dataset_expressions.h"
#include "supervisor/checks/part_check.h"

namespace tidemill::supervisor {
namespace {

using storage::TriedExpression;
using storage::TriedPart;

constexpr std::string_view kWhere = "where";
constexpr std::string_view kEventTime = "event_time.expression";

// The findings of all parts about the expressions, in the order of the spec.
std::vector<TriedExpression> Sum(const DatasetPeek& peek) {
  std::vector<TriedExpression> sums;
  for (const TriedPart& part : peek.parts) {
    for (const TriedExpression& each : part.expressions) {
      const auto sum = std::ranges::find(sums, each.key, &TriedExpression::key);
      if (sum == sums.end()) {
        sums.push_back(each);
        continue;
      }
      sum->num_values += each.num_values;
      sum->num_null += each.num_null;
    }
  }
  return sums;
}

int64_t NumFiltered(const DatasetPeek& peek) {
  int64_t count = 0;
  for (const TriedPart& part : peek.parts) count += part.num_filtered;
  return count;
}

std::string CountsOf(const TriedExpression& sum, int64_t num_filtered) {
  const std::string records = fmt::format("of {} records ", WithThousands(sum.num_values));
  const std::string null = WithThousands(sum.num_null);
  if (sum.key != kWhere) return records + (sum.num_null == 0 ? "none is null" : null + " are null");
  if (num_filtered == 0) return records + "none is filtered";
  return records + fmt::format("{} are filtered, {} of them null", WithThousands(num_filtered),
                               sum.num_null == 0 ? "none" : null);
}

}  // namespace

std::vector<config::Remark> CheckExpressions(const std::string& file,
                                             const std::vector<std::string>& columns,
                                             const storage::DatasetSpec& spec) {
  std::vector<config::Remark> remarks;
  storage::DatasetSpec completed = spec;
  if (spec.format->LeavesColumnsOpen()) completed.format->SetColumns(columns);
  for (const storage::DatasetExpression& each : storage::ExpressionsOf(spec)) {
    const absl::Status status = each.Compile(completed).status();
    if (status.ok()) continue;
    remarks.push_back(
        {.path = std::string(each.key),
         .message = fmt::format("does not fit {}: {}", file, std::string(status.message()))});
  }
  return remarks;
}

std::vector<config::Remark> JudgeValues(const DatasetPeek& peek, const storage::DatasetSpec& spec) {
  std::vector<config::Remark> remarks;
  for (const TriedPart& part : peek.parts) {
    // JudgeParts() reports all others.
    if (!ShowsMistakesOfSpec(peek, spec, part) || !spec.format->Delimited() || spec.where) continue;
    for (const TriedExpression& each : part.expressions) {
      const int64_t num_null = each.key == kEventTime ? each.num_null : 0;
      const int64_t num_bad = each.num_bad + num_null;
      if (num_bad == 0) continue;
      const std::string mistake = each.num_bad == 0 ? "it is null" : each.first_mistake;
      const bool too_many = static_cast<double>(num_bad) >
                            spec.max_bad_fraction * static_cast<double>(part.num_records);
      remarks.push_back(
          {.path = each.key,
           .message = fmt::format("{} of {} records in {} would be left out: {}", num_bad,
                                  part.num_records, PlaceOf(spec, part), mistake),
           .hint = "correct the expression, or name the text in label.missing if it is null",
           .is_error = too_many});
    }
  }
  int64_t num_records = 0;
  for (const TriedPart& part : peek.parts) num_records += part.num_records;
  if (num_records > 0 && NumFiltered(peek) == num_records) {
    remarks.push_back({.path = std::string(kWhere),
                       .message = fmt::format("none of the {} records that were tried satisfies it",
                                              WithThousands(num_records)),
                       .hint = "check the condition, and how the columns are written",
                       .is_error = false});
  }
  return remarks;
}

std::vector<std::pair<std::string, std::string>> DescribeValues(const DatasetPeek& peek) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const TriedExpression& sum : Sum(peek)) {
    if (sum.num_values == 0) continue;
    const bool more = sum.num_values > std::ssize(sum.first_values);
    texts.emplace_back(sum.key, fmt::format("{}{}; {}", fmt::join(sum.first_values, ", "),
                                            more ? ", ..." : "", CountsOf(sum, NumFiltered(peek))));
  }
  return texts;
}

}  // namespace tidemill::supervisor
