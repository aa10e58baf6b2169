#include "config/type.h"

namespace tidemill::config::internal {

const Type& NewType(Kind kind, void (*describe)(Type&)) {
  auto* type = new Type{.kind = kind};
  describe(*type);
  return *type;
}

void AddName(Type& type, std::string_view name) { type.names.emplace_back(name); }

void ForwardMember(const MemberVisitor& visit, const Member& member) { visit(member); }

std::shared_ptr<void> MakeDefault(const Type& type) { return {type.create(), type.destroy}; }

}  // namespace tidemill::config::internal
