#include "models/training/cache_spec.h"

#include "config/spec_list.h"

namespace tidemill::models {
namespace {

template <typename Spec>
class CacheOf final : public config::PartOf<CacheOf<Spec>, Cache, Spec> {
 public:
  bool IsOff() const override { return Spec::kIsOff; }
  std::optional<std::string> AfterOp() const override {
    if constexpr (requires { this->spec_.op; }) {
      return this->spec_.op;
    } else {
      return std::nullopt;
    }
  }
  bool Equals(const Cache& other) const override {
    return this->spec_ == static_cast<const CacheOf&>(other).spec_;
  }
};

using Caches = config::SpecList<AutoCache, NoCache, CacheAfter>;

}  // namespace

std::span<const config::Alternative<Cache>> Cache::Alternatives() {
  return config::Alternatives<Cache, CacheOf>(Caches());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::CacheSpec);
