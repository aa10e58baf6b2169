#include "config/values/open_value.h"

#include "config/describe.h"
#include "config/scalars.h"

namespace tidemill::config {
namespace {

template <typename T>
std::optional<OpenMismatch> ReadAs(const OpenValue::Scalar& scalar, T& value) {
  const Node node{.kind = Node::Kind::kScalar, .text = scalar.text, .quoted = scalar.quoted};
  auto mismatch = internal::ReadScalar(internal::TypeOf<T>(), node, &value);
  if (!mismatch) return std::nullopt;
  return OpenMismatch{.message = std::move(mismatch->message), .hint = std::move(mismatch->hint)};
}

}  // namespace

std::optional<OpenMismatch> ReadOpen(const OpenValue::Scalar& scalar, bool& value) {
  return ReadAs(scalar, value);
}
std::optional<OpenMismatch> ReadOpen(const OpenValue::Scalar& scalar, int64_t& value) {
  return ReadAs(scalar, value);
}
std::optional<OpenMismatch> ReadOpen(const OpenValue::Scalar& scalar, double& value) {
  return ReadAs(scalar, value);
}
std::optional<OpenMismatch> ReadOpen(const OpenValue::Scalar& scalar, std::string& value) {
  return ReadAs(scalar, value);
}

}  // namespace tidemill::config
