// A document to read.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::config {

// The size limits of a document from a user, and of a document that this program printed and
// stored, which may contain files in base64.
inline constexpr size_t kMaxDocumentBytes = size_t{1} << 20;
inline constexpr size_t kMaxKeptBytes = size_t{32} << 20;

// A value that replaces the one of a document: `--set training.optimizer.lr=1e-3`.
struct Override {
  std::string path;   // "training.optimizer.lr", "evaluation.0.dataset" or "evaluation[0].dataset".
  std::string value;  // YAML: "1e-3", "[3, 4]".
};

// A document to read.
struct Source {
  std::string_view text = {};
  std::string_view name = {};                         // The path of the file, for messages.
  std::map<std::string, std::string> variables = {};  // The values of ${NAME}.
  size_t max_bytes = kMaxDocumentBytes;
  // Applied in this order. Sections that they need are added.
  std::vector<Override> overrides = {};
};

}  // namespace tidemill::config
