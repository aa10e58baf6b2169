// Configuration that is declared once. A config or spec is a plain struct whose Fields() lists
// every field with its YAML key, its meaning and its limits. The strict YAML reader, the canonical
// printer, the JSON Schema, the reference page and `tidemill explain` all come from that list:
//
//   struct AmountTrigger {
//     static constexpr std::string_view kType = "amount";  // For alternatives of a variant.
//     static constexpr std::string_view kDoc = "Fires after every n samples.";
//     int64_t samples = 1000;
//     void Fields(auto&& field) {
//       field("samples", samples, "New samples between two triggers.", {.min = 1});
//     }
//     void Check(config::Problems& problems) const { ... }  // Optional: rules across fields.
//   };
//   using TriggerSpec = std::variant<TimeTrigger, AmountTrigger>;
//
//   ASSIGN_OR_RETURN(const auto trigger, config::Read<TriggerSpec>(text, "trigger.yaml"));
//
// Members may be bool, int, int64_t, float, double, std::string, Duration, Timestamp, ByteSize,
// Count, DeviceChoice, NameList, enums with EnumNames, structs with Fields(), variants of structs
// with kType
// (`{type: amount, samples: 5}`, or `amount` where every field has a default), Keyed variants
// (`amount: {samples: 5}`), a Choice among the parts on a list (choice.h), and std::optional,
// std::vector and std::map<std::string, ...> of them. Recursive types are fine.
//
// Reading is strict: unknown and duplicate keys, wrong types, values out of range, missing keys and
// texts that other YAML readers take for something else (`no`, `012`, `1.10`) are problems, each
// with file, line and column, all reported at once. Keys starting with "x-" are free at the top
// level.
// `${NAME}` stands for a variable of the Source, `$${` for a literal `${`. A document
// has at most 1 MiB and 50,000 nodes, each use of an alias counted. Texts are UTF-8, keys have at
// most 150 bytes.
//
// All functions are thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "nlohmann/json_fwd.hpp"

#include "config/decode.h"
#include "config/describe.h"
#include "config/documents/problems.h"
#include "config/explain.h"
#include "config/numbers.h"
#include "config/print.h"
#include "config/reference.h"
#include "config/schema.h"
#include "config/types.h"

namespace tidemill::config {

// The content of a document, and its problems. Later passes that know more than the document (is
// this dataset registered?) add their findings to `problems`, which finds their positions.
template <typename T>
struct Decoded {
  T value;  // Parts that were wrong have their defaults.
  Problems problems;
};

// Reads a document and keeps its positions.
template <typename T>
Decoded<T> Decode(const Source& source) {
  Decoded<T> decoded{};
  decoded.problems = internal::DecodeDocument(source, internal::TypeOf<T>(), &decoded.value);
  return decoded;
}

// Reads a document. INVALID_ARGUMENT lists every problem.
template <typename T>
absl::StatusOr<T> Read(std::string_view text, std::string_view name) {
  Decoded<T> decoded = Decode<T>({.text = text, .name = name});
  if (!decoded.problems.empty()) return decoded.problems.ToStatus();
  return std::move(decoded.value);
}

// Reads what Print() wrote and this program has kept. Such documents may hold files, and have at
// most 32 MiB.
template <typename T>
absl::StatusOr<T> ReadKept(std::string_view text, std::string_view name) {
  Decoded<T> decoded =
      Decode<T>({.text = text, .name = name, .variables = {}, .max_bytes = kMaxKeptBytes});
  if (!decoded.problems.empty()) return decoded.problems.ToStatus();
  return std::move(decoded.value);
}

// Reads the value of the top-level key `section` and ignores the others. Returns the defaults when
// there is no such key. A top-level key that looks like a misspelling of `section` is then a
// problem.
template <typename T>
absl::StatusOr<T> ReadSection(std::string_view text, std::string_view name,
                              std::string_view section) {
  T value{};
  const Problems problems =
      internal::DecodeSection({.text = text, .name = name}, section, internal::TypeOf<T>(), &value);
  if (!problems.empty()) return problems.ToStatus();
  return value;
}

// Returns canonical YAML: every field in the order of Fields(), including defaults. Equal values
// give equal text, and Read() returns an equal value. Secrets are included.
template <typename T>
std::string Print(const T& value) {
  return internal::PrintValue(internal::TypeOf<T>(), &value, /*redact=*/false);
}

// Returns a JSON Schema draft-07, for editors. Include nlohmann/json.hpp to use it.
template <typename T, typename Json = nlohmann::ordered_json>
Json Schema() {
  return internal::SchemaOf(internal::TypeOf<T>());
}

// Returns a Markdown page with a table for every section and every choice.
template <typename T>
std::string Reference(std::string_view title) {
  return internal::ReferenceOf(internal::TypeOf<T>(), title);
}

// Does the same for one alternative of a Choice.
template <typename Interface>
std::string ReferenceOf(const Alternative<Interface>& alternative, std::string_view title) {
  return internal::ReferenceOf(alternative.type(), title);
}

// Returns what `tidemill explain` prints for a key such as "training.optimizer.lr" or
// "trigger.amount.samples"; "" is the whole. List positions may be left out. Any name stands for a
// map's key. NOT_FOUND names the closest key.
template <typename T>
absl::StatusOr<std::string> Explain(std::string_view key_path) {
  return internal::ExplainKey(internal::TypeOf<T>(), key_path);
}

}  // namespace tidemill::config
