#include "selector/policies/plugin/plugin_selection.h"

#include <algorithm>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "plugin/process/taken_plugin.h"
#include "plugin/spec/json_fields.h"

namespace tidemill::selector {
namespace {

using nlohmann::json;

constexpr char kKind[] = "selection";
constexpr std::string_view kColumn = "column:";
constexpr size_t kMaxColumns = 100;
constexpr size_t kMaxNameBytes = 200;

struct NamedFact {
  std::string_view name;
  bool SelectionDeclaration::*is_looked_at;
};

constexpr NamedFact kFacts[] = {{"event_times", &SelectionDeclaration::event_times},
                                {"labels", &SelectionDeclaration::labels},
                                {"embeddings", &SelectionDeclaration::embeddings},
                                {"predictions", &SelectionDeclaration::predictions}};

absl::Status ReadFact(const json& said, SelectionDeclaration& declaration) {
  const std::string name = said.is_string() ? said.get<std::string>() : "";
  const auto* const fact = std::ranges::find(kFacts, name, &NamedFact::name);
  if (fact != std::end(kFacts)) {
    declaration.*(fact->is_looked_at) = true;
    return absl::OkStatus();
  }
  if (!name.starts_with(kColumn) || name.size() == kColumn.size() || name.size() > kMaxNameBytes ||
      !IsPrintable(name)) {
    return InvalidArgument(
        "looks_at: '{}' is not event_times, labels, embeddings, predictions or column:NAME",
        Printable(name).substr(0, 60));
  }
  std::string column = name.substr(kColumn.size());
  if (std::ranges::find(declaration.columns, column) != declaration.columns.end()) {
    return InvalidArgument("looks_at: it names {} twice", name);
  }
  declaration.columns.push_back(std::move(column));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SelectionDeclaration> ReadSelectionDeclaration(const json& created) {
  if (!created.is_object()) return InvalidArgument("it returned no declaration");
  SelectionDeclaration declaration{.unbiased = plugin::BoolAt(created, "unbiased")};
  for (const json& said : plugin::ListAt(created, "looks_at")) {
    RETURN_IF_ERROR(ReadFact(said, declaration));
    if (declaration.columns.size() > kMaxColumns) {
      return InvalidArgument("looks_at: it names more than {} columns", kMaxColumns);
    }
  }
  return declaration;
}

void PluginSelection::Check(config::Problems& problems) const {
  PluginUse::Check(problems);
  pool.Check(problems);
  if (fraction && samples) {
    problems.Add("samples", "contradicts `fraction`", "leave one out");
  } else if (fraction && *fraction <= 0) {
    problems.Add("fraction", "draws nothing", "write a number in (0, 1]");
  } else if (on_fault == OnSelectionFault::kUniform && !HasTarget()) {
    problems.Add("on_fault", "draws a number of samples that the pipeline does not say",
                 "write fraction: 0.25 beside it");
  }
}

absl::StatusOr<SelectionDeclaration> PluginSelection::Declaration() const {
  ASSIGN_OR_RETURN(const json created, plugin::CreatedOf(*this));
  return ReadSelectionDeclaration(created);
}

LooksAt PluginSelection::WhatItLooksAt() const {
  const auto declaration = Declaration();
  if (!declaration.ok()) return LooksAt::kNothing;
  if (declaration->AsksModel()) return LooksAt::kModel;
  return declaration->columns.empty() ? LooksAt::kNothing : LooksAt::kColumn;
}

void SelectionOf<PluginSelection>::CheckSamples(const transform::DescribedSamples& described,
                                                config::Problems& problems) const {
  const auto declaration = spec_.Declaration();
  if (!declaration.ok()) return;
  for (const std::string& column : declaration->columns) {
    transform::CheckColumn(described, "use", column, problems);
  }
  if (declaration->labels && described.schema.label != transform::LabelKind::kClass) {
    problems.Add(
        "use",
        fmt::format("the plug-in looks at the classes of samples, and the label of '{}' is {}",
                    described.dataset, transform::Describe(described.schema.label)),
        "train on a dataset with classes, or let it look at something else");
  }
}

void SelectionOf<PluginSelection>::TakeFiles(config::NamedFiles& files,
                                             config::Problems& problems) {
  plugin::TakePlugin(spec_, kKind, files, problems, [](const json& created) {
    return ReadSelectionDeclaration(created).status();
  });
}

}  // namespace tidemill::selector
