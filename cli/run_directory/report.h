// Makes one self-contained HTML file about a run.
#pragma once

#include <string>

#include "cli/results/selections/run_record.h"

namespace tidemill::cli {

// Returns the page with its style, its script and its data inside. It opens without a network, and
// its content security policy forbids any. Text from users is escaped.
std::string ReportPage(const RunRecord& record);

}  // namespace tidemill::cli
