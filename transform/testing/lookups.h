// What the tests of lookups share: ops with the file that they name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "config/named_files.h"
#include "transform/graph.h"

namespace tidemill::transform::testing {

// Files by their names.
class TextFiles final : public config::NamedFiles {
 public:
  explicit TextFiles(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}

  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view key,
                                  config::Problems& problems) override {
    if (texts_.at(name).size() <= most) return texts_.at(name);
    problems.Add(key, "is too large");
    return std::nullopt;
  }

 private:
  const std::map<std::string, std::string> texts_;
};

// A graph, and what was wrong with it: "1.lookup.on: there is no column x | hint".
struct Checked {
  GraphSpec graph;
  std::vector<std::string> problems;
};

inline Checked Take(const std::string& ops, const std::string& table, const SampleSchema& schema) {
  auto graph = config::Read<GraphSpec>(ops, "graph");
  EXPECT_THAT(graph, tidemill::testing::IsOk());
  if (!graph.ok()) return {};
  Checked checked{.graph = *std::move(graph), .problems = {}};
  TextFiles files({{"t.csv", table}});
  config::Problems problems;
  for (auto& op : checked.graph) op.value->TakeFiles(files, problems);
  for (const config::Problem& problem : problems.items()) {
    checked.problems.push_back(
        fmt::format("{}: {} | {}", problem.path, problem.message, problem.hint));
  }
  for (const GraphProblem& problem : Graph::Check(checked.graph, schema)) {
    checked.problems.push_back(
        fmt::format("{}: {} | {}", problem.field, problem.message, problem.hint));
  }
  return checked;
}

}  // namespace tidemill::transform::testing
