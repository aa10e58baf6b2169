// Commands on pipelines before and after a run: init, check, explain, pipelines, plugin.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// tidemill init PATH: a pipeline guessed from data.
void AddInitCommand(Command& app);

// tidemill check FILE...
void AddCheckCommand(Command& app);

// tidemill explain [KEY], and tidemill explain FILE --plan
void AddExplainCommand(Command& app);

// tidemill pipelines list|show|delete
void AddPipelinesCommands(Command& app);

// tidemill plugin new|list|show|verify: plug-ins of users.
void AddPluginCommands(Command& app);

}  // namespace tidemill::cli
