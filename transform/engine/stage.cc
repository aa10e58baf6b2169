#include "transform/engine/stage.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemill::transform {
namespace {

// The memory for a block's rows in all columns that a stage uses: a part of a core's L2 cache of a
// megabyte or two, so that the cost per block is low.
constexpr size_t kBlockBytes = size_t{128} << 10;
constexpr size_t kCacheLine = 64;

size_t RowBytesOf(const ColumnSchema& schema) {
  return schema.Width() * batch::SizeOf(schema.type);
}

}  // namespace

// The content of a slot from the op that made it to the one that makes it again.
struct Stage::Value {
  BoundColumn column = {};
  int num_uses = 0;
  bool made_here = false;
  bool kept = false;
  int memory = -1;
};

// Where each memory begins in a run, and by how much it continues from row to row: scratch memory
// is used for block after block.
struct Stage::Pointers {
  std::vector<std::byte*> begin = {};
  std::vector<size_t> step = {};
  std::vector<const std::byte*> inputs = {};
  std::vector<std::byte*> outputs = {};
};

// Until Assign(), `places_` says which value an op reads or makes, by its place in what is
// returned.
std::vector<Stage::Value> Stage::ValuesOf(const std::function<bool(int)>& used_later) {
  std::vector<Value> values;
  std::map<int, int> current;  // By slot.
  for (const Member& member : members_) {
    Places& places = places_.emplace_back();
    for (const BoundColumn& input : member.op->inputs()) {
      const auto [it, is_new] = current.emplace(input.slot, std::ssize(values));
      if (is_new) values.push_back({.column = input});
      ++values[it->second].num_uses;
      places.inputs.push_back(it->second);
    }
    for (const BoundColumn& output : member.op->outputs()) {
      places.outputs.push_back(static_cast<int>(values.size()));
      values.push_back({.column = output, .made_here = true});
    }
    for (const int made : places.outputs) current[values[made].column.slot] = made;
  }
  for (const auto& [slot, value] : current) {
    values[value].kept = values[value].made_here && used_later(slot);
  }
  return values;
}

// The memory of the input that an output may be written over, or -1.
int Stage::MemoryFor(const std::vector<Value>& values, size_t member, size_t output) const {
  const Places& places = places_[member];
  if (!members_[member].op->InPlace() || output >= places.inputs.size()) return -1;
  const Value& from = values[places.inputs[output]];
  const Value& to = values[places.outputs[output]];
  const bool is_free = from.made_here && !from.kept && from.num_uses == 1;
  const bool fits = from.column.schema.type == to.column.schema.type &&
                    RowBytesOf(from.column.schema) == RowBytesOf(to.column.schema);
  return is_free && fits ? from.memory : -1;
}

void Stage::Assign(std::vector<Value>& values) {
  const auto add = [&](Value& value, Memory::Kind kind) {
    value.memory = static_cast<int>(memories_.size());
    memories_.push_back({kind, value.column, RowBytesOf(value.column.schema)});
  };
  for (size_t member = 0; member < members_.size(); ++member) {
    for (const int input : places_[member].inputs) {
      if (values[input].memory < 0) add(values[input], Memory::Kind::kFrame);
    }
    for (size_t i = 0; i < places_[member].outputs.size(); ++i) {
      Value& made = values[places_[member].outputs[i]];
      made.memory = MemoryFor(values, member, i);
      if (made.memory < 0) add(made, Memory::Kind::kScratch);
      if (!made.kept) continue;
      memories_[made.memory].kind = Memory::Kind::kKept;
      memories_[made.memory].column = made.column;
    }
  }
  for (Places& places : places_) {
    for (int& input : places.inputs) input = values[input].memory;
    for (int& output : places.outputs) output = values[output].memory;
  }
}

