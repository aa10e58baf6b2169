// Guesses when images were made.
#pragma once

#include <cstdint>
#include <string>

#include "cli/init/look/guess.h"
#include "cli/init/look/seen_data.h"

namespace tidemill::cli {

// Returns `event_time` of images. Their paths come first, then their Exif data, then the order in
// which they were modified, if that mixes the classes, then the numbers in their names, because a
// training that sees one class after another learns little. `is_known` is set to whether it is a
// time. `num_with_exif` of `num_looked_at` images say when they were taken.
Guess TimeOfImages(const SeenData& data, int64_t num_with_exif, int64_t num_looked_at,
                   bool& is_known);

// Returns the name of the folder that holds a file; "" for a file in the dataset's own folder.
std::string FolderOfImage(const std::string& path);

}  // namespace tidemill::cli
