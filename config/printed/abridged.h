// Documents for people: the contents of whole files in a document are described, not shown.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::config {

// Returns the value itself, or, above a kilobyte, "<3,124,508 bytes, SHA-256 1f0c6e...>". Equal
// values give equal texts; different values almost certainly give different texts.
std::string Abridged(std::string_view value);

// Returns a document from Print() with each value abridged. Read() does not return the same value
// from it.
std::string AbridgedDocument(std::string_view document);

}  // namespace tidemill::config
