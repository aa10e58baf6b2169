// A remark about a value in a document.
#pragma once

#include <string>

namespace tidemill::config {

struct Remark {
  std::string path = {};  // The path of the key, below the checked value: "event_time.format".
  std::string message = {};
  std::string hint = {};
  // Whether the value is an error. Otherwise it works only in part, or probably not as intended.
  bool is_error = true;
};

}  // namespace tidemill::config