Stage::Stage(std::vector<Member> members, const std::function<bool(int)>& used_later)
    : members_(std::move(members)) {
  std::vector<Value> values = ValuesOf(used_later);
  Assign(values);
  for (const Memory& memory : memories_) row_bytes_ += memory.row_bytes;
}

int64_t Stage::RowsPerBlock(int64_t num_rows) const {
  const auto rows = static_cast<int64_t>(kBlockBytes / std::max<size_t>(row_bytes_, 1));
  return std::clamp<int64_t>(rows, 1, std::max<int64_t>(num_rows, 1));
}

absl::Status Stage::RunMember(size_t member, const LearnedNumbers& learned, int64_t first_row,
                              int64_t num_rows, Pointers& pointers, Frame& frame) const {
  const auto at = [&](int memory) {
    return pointers.begin[memory] + first_row * pointers.step[memory];
  };
  const Places& places = places_[member];
  pointers.inputs.clear();
  pointers.outputs.clear();
  for (const int input : places.inputs) pointers.inputs.push_back(at(input));
  for (const int output : places.outputs) pointers.outputs.push_back(at(output));
  const absl::Status status =
      members_[member].op->RunBlock({.frame = frame,
                                     .first_row = first_row,
                                     .num_rows = num_rows,
                                     .inputs = pointers.inputs,
                                     .outputs = pointers.outputs,
                                     .learned = learned,
                                     .inputs_are_finite = members_[member].inputs_are_finite});
  return status.ok() ? status : Annotate(status, members_[member].name);
}

absl::Status Stage::Run(std::span<const LearnedNumbers> learned, Frame& frame,
                        std::span<OpWork> work) const {
  const int64_t rows_per_block = RowsPerBlock(frame.num_rows());
  Pointers pointers;
  std::vector<batch::Column> kept;
  size_t scratch_bytes = 0;
  const auto scratch_of = [&](const Memory& memory) {
    return (rows_per_block * memory.row_bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  };
  for (const Memory& memory : memories_) {
    if (memory.kind == Memory::Kind::kScratch) scratch_bytes += scratch_of(memory);
  }
  batch::Buffer scratch = batch::Buffer::AllocateUnwritten(scratch_bytes);
  std::byte* free = scratch.mutable_data();
  for (const Memory& memory : memories_) {
    pointers.step.push_back(memory.kind == Memory::Kind::kScratch ? 0 : memory.row_bytes);
    switch (memory.kind) {
      case Memory::Kind::kFrame:
        // Read only: no op writes over what was not made here.
        pointers.begin.push_back(const_cast<std::byte*>(frame.Get(memory.column.slot).data.data()));
        break;
      case Memory::Kind::kKept:
        kept.push_back(NewUnwrittenColumn(memory.column.schema, frame.num_rows()));
        pointers.begin.push_back(kept.back().data.mutable_data());
        break;
      case Memory::Kind::kScratch:
        pointers.begin.push_back(free);
        free += scratch_of(memory);
        break;
    }
  }
  int64_t first_row = 0;
  do {
    const int64_t num_rows = std::min(rows_per_block, frame.num_rows() - first_row);
    int64_t begin = work.empty() ? 0 : ThreadTime::WallNow();
    for (size_t member = 0; member < members_.size(); ++member) {
      const int64_t num_bad = frame.num_bad();
      RETURN_IF_ERROR(RunMember(member, learned[member], first_row, num_rows, pointers, frame));
      if (work.empty()) continue;
      const int64_t end = ThreadTime::WallNow();
      work[member].wall_ns += end - begin;
      work[member].rejected += frame.num_bad() - num_bad;
      begin = end;
    }
    first_row += num_rows;
  } while (first_row < frame.num_rows());
  for (const Memory& memory : memories_) {
    if (memory.kind != Memory::Kind::kKept) continue;
    frame.Set(memory.column.slot, std::move(kept.front()));
    kept.erase(kept.begin());
  }
  return absl::OkStatus();
}

}  // namespace tidemill::transform
