// tidemill datasets list|show|register|sync|quarantine|delete; check and stats are in
// dataset_health.cc, records in records.cc
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

void AddDatasetsCommands(Command& app);

}  // namespace tidemill::cli
