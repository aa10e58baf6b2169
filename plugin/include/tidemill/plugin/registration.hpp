// The plug-ins of a shared object, as the contract has them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/instance.hpp"

namespace tidemill::plugin {

// Tells the host of a class; made by TIDEMILL_PLUGIN before anything is asked.
class Registration {
 public:
  // `name`: the class's, perhaps after namespaces.
  template <typename Class>
  static Registration Of(const char* name) {
    return Registration(std::make_unique<EntryOf<Class>>(name));
  }

  // The contract's tidemill_plugin().
  static const TidemillPlugin* Plugin(uint32_t index) noexcept {
    uint32_t left = index;
    for (const std::unique_ptr<Entry>& entry : All()) {
      const TidemillPlugin* const plugin = entry->Described();
      if (plugin != nullptr && left-- == 0) return plugin;
    }
    return nullptr;
  }

 private:
  class Entry {
   public:
    explicit Entry(std::string name) : name_(std::move(name)) {
      if (const size_t colon = name_.rfind(':'); colon != std::string::npos)
        name_.erase(0, colon + 1);
    }
    virtual ~Entry() = default;

    const std::string& name() const { return name_; }

    // NULL for a class that cannot be made: the file is as if it were not there.
    const TidemillPlugin* Described() noexcept {
      if (was_tried_) return prototype_ == nullptr ? nullptr : &plugin_;
      was_tried_ = true;
      try {
        Describe();
        return &plugin_;
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s cannot be made: %s\n", name_.c_str(), error.what());
      } catch (...) {
        std::fprintf(stderr, "%s cannot be made\n", name_.c_str());
      }
      return nullptr;
    }

   protected:
    // What depends on the class.
    virtual TidemillPlugin Declared() const = 0;
    virtual std::unique_ptr<Instance> Make() const = 0;

   private:
    void Describe() {
      plugin_ = Declared();
      std::unique_ptr<Instance> prototype = Make();
      for (AnySetting* const setting : prototype->declared())
        settings_.push_back(setting->Declared());
      plugin_.size = sizeof(TidemillPlugin);
      plugin_.version = TIDEMILL_PLUGIN_VERSION;
      plugin_.name = name_.c_str();
      plugin_.settings = settings_.data();
      plugin_.num_settings = settings_.size();
      plugin_.destroy = [](void* self) { delete static_cast<Instance*>(self); };
      plugin_.seal = [](void* self, TidemillBytes* state) {
        return static_cast<Instance*>(self)->SealInto(*state);
      };
      plugin_.restore = [](void* self, TidemillBytes state) {
        auto* const instance = static_cast<Instance*>(self);
        return instance->Attempt("Restore", [&] {
          instance->Restore({static_cast<const char*>(state.data), state.size});
        });
      };
      plugin_.functions = prototype->Functions();
      prototype_ = std::move(prototype);
    }

    std::string name_;
    bool was_tried_ = false;
    std::unique_ptr<Instance> prototype_;
    std::vector<TidemillSetting> settings_;
    TidemillPlugin plugin_ = {};
  };

  template <typename Class>
  class EntryOf final : public Entry {
   public:
    explicit EntryOf(std::string name) : Entry(std::move(name)) {
      class_name_ = this->name().c_str();
    }

   protected:
    TidemillPlugin Declared() const override {
      TidemillPlugin plugin = {};
      plugin.kind = Class::kKind;
      plugin.doc = "";
      plugin.author_version = "";
      if constexpr (requires { Class::kDoc; }) plugin.doc = Class::kDoc;
      if constexpr (requires { Class::kVersion; }) plugin.author_version = Class::kVersion;
      plugin.create = &Create;
      return plugin;
    }
    std::unique_ptr<Instance> Make() const override { return std::make_unique<Class>(); }

   private:
    static void* Create(const TidemillHost* host, const TidemillValue* values, size_t /*count*/,
                        uint64_t seed) {
      std::unique_ptr<Instance> made;
      const int failed = Instance::AttemptFor(host, std::string(class_name_) + "::Start", [&] {
        made = std::make_unique<Class>();
        made->Begin(host, class_name_, values, seed);
      });
      return failed != 0 ? nullptr : made.release();
    }

    static inline const char* class_name_ = nullptr;
  };

  explicit Registration(std::unique_ptr<Entry> entry) { All().push_back(std::move(entry)); }

  // For this shared object alone, whatever else is loaded.
  __attribute__((visibility("hidden"))) static std::vector<std::unique_ptr<Entry>>& All() {
    static std::vector<std::unique_ptr<Entry>> all;
    return all;
  }
};

}  // namespace tidemill::plugin

extern "C" __attribute__((visibility("default"), used)) inline const TidemillPlugin*
tidemill_plugin(uint32_t index) {
  return ::tidemill::plugin::Registration::Plugin(index);
}
