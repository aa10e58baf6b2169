// Guesses the classes, sizes and times of images in folders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/init/look/guess.h"
#include "cli/init/look/seen_data.h"

namespace tidemill::cli {

struct ImageLook {
  std::vector<Guess> dataset = {};  // format, event_time, label
  std::vector<Guess> graph = {};
  std::vector<std::string> classes = {};
  std::vector<std::string> unknown = {};
  int64_t num_images = 0;
  int64_t num_looked_at = 0;
  bool time_is_known = false;
  int64_t rarest = 0;  // The images of the rarest class, and of the most frequent one.
  int64_t most_frequent = 0;
};

// INVALID_ARGUMENT when images are not in folders of classes.
absl::StatusOr<ImageLook> LookAtImages(const SeenData& data);

}  // namespace tidemill::cli
