// A live pipeline for tests against services that answer at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor::testing {

// A lateness of five seconds. Nothing is ever idle.
inline constexpr char kLive[] = "{lateness: 5s, poll: 1ms, idle: 1d}";

// Returns a submission of `<testdata>/sound.yaml` that fires after every tenth sample, with a
// `live` section and other lines at its end.
inline v1::SubmitPipelineRequest LiveRequest(const std::string& testdata,
                                             const std::string& request_id, const std::string& live,
                                             const std::string& more) {
  std::string pipeline = *files::Read(testdata + "/sound.yaml");
  const std::string amount = "samples: 50";
  pipeline.replace(pipeline.find(amount), amount.size(), "samples: 10");
  v1::SubmitPipelineRequest request;
  request.mutable_command()->set_request_id(request_id);
  request.set_pipeline(pipeline + "live: " + live + "\n" + more);
  request.set_file_name("sound.yaml");
  request.set_base_folder(testdata);
  return request;
}

// Returns the seconds [from, to).
inline std::vector<int64_t> Seconds(int64_t from, int64_t to) {
  std::vector<int64_t> seconds;
  for (int64_t second = from; second < to; ++second) seconds.push_back(second);
  return seconds;
}

}  // namespace tidemill::supervisor::testing
