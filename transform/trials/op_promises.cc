#include "transform/trials/op_promises.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <ranges>
#include <string>
#include <utility>

#include "fmt/format.h"

#include "transform/engine/frame.h"
#include "transform/engine/numbers.h"
#include "transform/plugin/declared_op.h"
#include "transform/plugin/made_columns.h"
#include "transform/plugin/plugin_fitter.h"
#include "transform/plugin/plugin_rows.h"
#include "transform/plugin/row_blocks.h"

namespace tidemill::transform::trials {
namespace {

constexpr int64_t kManyRows = 4096;

// Numbers that are the same in each trial.
class Draws {
 public:
  // From 0 to below 1.
  double Unit() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  // Draws from a normal distribution, by Box and Muller.
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(1 - Unit()));
    return radius * std::cos(2 * std::numbers::pi * Unit());
  }
  int64_t Whole(int64_t below) { return static_cast<int64_t>(Unit() * static_cast<double>(below)); }

 private:
  uint64_t state_ = 7;
};

template <typename T>
batch::Column DrawNumbers(const ColumnSchema& schema, int64_t num_rows, Draws& draws) {
  batch::Column column = NewColumn<T>(schema.name, num_rows, schema.shape);
  for (T& number : column.data.MutableAs<T>()) {
    if constexpr (std::is_floating_point_v<T>) {
      number = static_cast<T>(draws.Normal());
    } else {
      number = static_cast<T>(draws.Whole(100));
    }
  }
  return column;
}

