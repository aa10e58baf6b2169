#include "cli/results/ledger.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "storage/client/left_out_text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using rpc::v1::Ledger;

struct Count {
  const char* key;
  const char* words;
  int64_t (Ledger::*number)() const;
};

constexpr Count kCounts[] = {
    {"used", "used", &Ledger::num_used},
    {"unlabelled", "without a label", &Ledger::num_unlabelled},
    {"filtered", "not asked for", &Ledger::num_filtered},
    {"late", "late", &Ledger::num_late},
    {"bad", "bad", &Ledger::num_bad},
    {"deleted", "deleted", &Ledger::num_deleted},
    {"not_reached", "not reached", &Ledger::num_not_reached},
    {"skipped", "in trainings that failed", &Ledger::num_skipped},
};

struct Loss {
  std::string what;  // "of the records of weather were left out"
  int64_t num_lost = 0;
  int64_t num_all = 0;

  double share() const {
    return num_all > 0 ? static_cast<double>(num_lost) / static_cast<double>(num_all) : 0;
  }
};

// The records that the spec wants left out are not lost.
Loss OfRecords(const std::string& name, const rpc::v1::LeftOut& left_out) {
  int64_t num_lost = left_out.num_records();
  for (const auto& reason : left_out.reasons()) {
    if (reason.wanted()) num_lost -= reason.num_records();
  }
  return {fmt::format("of the records of {} were left out", name), num_lost, left_out.num_seen()};
}

Loss OfTrainings(const v1::GetRunResponse& run) {
  Loss loss{"of the samples for training could not be used"};
  if (run.has_ledger()) {
    loss.num_lost = run.ledger().num_bad();
    loss.num_all = run.ledger().num_bad() + run.ledger().num_used();
  }
  return loss;
}

// Returns the loss of the evaluation that lost most. The models in use represent it; if there are
// none, the model that could use least.
Loss OfEvaluations(const v1::GetRunResponse& run) {
  results::Rows rows = results::Active(run.results());
  const bool of_each_model = rows.empty();
  if (of_each_model) {
    rows = results::Select(run.results(), [](const results::Row& row) {
      return results::IsOfModel(row) && results::IsWhole(row) && row.failure().empty();
    });
  }
  std::map<std::pair<results::Measured, int64_t>, MeasuredShare> shares;
  for (const results::Row* row : rows) {
    shares[{results::MeasuredOf(*row), of_each_model ? row->trigger() : 0}].Add(*row);
  }
  Loss most;
  for (const auto& [key, share] : shares) {
    Loss loss{
        fmt::format("of the samples of {} for evaluation could not be used", key.first.dataset),
        share.num_bad(), share.num_known()};
    if (loss.share() > most.share()) most = std::move(loss);
  }
  return most;
}

std::string InWords(const Loss& loss) {
  return fmt::format("{:.0f} % {} ({} of {})", 100 * loss.share(), loss.what,
                     WithThousands(loss.num_lost), WithThousands(loss.num_all));
}

}  // namespace

nlohmann::ordered_json LedgerToJson(const Ledger& ledger) {
  nlohmann::ordered_json json = {{"known", ledger.num_known()}};
  for (const Count& count : kCounts) json[count.key] = (ledger.*count.number)();
  return json;
}

std::string DescribeLedger(const Ledger& ledger, std::string_view what) {
  std::vector<std::string> parts;
  int64_t sum = 0;
  for (const Count& count : kCounts) {
    const int64_t number = (ledger.*count.number)();
    sum += number;
    if (number != 0) parts.push_back(fmt::format("{} {}", WithThousands(number), count.words));
  }
  std::string text =
      fmt::format("{} {}: {}", WithThousands(ledger.num_known()), what,
                  parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", ")));
  const int64_t missing = ledger.num_known() - sum;
  if (missing != 0) text += fmt::format("; {} more are in no count", WithThousands(missing));
  return text;
}

void MeasuredShare::Add(const results::Row& row) {
  is_known_ &= row.has_num_known();
  num_known_ += row.num_known();
  num_samples_ += row.num_samples();
  num_bad_ += row.num_bad();
  for (size_t i = 0; i < counts_.size(); ++i) {
    const results::Column& column = results::Columns()[i];
    if (column.words != nullptr) counts_[i] += column.of(row).get<int64_t>();
  }
}

bool MeasuredShare::AnyLost() const {
  return is_known_ && std::ranges::any_of(counts_, [](int64_t count) { return count != 0; });
}

std::string MeasuredShare::OfKnown() const {
  const bool any_more = AnyLost() && num_known_ != num_samples_;
  return any_more ? fmt::format(" of {}", WithThousands(num_known_)) : "";
}

std::string MeasuredShare::Lost() const {
  if (!AnyLost()) return "";
  std::vector<std::string> parts;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    parts.push_back(fmt::format("{} {}", WithThousands(counts_[i]), results::Columns()[i].words));
  }
  return fmt::format(": {}", fmt::join(parts, ", "));
}

bool AnyBad(const v1::GetRunResponse& run) {
  const auto& triggers = run.triggers();
  const auto& values = run.results();
  return std::any_of(
             triggers.begin(), triggers.end(),
             [](const v1::Trigger& trigger) { return trigger.result().num_skipped() > 0; }) ||
         std::any_of(values.begin(), values.end(),
                     [](const results::Row& row) { return row.num_bad() > 0; });
}

std::string MuchLost(const v1::GetRunResponse& run) {
  std::vector<Loss> losses;
  const std::map<std::string, rpc::v1::LeftOut> by_dataset(run.left_out().begin(),
                                                           run.left_out().end());
  for (const auto& [name, left_out] : by_dataset) losses.push_back(OfRecords(name, left_out));
  losses.push_back(OfTrainings(run));
  losses.push_back(OfEvaluations(run));
  std::vector<std::string> parts;
  for (const Loss& loss : losses) {
    if (loss.share() >= kMuchLost) parts.push_back(InWords(loss));
  }
  return parts.empty() ? "" : fmt::format("{}.", fmt::join(parts, ", and "));
}

}  // namespace tidemill::cli
