// The output of this process's plug-ins, for a command that shows it. Services do not keep it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::plugin {

// Keeps the first `most` bytes that hosts of this process print from now on. Thread-safe.
void KeepPrints(size_t most);

// Whether output is kept.
bool KeepsPrints();

// Adds output of a host.
void AddPrint(std::string_view bytes);

// Returns the output in printable form, and stops keeping it.
std::string TakePrints();

}  // namespace tidemill::plugin
