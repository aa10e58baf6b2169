// Reports backtests of policies: for people, as JSON, and as a page.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/backtest.pb.h"

namespace tidemill::cli {

using BacktestFinal = supervisor::v1::WatchBacktestResponse::Final;

// Returns a table with one row per policy, and the basis of its numbers.
std::string DescribeBacktest(const BacktestFinal& final);

nlohmann::ordered_json BacktestToJson(const BacktestFinal& final);

// Returns one self-contained HTML file: the costs, when each policy would have fired, and all
// numbers. For a policy with more than kMaxPoints triggers, evenly spaced ones are drawn.
std::string BacktestPage(const std::string& pipeline, const BacktestFinal& final);

}  // namespace tidemill::cli
