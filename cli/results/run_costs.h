// The costs of a run, for people and as JSON.
#pragma once

#include <string>

#include "nlohmann/json.hpp"

#include "cli/terminal/view.h"
#include "tidemill/rpc/v1/usage.pb.h"
#include "tidemill/supervisor/v1/costs.pb.h"

namespace tidemill::cli {

// Returns what the whole run has used.
rpc::v1::Usage TotalOf(const supervisor::v1::RunCosts& costs);

// Returns a table by stage, whose last row is the sum of the others, and with `view.full` another
// one by trigger. Amounts that are 0 in all rows have no column. Money is shown where there are
// prices. Empty for a run about which nothing is known.
std::string DescribeCosts(const supervisor::v1::RunCosts& costs, const View& view);

// "3.2 s on processors, 0.0004 EUR"
std::string CostsInShort(const supervisor::v1::RunCosts& costs);

// Returns {"total", "stages", "rows", "prices"}; docs/formats/run_directory.md says what they are.
nlohmann::ordered_json CostsToJson(const supervisor::v1::RunCosts& costs);

}  // namespace tidemill::cli
