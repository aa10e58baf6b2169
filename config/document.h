// A YAML document as a tree with the position of every key and value. It does not have yaml-cpp's
// silent habits: duplicate keys, unclosed quotes, explicit tags and second documents are problems,
// and aliases cannot blow up.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/problems.h"
#include "config/source.h"

namespace tidemill::config::internal {

constexpr int64_t kMaxNodes = 50'000;
constexpr int kMaxDepth = 100;
constexpr size_t kMaxKeyBytes = 150;
constexpr size_t kMaxProblems = 1'000;
constexpr size_t kMaxVariables = 1'000;
constexpr size_t kMaxVariableNameBytes = 256;
// What variables and aliases may add to the text that was written.
constexpr int64_t kMaxExpandedBytes = int64_t{8} << 20;

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  Position position = {};
  int width = 1;
  std::string text = {};     // For kScalar: with the values of variables.
  bool quoted = false;       // For kScalar: in quotes or a block, so certainly a text.
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

struct Document {
  std::string name;
  std::vector<std::string> lines;
  std::shared_ptr<const Node> root;  // kNull for an empty document.
  std::vector<Problem> problems;
  bool readable = true;  // False when `root` must not be decoded.
};

// Reads `text` within the limits above. `problems` has what is wrong with it.
std::shared_ptr<const Document> ReadDocument(const Source& source);

// A node and its key. `key` is null for a list element and the root.
struct Place {
  const Node* node = nullptr;
  const Node* key = nullptr;

  // Returns what to underline for a problem with the node: a scalar itself, else its key.
  const Node& mark() const {
    return node->kind == Node::Kind::kScalar || key == nullptr ? *node : *key;
  }
};

// Returns the value at a path such as "a.b[2].c", or the closest enclosing one that exists.
Place FindPlace(const Document& document, std::string_view path);

// Where a reader of a document stands.
struct Spot {
  Place place;
  std::string path;

  const Node& node() const { return *place.node; }
  // Returns the place of an item or of the value of a key.
  Spot Below(size_t i) const;
};

// "a list", "a section with keys", "nothing", or the text in quotes, for messages.
std::string DescribeNode(const Node& node);

}  // namespace tidemill::config::internal
