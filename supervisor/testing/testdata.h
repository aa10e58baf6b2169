// The folder of files that tests read.
#pragma once

#include <filesystem>

namespace tidemill::supervisor::testing {

inline const std::filesystem::path kTestdata = TIDEMILL_TESTDATA;

}  // namespace tidemill::supervisor::testing
