// What is to be said about a value that a document may hold.
#pragma once

#include <string>

namespace tidemill::config {

struct Remark {
  std::string path = {};  // Of the key, below what was looked at: "event_time.format".
  std::string message = {};
  std::string hint = {};
  // It would not work; else it works, in part or not as it seems to be meant.
  bool is_error = true;
};

}  // namespace tidemill::config
