// Workers besides those of a stack, with their own configuration.
#pragma once

#include <string>

#include "tests/own_service.h"
#include "tests/slow_proxy.h"
#include "tests/stack.h"

namespace tidemill::tests {

// The worker ends with this object, as if it were killed.
class OwnWorker {
 public:
  // `section` is the lines of its section `preprocess_worker`. Each is indented by two blanks and
  // has a line end.
  OwnWorker(const Stack& stack, const std::string& name, const std::string& listen,
            const std::string& section);

  int process() const { return service_.process(); }

 private:
  OwnService service_;
};

// A worker on TCP that its consumers reach through a proxy.
class DistantWorker {
 public:
  DistantWorker(const Stack& stack, const Throttle& throttle);

 private:
  const int port_;
  const SlowProxy proxy_;
  const OwnWorker worker_;
};

}  // namespace tidemill::tests
