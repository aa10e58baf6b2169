// The kinds of engines, each with its settings: `engine.backend` in the system configuration.
//
//   engine:
//     backend: {type: slurm, partition: cpu}
//
// A new kind is one file in backends/ and one line of backend.cc.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "config/choice.h"
#include "config/config.h"
#include "engine/engine.h"

namespace tidemill::engine {

// The stack whose processes a backend starts.
struct Stack {
  // Tells the processes of this stack from those of others: letters, digits and dashes, at most 20.
  std::string name;
  // An existing folder for logs and the like.
  std::string folder;
};

// The settings of one engine. Thread-compatible.
class Backend : public config::Part<Backend> {
 public:
  // Fails when the settings are wrong, or when a program is missing that the engine needs.
  virtual absl::StatusOr<std::unique_ptr<Engine>> Open(const Stack& stack) const = 0;

  static std::span<const config::Alternative<Backend>> Alternatives();
};
using BackendSpec = config::Choice<Backend>;

// The part of a spec, which has `Open(spec, stack)`.
template <typename Spec>
class BackendOf final : public config::PartOf<BackendOf<Spec>, Backend, Spec> {
 public:
  absl::StatusOr<std::unique_ptr<Engine>> Open(const Stack& stack) const override {
    return OpenEngine(this->spec_, stack);
  }
};

}  // namespace tidemill::engine

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::engine::BackendSpec);
