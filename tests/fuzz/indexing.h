// Indexes an input as a file of a format, and checks the promises of every format.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::fuzz {

// `spec` is a DatasetSpec without its path. The checks: records are in the file, in order, with the
// hashes of their bytes. The numbers of good and bad records are as counted. A second reading finds
// the same. With `append: true`, a file that is read in two steps gives the same good records as
// one that is read at once.
void TryFormat(const std::string& spec, std::string_view input);

}  // namespace tidemill::fuzz
