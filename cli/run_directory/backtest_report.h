// What policies that were tried on a history would have done: for people, as JSON, as a page.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/backtest.pb.h"

namespace tidemill::cli {

using BacktestFinal = supervisor::v1::WatchBacktestResponse::Final;

// A table, a row a policy, and what its numbers rest on.
std::string DescribeBacktest(const BacktestFinal& final);

nlohmann::ordered_json BacktestToJson(const BacktestFinal& final);

// One self-contained HTML file: what costs what, when each policy would have fired, all numbers.
// Of a policy with more than kMostPoints triggers some are drawn, evenly.
std::string BacktestPage(const std::string& pipeline, const BacktestFinal& final);

}  // namespace tidemill::cli