batch::Column DrawWords(const ColumnSchema& schema, int64_t num_rows, Draws& draws) {
  std::vector<std::string> words;
  for (int64_t row = 0; row < num_rows; ++row) {
    words.push_back(fmt::format("word {}", draws.Whole(1000)));
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  return batch::MakeBinaryColumn(schema.name, views);
}

batch::Column Draw(const ColumnSchema& schema, int64_t num_rows, Draws& draws) {
  batch::Column column;
  if (IsText(schema.type)) return DrawWords(schema, num_rows, draws);
  VisitNumbers(schema.type, nullptr, 0, [&]<typename T>(std::span<const T> /*none*/) {
    column = DrawNumbers<T>(schema, num_rows, draws);
  });
  return column;
}

// What an op made of all rows.
struct Results {
  batch::Batch columns;
  std::map<int64_t, std::string> bad;
};

class Trial {
 public:
  Trial(const plugin::PluginUse& use, std::vector<ColumnSchema> inputs, int64_t num_rows)
      : use_(use), schemas_(std::move(inputs)), rows_(num_rows) {
    Draws draws;
    for (const ColumnSchema& schema : schemas_) {
      inputs_.push_back({static_cast<int>(inputs_.size()), schema});
      rows_.Set(Draw(schema, num_rows, draws)).IgnoreError();
    }
  }

  absl::StatusOr<OpTrial> Run() {
    ASSIGN_OR_RETURN(const DeclaredOp declared, DeclarationOf(use_, schemas_));
    for (const ColumnSchema& output : declared.outputs) {
      outputs_.push_back({static_cast<int>(inputs_.size() + outputs_.size()), output});
    }
    OpTrial trial{.num_rows = rows_.num_rows(), .outputs = declared.outputs, .fits = declared.fits};
    if (declared.fits) {
      ASSIGN_OR_RETURN(state_, Fit(kManyRows));
    }
    const auto instance = NewInstance(state_);
    ASSIGN_OR_RETURN(whole_, Make(*instance, kManyRows));
    ASSIGN_OR_RETURN(trial.rows_per_second, Speed(*instance));
    trial.num_bad = std::ssize(whole_.bad);
    trial.promises.push_back(MakesRows());
    for (const int64_t block : {1, 7, 1000}) {
      ASSIGN_OR_RETURN(
          trial.promises.emplace_back(),
          Same(fmt::format("makes the same of a row in blocks of {}", block), *instance, block));
    }
    ASSIGN_OR_RETURN(trial.promises.emplace_back(),
                     Same(declared.fits ? "makes the same in a new process, from what it had learnt"
                                        : "makes the same in a new process",
                          *NewInstance(state_), kManyRows));
    if (declared.fits) {
      ASSIGN_OR_RETURN(trial.promises.emplace_back(), LearnsTheSame());
    }
    return trial;
  }

 private:
  std::unique_ptr<plugin::PluginInstance> NewInstance(const std::string& state) const {
    auto instance = MakeOpInstance(use_, schemas_);
    instance->Restore(state);
    return instance;
  }

  // Some rows, as ops have them.
  Frame FrameOf(const batch::Batch& part) const {
    Frame frame(part, static_cast<int>(inputs_.size() + outputs_.size()));
    for (size_t i = 0; i < inputs_.size(); ++i) {
      frame.Set(static_cast<int>(i), part.columns()[i]);
    }
    return frame;
  }

  batch::Batch Part(int64_t begin, int64_t count) const {
    std::vector<int64_t> rows;
    for (int64_t row = begin; row < std::min(begin + count, rows_.num_rows()); ++row) {
      rows.push_back(row);
    }
    return rows_.Take(rows);
  }

  absl::StatusOr<std::string> Fit(int64_t block) const {
    PluginFitter fitter(use_, inputs_);
    for (int64_t begin = 0; begin < rows_.num_rows(); begin += block) {
      const batch::Batch part = Part(begin, block);
      RETURN_IF_ERROR(fitter.Add(FrameOf(part)));
    }
    ASSIGN_OR_RETURN(const FitResult result, fitter.Finish());
    return result.learned.front().words.front();
  }

  absl::StatusOr<Results> Make(plugin::PluginInstance& instance, int64_t block) const {
    Results results;
    std::vector<batch::Batch> parts;
    for (int64_t begin = 0; begin < rows_.num_rows(); begin += block) {
      const batch::Batch part = Part(begin, block);
      Frame frame = FrameOf(part);
      RETURN_IF_ERROR(MakePart(instance, part, frame));
      batch::Batch& made = parts.emplace_back(part.num_rows());
      for (const auto& [slot, schema] : outputs_) RETURN_IF_ERROR(made.Set(frame.Get(slot)));
      if (frame.num_bad() > 0) made = made.Take(frame.GoodRows());
      for (BadSample& bad : frame.TakeBad()) {
        results.bad.emplace(begin + bad.row, std::move(bad.reason));
      }
    }
    ASSIGN_OR_RETURN(results.columns, batch::Concatenate(parts));
    return results;
  }

  absl::Status MakePart(plugin::PluginInstance& instance, const batch::Batch& part,
                        Frame& frame) const {
    MadeColumns made(outputs_, part.num_rows());
    std::atomic<bool> has_made = false;
    const BlockSize size(FixedRowBytes(inputs_) + FixedRowBytes(outputs_), int64_t{4} << 20,
                         kManyRows);
    PluginRows pass(use_.use, instance, part, size, has_made, made, frame);
    RETURN_IF_ERROR(pass.Run(frame.GoodRows()));
    made.Finish(frame);
    return absl::OkStatus();
  }

  absl::StatusOr<double> Speed(plugin::PluginInstance& instance) const {
    const auto begin = std::chrono::steady_clock::now();
    RETURN_IF_ERROR(Make(instance, kManyRows).status());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(rows_.num_rows()) / std::max(taken.count(), 1e-9);
  }

  absl::StatusOr<plugin::Promise> Same(std::string text, plugin::PluginInstance& instance,
                                       int64_t block) const {
    ASSIGN_OR_RETURN(const Results results, Make(instance, block));
    return Compare(std::move(text), results);
  }

  plugin::Promise Compare(std::string text, const Results& results) const {
    plugin::Promise promise{.text = std::move(text)};
    if (!std::ranges::equal(std::views::keys(results.bad), std::views::keys(whole_.bad))) {
      promise.is_kept = false;
      promise.detail = fmt::format("{} rows are bad, and not the {} that were", results.bad.size(),
                                   whole_.bad.size());
      return promise;
    }
    for (const batch::Column& column : whole_.columns.columns()) {
      const batch::Column& other = *results.columns.Find(column.name);
      if (other.data.view() == column.data.view() && other.offsets.view() == column.offsets.view())
        continue;
      promise.is_kept = false;
      promise.detail = fmt::format("the column {} is another one", column.name);
      break;
    }
    return promise;
  }

  absl::StatusOr<plugin::Promise> LearnsTheSame() const {
    ASSIGN_OR_RETURN(const std::string other, Fit(777));
    return Same("learns the same from batches that are cut otherwise", *NewInstance(other),
                kManyRows);
  }

  plugin::Promise MakesRows() const {
    const int64_t made = rows_.num_rows() - std::ssize(whole_.bad);
    plugin::Promise promise{.text = "makes rows", .is_kept = made > 0};
    promise.detail = fmt::format("{} of {} rows", made, rows_.num_rows());
    if (!whole_.bad.empty()) {
      promise.detail +=
          fmt::format("; row {}: {}", whole_.bad.begin()->first, whole_.bad.begin()->second);
    }
    return promise;
  }

  const plugin::PluginUse& use_;
  const std::vector<ColumnSchema> schemas_;
  std::vector<BoundColumn> inputs_;
  std::vector<BoundColumn> outputs_;
  batch::Batch rows_;
  std::string state_;
  Results whole_;
};

}  // namespace

bool OpTrial::KeepsAll() const { return std::ranges::all_of(promises, &plugin::Promise::is_kept); }

absl::StatusOr<OpTrial> TryOp(const plugin::PluginUse& use, std::vector<ColumnSchema> inputs,
                              int64_t num_rows) {
  return Trial(use, std::move(inputs), num_rows).Run();
}

}  // namespace tidemill::transform::trials
