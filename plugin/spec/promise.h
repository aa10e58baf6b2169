// The findings of a trial of a plug-in.
#pragma once

#include <string>

namespace tidemill::plugin {

// A promise that every part of a kind must keep.
struct Promise {
  // A sentence: "decides the same in batches of 1, 7 and 1000 samples".
  std::string text;
  bool is_kept = true;
  // The violation that was seen, or a remark.
  std::string detail = {};
};

}  // namespace tidemill::plugin
