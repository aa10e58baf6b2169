// Indexes an input as a file of a format and checks what every format promises.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::fuzz {

// `spec`: a DatasetSpec without its path. Checked: records lie in the file, in order, with the
// hashes of their bytes; good and bad ones are as many as were counted; a second reading finds the
// same; and with `append: true`, a file that is read in two steps gives the same good records as
// one that is read at once.
void TryFormat(const std::string& spec, std::string_view input);

}  // namespace tidemill::fuzz
