// A YAML document as a tree with the position of every key and value. It is stricter than yaml-cpp:
// duplicate keys, unclosed quotes, explicit tags and second documents are problems, and the
// expansion of aliases is limited.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/documents/problems.h"
#include "config/documents/source.h"

namespace tidemill::config {

constexpr int64_t kMaxNodes = 50'000;
constexpr int kMaxDepth = 100;
constexpr size_t kMaxKeyBytes = 150;
constexpr size_t kMaxProblems = 1'000;
constexpr size_t kMaxVariables = 1'000;
constexpr size_t kMaxVariableNameBytes = 256;
constexpr size_t kMaxOverrides = 1'000;
// The most bytes that variables and aliases may add to the text.
constexpr int64_t kMaxExpandedBytes = int64_t{8} << 20;

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  Position position = {};
  int width = 1;
  std::string text = {};     // For kScalar: with the values of variables.
  bool quoted = false;       // For kScalar: in quotes or a block, and therefore a text.
  bool substituted = false;  // For kScalar: contains the value of a variable.
  std::vector<std::shared_ptr<const Node>> keys = {};  // For kMap; each is a scalar.
  // For kList, the elements. For kMap, the keys' values.
  std::vector<std::shared_ptr<const Node>> items = {};
  int64_t size = 1;        // The number of nodes in the tree. Aliases count each time.
  int64_t text_bytes = 0;  // The bytes of all texts in the tree. Aliases count each time.
  int depth = 1;

  // Returns the value of `key`, or nullptr.
  const Node* Find(std::string_view key) const;
};

// A part of a path that names an item of a list, "[2]" or "2", or the longest key of a map.
struct Step {
  size_t length = 0;  // Without the dot that follows.
  size_t item = 0;
};

// Returns the step into `node` at the start of `path`. std::nullopt when the node has no such item.
std::optional<Step> StepInto(const Node& node, std::string_view path);

struct Document {
  std::string name;
  // The lines of the text, then a line for each override: "--set training.optimizer.lr=1e-3".
  std::vector<std::string> lines;
  size_t num_own_lines = 0;            // The lines of the text.
  std::vector<std::string> overrides;  // "--set training.optimizer.lr", by line.
  std::shared_ptr<const Node> root;    // kNull for an empty document.
  std::vector<Problem> problems;
  bool readable = true;  // False when `root` must not be decoded.
};

// Reads `text` within the limits above. `problems` has its problems.
std::shared_ptr<const Document> ReadDocument(const Source& source);

// A node and its key. `key` is null for a list element and the root.
struct Place {
  const Node* node = nullptr;
  const Node* key = nullptr;

  // Returns the node to underline for a problem: a scalar itself, else its key.
  const Node& mark() const {
    return node->kind == Node::Kind::kScalar || key == nullptr ? *node : *key;
  }
};

// Returns the value at a path such as "a.b[2].c", or the closest enclosing one that exists.
Place FindPlace(const Document& document, std::string_view path);

// The place of a reader in a document.
struct Spot {
  Place place;
  std::string path;

  const Node& node() const { return *place.node; }
  // Returns the place of an item or of the value of a key.
  Spot Below(size_t i) const;
};

// "a list", "a section with keys", "nothing", or the text in quotes, for messages.
std::string DescribeNode(const Node& node);

}  // namespace tidemill::config
