// The folder of files that tests read.
#pragma once

#include <filesystem>

#include "base/testing/tree.h"

namespace tidemill::supervisor::testing {

inline const std::filesystem::path kTestdata = tidemill::testing::InTree("supervisor/testdata");

}  // namespace tidemill::supervisor::testing
