// Receives yaml-cpp's parse events and builds the document tree.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/yaml.h"

#include "config/documents/document.h"

namespace tidemill::config::internal {

// Serves one parse.
class YamlBuilder : public YAML::EventHandler {
 public:
  YamlBuilder(Document& document, const std::map<std::string, std::string>& variables)
      : document_(document), variables_(variables) {}

  // Adds a problem for an exception of yaml-cpp, with an improved message.
  void ReportFailure(const YAML::Exception& failure);

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { Close(); }

 private:
  struct Open {
    std::shared_ptr<Node> node;
    YAML::anchor_t anchor = 0;
    std::shared_ptr<const Node> key;  // Waits for its value.
    std::map<std::string, int> lines_of_keys;
  };

  bool ignoring() const { return !document_.readable || num_documents_ > 1; }
  std::shared_ptr<Node> NewNode(Node::Kind kind, const YAML::Mark& mark, const std::string& tag);
  void OpenNode(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor);
  void Close();
  void Finish(std::shared_ptr<const Node> node, YAML::anchor_t anchor);
  void TakeKey(Open& parent, std::shared_ptr<const Node> key);
  void MeasureScalar(Node& node, const YAML::Mark& mark);
  void Substitute(Node& node);
  // Appends the variable that begins at text[at] to `out`. Returns where the text continues.
  size_t SubstituteOne(const Node& node, const std::string& text, size_t at, std::string& out);
  void ReportUnknownVariable(const Node& node, const std::string& name);
  // Counts bytes that are about to be copied. Reports a problem about `what` and returns false when
  // they exceed the limit.
  bool TakeRoom(Position position, size_t num_bytes, const std::string& what);

  Position PositionAt(const YAML::Mark& mark);
  void Report(Position position, int width, std::string message, std::string hint = "",
              std::string note = "");
  void GiveUp(Position position, std::string message, std::string hint = "");

  Document& document_;
  const std::map<std::string, std::string>& variables_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::shared_ptr<const Node>> anchors_;
  int64_t num_nodes_ = 0;
  int64_t num_expanded_bytes_ = 0;
  int num_documents_ = 0;

  // For PositionAt(): the first bytes of a line and the number of their characters.
  size_t counted_line_ = 0;
  size_t counted_bytes_ = 0;
  int counted_characters_ = 0;
};

}  // namespace tidemill::config::internal
