// plugin: a user's op, in a file that the pipeline names.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "plugin/spec/plugin_use.h"
#include "transform/engine/graph_op.h"

namespace tidemill::transform {

struct PluginOpSpec : plugin::PluginUse {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "Makes columns with an op of your own, in Python or C++. It says which columns it makes of "
      "those it is given, and may learn from the selected samples before training. It runs in its "
      "own process, without access to the network, and cannot start programs. A row that it cannot "
      "make is a bad sample. The file is kept with the pipeline.";
  static constexpr bool kIsRandom = false;
  std::vector<std::string> columns = {};

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    field("columns", columns, "The columns that it takes, in order: numbers of any type, or texts.",
          config::Limits{.required = true, .example = "[price, demand]"});
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;
  // Reads the files, and starts the plug-in: notes an unknown setting, and a plug-in that does not
  // start.
  void TakeFiles(config::NamedFiles& beside, config::Problems& problems);

  friend bool operator==(const PluginOpSpec&, const PluginOpSpec&) = default;
};

template <>
class GraphOpOf<PluginOpSpec> final : public GraphOpBase<PluginOpSpec> {
 public:
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    spec_.TakeFiles(files, problems);
  }
  // "ratios.py:Ratios 1.2 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
  std::string RunsWith() const override { return spec_.RunsWith(); }
};

}  // namespace tidemill::transform
