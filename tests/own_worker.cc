#include "tests/own_worker.h"

#include "fmt/format.h"

namespace tidemill::tests {

OwnWorker::OwnWorker(const Stack& stack, const std::string& name, const std::string& listen,
                     const std::string& section)
    : service_(stack, {.program = "tidemill-preprocess-worker",
                       .name = name,
                       .listen = listen,
                       .section = "preprocess_worker:\n  name: " + name + "\n" + section}) {}

DistantWorker::DistantWorker(const Stack& stack, const Throttle& throttle)
    : port_(FreePort()),
      proxy_(port_, throttle),
      worker_(stack, "distant", fmt::format("127.0.0.1:{}", port_),
              fmt::format("  endpoint: {}\n", proxy_.endpoint())) {}

}  // namespace tidemill::tests
