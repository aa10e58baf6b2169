// Opens pages as a reader does, in headless Chromium.
#pragma once

#include <string>

namespace tidemill::tests {

struct Shown {
  std::string dom;
  std::string log;
};

// Opens a page in a Chromium that finds no host, with `flags` added; its files go into `folder`.
Shown Browse(const std::string& folder, const std::string& page, const std::string& flags);

// The text of a file; a failed expectation where it cannot be read.
std::string Slurp(const std::string& path);

}  // namespace tidemill::tests
