// Changes of the small pipeline that tests write (stack.h).
#pragma once

#include <string>

namespace tidemill::tests {

// Replaces a text that is in a file. A failure of the test when it is not.
void ReplaceIn(const std::string& path, const std::string& what, const std::string& by);

// Its model is a network of TorchScript, in a file beside the pipeline.
void UseNetwork(const std::string& pipeline);
// Its columns are scaled by an op in Python, in a file beside the pipeline.
void UsePluginOp(const std::string& pipeline);
// Its samples are prepared by workers, with these settings.
void UseWorkers(const std::string& pipeline, const std::string& workers = "{}");

}  // namespace tidemill::tests
