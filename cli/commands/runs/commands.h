// Commands on runs: start a run, follow it, compare its results.
#pragma once

#include "cli/command_line/command.h"

namespace tidemill::cli {

// tidemill run FILE
void AddRunCommand(Command& app);

// tidemill runs list|show|diff|watch|stop|resume|delete
void AddRunsCommands(Command& app);

// tidemill pull RUN, tidemill report RUN, tidemill open [RUN]
void AddReportCommands(Command& app);

// tidemill watch RUN
void AddWatchCommand(Command& app);

// tidemill top [RUN]
void AddTopCommand(Command& app);

// tidemill why RUN[/TRIGGER]
void AddWhyCommand(Command& app);

// tidemill trigger RUN
void AddTriggerCommand(Command& app);

// tidemill backtest PIPELINE
void AddBacktestCommand(Command& app);

// tidemill compare RUN RUN...
void AddCompareCommand(Command& app);

}  // namespace tidemill::cli
