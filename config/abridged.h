// Documents for people: what a document holds of whole files is told, not shown.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::config {

// The value itself, or, for one of more than a kilobyte, "<3,124,508 bytes, SHA-256 1f0c6e...>".
// Equal values give equal texts, and others almost certainly do not.
std::string Abridged(std::string_view value);

// A document from Print() with each value abridged. It is no longer the document: Read() does not
// give the same value.
std::string AbridgedDocument(std::string_view document);

}  // namespace tidemill::config
