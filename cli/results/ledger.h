// Counts the samples of a run by their use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "cli/terminal/text.h"
#include "results/columns.h"
#include "results/rows.h"
#include "tidemill/rpc/v1/ledger.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// From this share on, a report on a run begins with its lost samples.
inline constexpr double kMuchLost = 0.01;

// Returns {"known": 1000, "used": 828, ...} with all counts.
nlohmann::ordered_json LedgerToJson(const rpc::v1::Ledger& ledger);

// Returns the counts that are not 0: "1,000 samples: 828 used, 15 without a label, 7 bad, 150 not
// reached". Counts that do not add up are followed by the difference.
std::string DescribeLedger(const rpc::v1::Ledger& ledger, std::string_view what = "samples");

// The share of the samples of evaluated windows that were measured, for one measure of one model or
// of the models in use. Thread-compatible.
class MeasuredShare {
 public:
  MeasuredShare() : counts_(results::Columns().size()) {}
  explicit MeasuredShare(const results::Rows& rows) : MeasuredShare() {
    for (const results::Row* row : rows) Add(*row);
  }
  void Add(const results::Row& row);

  int64_t num_known() const { return is_known_ ? num_known_ : 0; }
  int64_t num_bad() const { return num_bad_; }
  // Return " of 200" and ": 100 could not be used". Empty when all were measured, or none were
  // counted.
  std::string OfKnown() const;
  std::string Lost() const;

 private:
  bool AnyLost() const;

  bool is_known_ = true;
  int64_t num_known_ = 0;
  int64_t num_samples_ = 0;
  int64_t num_bad_ = 0;
  std::vector<int64_t> counts_;  // By column, of those with words.
};

// Whether a training or an evaluation had samples that it could not use.
bool AnyBad(const supervisor::v1::GetRunResponse& run);

// Returns a sentence about samples that could not be read, trained on, or evaluated: "25 % of the
// records of weather (365 of 1,461) could not be read." Empty when each share is below kMuchLost.
std::string MuchLost(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
