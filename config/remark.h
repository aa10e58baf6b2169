// A remark about a value in a document.
#pragma once

#include <string>

namespace tidemill::config {

struct Remark {
  std::string path = {};  // The path of the key, below what was checked: "event_time.format".
  std::string message = {};
  std::string hint = {};
  // Whether it would not work. Otherwise it works in part, or not as it was probably meant.
  bool is_error = true;
};

}  // namespace tidemill::config
