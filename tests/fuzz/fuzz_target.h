// What the fuzz targets share. A target is one file `<name>_fuzz.cc` with
//   std::vector<std::string> Seeds();        a few inputs that lead far into the code
//   void Try(std::string_view input);        must neither crash nor break a promise
// libFuzzer's entry points are in fuzz_target.cc. With TIDEMILL_FUZZ_SEEDS=<folder>, a program
// writes its seeds there and ends; tools/fuzz.sh uses this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemill::fuzz {

std::vector<std::string> Seeds();
void Try(std::string_view input);

// Ends the process unless `kept`. The fuzzer reports that as a finding.
void Promise(bool kept, const char* what);

}  // namespace tidemill::fuzz
