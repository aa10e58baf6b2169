#include "trainer_server/job/training_machine.h"

#include <cstddef>
#include <fstream>
#include <string_view>

#include "ATen/Version.h"
#include "base/digest.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "trainer_server/folders/job_folder.h"

namespace tidemill::trainer_server {
namespace {

std::string ProcessorName() {
  constexpr size_t kMaxBytes = size_t{1} << 16;
  constexpr std::string_view kName = "model name";
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  for (size_t read = 0; read < kMaxBytes && std::getline(info, line); read += line.size() + 1) {
    if (line.starts_with(kName)) return line;
  }
  return "";
}

// Through the link, which also leads to a program that has been replaced since it was started.
absl::StatusOr<std::string> DigestOfThisProgram() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  Sha256Stream digest;
  std::string piece(size_t{1} << 20, '\0');
  while (program.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
         program.gcount() > 0) {
    digest.Add(std::string_view(piece).substr(0, static_cast<size_t>(program.gcount())));
  }
  if (!program.eof()) return Internal("cannot read the program of this process");
  return digest.Finish();
}

}  // namespace

absl::Status DescribeMachine(const std::string& folder) {
  v1::TrainingMachine machine;
  ASSIGN_OR_RETURN(*machine.mutable_program(), DigestOfThisProgram());
  machine.set_torch(at::show_config());
  machine.set_processor(ProcessorName());
  return WriteMessage(folder, kMachineFile, machine);
}

}  // namespace tidemill::trainer_server
