// TorchScript files for tests, made by hand: what libtorch would not write.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tidemill::models::testing {

// Names, without the folder of all, and bytes.
using Records = std::vector<std::pair<std::string, std::string>>;

// An archive of these records, not packed.
std::string MadeArchive(const Records& records);

// The records of a network `__torch__.Net` without weights, with this code.
Records NetworkRecords(const std::string& code);

// The code of that class with this body of a method: "return torch.relu(x)".
std::string CodeOf(const std::string& body, const std::string& method = "forward");

// The network with this body of forward().
std::string NetworkOf(const std::string& body);

// Bodies of forward(self, x) that do what is not arithmetic: they read, write, connect, start
// something, load or print.
std::vector<std::string> HostileBodies();

}  // namespace tidemill::models::testing
