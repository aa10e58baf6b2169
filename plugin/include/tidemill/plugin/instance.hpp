// What plug-ins of every kind are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/setting.hpp"

namespace tidemill::plugin {

// A plug-in with its settings. Kinds derive from it, and plug-ins derive from kinds.
class Instance {
 public:
  // So that plug-ins need not name the namespace.
  using Number = plugin::Number;
  using Integer = plugin::Integer;
  using Boolean = plugin::Boolean;
  using Text = plugin::Text;
  using Numbers = plugin::Numbers;
  using Texts = plugin::Texts;
  using Limits = plugin::Limits;
  static constexpr Required kRequired = plugin::kRequired;

  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  virtual ~Instance() = default;

  // Called once, when all settings have their values. To check them against each other, throw
  // here.
  virtual void Start() {}
  // What it remembers, as bytes, and back. Restore() is called after Start(), with what Seal()
  // returned.
  virtual std::string Seal() const { return {}; }
  virtual void Restore(std::string_view /*state*/) {}

  // The path of a data file that the pipeline names in `files`, by the name that it has there. It
  // is known from Start() on. Throws where the pipeline names no such file.
  std::string File(const std::string& name) const {
    constexpr size_t kSizeWithFile = offsetof(TidemillHost, file) + sizeof(TidemillHost::file);
    const bool asks = host_ != nullptr && host_->size >= kSizeWithFile;
    const char* const path = asks ? host_->file(host_, name.c_str()) : nullptr;
    if (path != nullptr) return path;
    throw std::invalid_argument("the pipeline names no file '" + name +
                                "' for this plug-in; write files: [" + name + "] beside use");
  }

  // For whatever is random: the same for the same run.
  uint64_t seed() const { return seed_; }

  // The rest is for the wrapper.

  // TidemillPlugin.functions; valid as long as this is.
  virtual const void* Functions() = 0;

  void Declare(AnySetting& setting) { settings_.push_back(&setting); }
  const std::vector<AnySetting*>& declared() const { return settings_; }

  // Takes the settings of `create`. They may be of a later contract, and longer.
  void Begin(const TidemillHost* host, std::string name, const TidemillValue* values,
             uint64_t seed) {
    host_ = host;
    name_ = std::move(name);
    seed_ = seed;
    const auto* at = reinterpret_cast<const std::byte*>(values);
    for (AnySetting* const setting : settings_) {
      const auto* const value = reinterpret_cast<const TidemillValue*>(at);
      setting->Take(*value);
      at += value->size;
    }
    Start();
  }

  // Calls a function of the plug-in. What it throws is told to the host: 1.
  template <typename Body>
  int Attempt(const char* function, const Body& body) noexcept {
    return AttemptFor(host_, name_ + "::" + function, body);
  }
  template <typename Body>
  static int AttemptFor(const TidemillHost* host, const std::string& where,
                        const Body& body) noexcept {
    try {
      body();
      return 0;
    } catch (const std::bad_alloc&) {
      host->fail(host, "out of memory (std::bad_alloc)", where.c_str());
    } catch (const std::exception& error) {
      host->fail(host, error.what(), where.c_str());
    } catch (...) {
      host->fail(host, "it threw something that is not a std::exception", where.c_str());
    }
    return 1;
  }

  int SealInto(TidemillBytes& state) noexcept {
    return Attempt("Seal", [&] {
      sealed_ = Seal();
      state = {.data = sealed_.data(), .size = sealed_.size()};
    });
  }

 private:
  std::vector<AnySetting*> settings_;
  const TidemillHost* host_ = nullptr;
  std::string name_;
  std::string sealed_;
  uint64_t seed_ = 0;
};

inline AnySetting::AnySetting(Instance& owner, std::string name, std::string doc,
                              TidemillSettingType type, Limits limits)
    : name_(std::move(name)), doc_(std::move(doc)), type_(type), limits_(std::move(limits)) {
  owner.Declare(*this);
}

}  // namespace tidemill::plugin
