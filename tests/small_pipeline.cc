#include "tests/small_pipeline.h"

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/tree.h"

namespace tidemill::tests {

namespace fs = std::filesystem;

void ReplaceIn(const std::string& path, const std::string& what, const std::string& by) {
  std::string text = files::Read(path).value_or("");
  const size_t found = text.find(what);
  ASSERT_NE(found, std::string::npos) << what << " is not in " << path;
  text.replace(found, what.size(), by);
  std::ofstream(path) << text;
}

void UseNetwork(const std::string& pipeline) {
  ReplaceIn(pipeline, "model: {type: mlp, hidden: [8], outputs: 2}",
            "model: {type: torchscript, file: network.pt, outputs: 2}");
  fs::copy_file(testing::InTree("tests/testdata/network.pt"),
                fs::path(pipeline).parent_path() / "network.pt");
}

void UsePluginOp(const std::string& pipeline) {
  ReplaceIn(pipeline, "- standardize: {columns: all}",
            "- plugin: {use: \"scaling.py:Standardized\", columns: [a, b, c]}");
  fs::copy_file(testing::InTree("tests/plugin/plugins/scaling.py"),
                fs::path(pipeline).parent_path() / "scaling.py");
}

void UseWorkers(const std::string& pipeline, const std::string& workers) {
  const std::string dataset = "preprocess:\n  dataset: drift\n";
  ReplaceIn(pipeline, dataset, dataset + "  workers: " + workers + "\n");
}

}  // namespace tidemill::tests
