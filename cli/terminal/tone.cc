#include "cli/terminal/tone.h"

#include "fmt/format.h"

namespace tidemill::cli {
namespace {

// A foreground of the terminal's palette, which its user may have set; 0 for none.
int CodeOf(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return 0;
    case Tone::kGood:
      return 32;
    case Tone::kActive:
      return 36;
    case Tone::kDoubtful:
      return 33;
    case Tone::kBad:
      return 31;
  }
  return 0;
}

}  // namespace

std::string InTone(const std::string& text, Tone tone, bool paint) {
  if (!paint || tone == Tone::kPlain || text.empty()) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", CodeOf(tone), text);
}

Tone ToneOfState(const std::string& state) {
  if (state == "running") return Tone::kActive;
  if (state == "succeeded") return Tone::kGood;
  if (state == "failed") return Tone::kBad;
  if (state == "stopped") return Tone::kDoubtful;
  return Tone::kPlain;
}

}  // namespace tidemill::cli
