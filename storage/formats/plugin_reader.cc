#include "storage/formats/plugin_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "plugin/process/fault.h"
#include "plugin/process/taken_plugin.h"
#include "plugin/spec/json_fields.h"
#include "storage/spec/formats/plugin_format.h"

namespace tidemill::storage {
namespace {

using batch::Column;
using batch::DataType;
using nlohmann::json;

constexpr int64_t kMaxHeadBytes = int64_t{1} << 20;
// Files in succession at which a plug-in's process may end.
constexpr int kMaxDeaths = 3;
// The limit of a bad record's reason.
constexpr size_t kMaxReason = 200;
// Nothing of a format is drawn unless the plug-in does.
constexpr uint64_t kSeed = 0;

// A byte string that stays where it is.
Column ByteString(const std::string& name, std::string_view bytes) {
  const std::vector<int64_t> offsets = {0, static_cast<int64_t>(bytes.size())};
  Column column = batch::MakeBinaryColumn(name, std::vector<std::string_view>{{}});
  column.data = batch::Buffer::Wrap(bytes.data(), bytes.size(), nullptr);
  column.offsets = batch::MakeColumn<int64_t>("", offsets).data;
  return column;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PluginReaders>> PluginReaders::Create(const plugin::PluginUse& use) {
  if (use.program.empty()) {
    return InvalidArgument("the file of the format's plug-in, {}, was not read; send its content",
                           use.file());
  }
  ASSIGN_OR_RETURN(const json created, plugin::CreatedOf(use));
  const int64_t head_bytes = plugin::CountAt(created, "head_bytes").value_or(0);
  return std::unique_ptr<PluginReaders>(
      new PluginReaders(use, std::min(head_bytes, kMaxHeadBytes)));
}

absl::StatusOr<PluginReader> PluginReaders::Take(const std::function<bool()>& is_unwanted) {
  if (num_deaths_ >= kMaxDeaths) {
    return Unavailable(
        "{}: its process died on {} files in succession; the next sync reads the files after them",
        use_.use, kMaxDeaths);
  }
  MutexLock lock(mutex_);
  if (!idle_.empty()) {
    std::unique_ptr<plugin::PluginInstance> instance = std::move(idle_.back());
    idle_.pop_back();
    instance->InterruptWhen(is_unwanted);
    return PluginReader(*this, std::move(instance));
  }
  auto instance = std::make_unique<plugin::PluginInstance>(use_, kFormatPlugin, kSeed,
                                                           plugin::HostSettingsOf(use_));
  instance->KeepProcess();
  instance->InterruptWhen(is_unwanted);
  return PluginReader(*this, std::move(instance));
}

void PluginReaders::PutBack(std::unique_ptr<plugin::PluginInstance> instance) {
  MutexLock lock(mutex_);
  idle_.push_back(std::move(instance));
}

absl::Status PluginReader::Fault(std::string_view what) const {
  return FailedPrecondition("{}: {}", readers_->use_.use, what);
}

absl::StatusOr<PieceRecords> PluginReader::Read(const FilePiece& piece) {
  const auto request = [&](plugin::HostProcess& host) -> absl::StatusOr<json> {
    batch::Batch columns(1);
    RETURN_IF_ERROR(columns.Set(ByteString("bytes", piece.bytes)));
    RETURN_IF_ERROR(columns.Set(ByteString("head", piece.head)));
    ASSIGN_OR_RETURN(json said, host.AddColumns(columns));
    said.update({{"call", "read"}, {"offset", piece.offset}, {"is_last", piece.is_last}});
    return said;
  };
  const absl::StatusOr<json> answer = instance_->Call(request);
  if (answer.ok()) {
    readers_->num_deaths_ = 0;
    return ReadAnswer(*answer, piece);
  }
  const bool is_unwanted = absl::IsCancelled(answer.status());
  if (is_unwanted || plugin::IsOfMachine(answer.status())) return answer.status();
  const bool is_dead =
      absl::IsUnavailable(answer.status()) || absl::IsDeadlineExceeded(answer.status());
  if (is_dead) ++readers_->num_deaths_;
  std::string text(answer.status().message());
  const std::string traceback = plugin::TracebackOf(answer.status());
  if (!traceback.empty()) text += "\n" + traceback;
  return FailedPrecondition("{}", text);
}

absl::StatusOr<PieceRecords> PluginReader::ReadAnswer(const json& answer, const FilePiece& piece) {
  auto columns = instance_->Columns(answer);
  if (!columns.ok()) return Fault(std::string(columns.status().message()));
  PieceRecords records;
  records.columns = *std::move(columns);
  const auto numbers = [&](const char* name) -> absl::StatusOr<std::span<const int64_t>> {
    const Column* column = records.columns.Find(name);
    if (column == nullptr || column->type != DataType::kInt64 || !column->shape.empty()) {
      return Fault(fmt::format("its answer has no column {}", name));
    }
    return column->data.As<int64_t>();
  };
  ASSIGN_OR_RETURN(records.begins, numbers("begin"));
  ASSIGN_OR_RETURN(records.ends, numbers("end"));
  records.labels = records.columns.Find("label");
  records.event_times = records.columns.Find("event_time");
  if (records.event_times != nullptr) RETURN_IF_ERROR(numbers("event_time").status());
  if (records.labels != nullptr && records.labels->type != DataType::kFloat64) {
    RETURN_IF_ERROR(numbers("label").status());
  }
  const std::optional<int64_t> consumed = plugin::CountAt(answer, "consumed");
  if (!consumed || *consumed > static_cast<int64_t>(piece.bytes.size())) {
    return Fault("its answer does not say how much of the piece it has consumed");
  }
  records.consumed = *consumed;
  for (const json& said : plugin::ListAt(answer, "bad")) {
    const auto row = said.is_object() ? plugin::CountAt(said, "row") : std::nullopt;
    if (!row) return Fault("its answer has a bad record without a number");
    records.bad.emplace(*row, Printable(plugin::TextAt(said, "why")).substr(0, kMaxReason));
  }
  return records;
}

}  // namespace tidemill::storage
