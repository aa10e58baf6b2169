// Texts in lines for a shell.
#pragma once

#include <string>
#include <string_view>

namespace tidemill {

// Returns the text as one word of a shell: in quotes, unless each of its characters means itself.
std::string ShellWord(std::string_view text);

}  // namespace tidemill
