// Checks whether plug-ins can run on this machine.
#pragma once

#include "cli/stack/finding.h"
#include "plugin/spec/host_settings.h"

namespace tidemill::cli {

// Starts the process of a plug-in in Python and looks at what it reports: its Python, numpy
// and sandbox. A warning where that does not work, because most pipelines have no plug-in.
Finding ExaminePlugins(const plugin::HostSettings& settings);

}  // namespace tidemill::cli
