// The meaning of a word, shown by the terminal's own colours. TakesColour() in view.h decides
// whether a stream is coloured.
#pragma once

#include <string>

namespace tidemill::cli {

enum class Tone {
  kPlain,
  kGood,      // Green: valid, succeeded.
  kActive,    // Cyan: running.
  kDoubtful,  // Yellow: a warning, stopped.
  kBad,       // Red: an error, failed.
};

// Returns the text in the colour of the tone. Unchanged when not `paint`.
std::string InTone(const std::string& text, Tone tone, bool paint);

// Returns the tone of a state of a run: "running", "succeeded", "failed" or "stopped".
Tone ToneOfState(const std::string& state);

}  // namespace tidemill::cli
