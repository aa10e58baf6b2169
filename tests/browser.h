// Opens pages in headless Chromium, as a reader does.
#pragma once

#include <string>

namespace tidemill::tests {

struct Shown {
  std::string dom;
  std::string log;
};

// Opens a page in a Chromium that can reach no host, with additional `flags`. Its files go into
// `folder`.
Shown Browse(const std::string& folder, const std::string& page, const std::string& flags);

// Returns the text of a file. An expectation fails when it cannot be read.
std::string Slurp(const std::string& path);

}  // namespace tidemill::tests
