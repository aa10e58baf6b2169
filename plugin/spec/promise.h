// What a trial of a plug-in has seen.
#pragma once

#include <string>

namespace tidemill::plugin {

// Something that is promised of every part of a kind.
struct Promise {
  // A sentence: "decides the same in batches of 1, 7 and 1000 samples".
  std::string text;
  bool is_kept = true;
  // What was seen instead, or what there is to say of it.
  std::string detail = {};
};

}  // namespace tidemill::plugin
