// The module tidemill._native of Python: batches of training sets as arrays, without a copy.
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/process/program_folder.h"
#include "batch/batch.h"
#include "config/config.h"
#include "loader/plan/ragged_column.h"
#include "models/spec/model_inputs.h"
#include "nanobind/nanobind.h"
#include "nanobind/ndarray.h"
#include "nanobind/stl/string.h"
#include "nanobind/stl/unique_ptr.h"
#include "python/native/batch_reader.h"
#include "python/native/read_request.h"
#include "transform/graph.h"

namespace nb = nanobind;

namespace tidemill::python {
namespace {

// Between two looks at whether the user has pressed Ctrl-C.
constexpr std::chrono::milliseconds kPatience{100};

// A failure, as tidemill.arrays turns it into a tidemill.Error.
class NativeError : public std::runtime_error {
 public:
  explicit NativeError(const absl::Status& status)
      : std::runtime_error(fmt::format("{}\n{}", absl::StatusCodeToString(status.code()),
                                       std::string(status.message()))) {}
};

nb::dlpack::dtype TypeOf(batch::DataType type) {
  switch (type) {
    case batch::DataType::kInt64:
      return nb::dtype<int64_t>();
    case batch::DataType::kInt32:
      return nb::dtype<int32_t>();
    case batch::DataType::kFloat32:
      return nb::dtype<float>();
    case batch::DataType::kFloat64:
      return nb::dtype<double>();
    case batch::DataType::kUInt8:
    case batch::DataType::kBinary:
      break;
  }
  return nb::dtype<uint8_t>();
}

// An array that shares the bytes of a buffer, and keeps them alive.
nb::object ArrayOf(const batch::Buffer& bytes, batch::DataType type, std::vector<size_t> shape) {
  static char nothing[batch::kBufferAlignment];
  auto* const kept = new batch::Buffer(bytes);
  const nb::capsule owner(
      kept, [](void* buffer) noexcept { delete static_cast<batch::Buffer*>(buffer); });
  void* const data = kept->empty() ? static_cast<void*>(nothing) : kept->mutable_data();
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner,
                                         /*strides=*/nullptr, TypeOf(type)));
}

std::vector<size_t> ShapeOf(size_t rows, const std::vector<int64_t>& shape) {
  std::vector<size_t> whole = {rows};
  for (const int64_t size : shape) whole.push_back(static_cast<size_t>(size));
  return whole;
}

// The places of rows of different lengths, and where each row begins and the last one ends.
void AddRagged(const batch::Column& column, nb::dict& columns) {
  const auto items = loader::ItemsOf(column);
  if (!items.ok()) throw NativeError(items.status());
  const auto offsets = column.offsets.As<int64_t>();
  batch::Buffer places = batch::Buffer::Allocate(offsets.size_bytes());
  for (size_t i = 0; i < offsets.size(); ++i) {
    places.MutableAs<int64_t>()[i] = offsets[i] / items->bytes;
  }
  const size_t num_places =
      offsets.empty() ? 0 : static_cast<size_t>(offsets.back() / items->bytes);
  columns[column.name.c_str()] =
      ArrayOf(column.data, items->type, ShapeOf(num_places, items->shape));
  columns[(column.name + std::string(models::kOffsetsSuffix)).c_str()] =
      ArrayOf(places, batch::DataType::kInt64, {offsets.size()});
}

nb::dict ColumnsOf(const batch::Batch& rows) {
  nb::dict columns;
  for (const batch::Column& column : rows.columns()) {
    if (column.type == batch::DataType::kBinary) {
      if (transform::IsInput(column.name)) AddRagged(column, columns);
      continue;
    }
    columns[column.name.c_str()] = ArrayOf(
        column.data, column.type, ShapeOf(static_cast<size_t>(rows.num_rows()), column.shape));
  }
  return columns;
}

using Keys = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::unique_ptr<BatchReader> Open(const std::string& request, const std::string& pipeline,
                                  const Keys& keys) {
  const std::span<const int64_t> wanted(keys.data(), keys.size());
  absl::StatusOr<std::unique_ptr<BatchReader>> reader;
  {
    const nb::gil_scoped_release release;
    const auto read = config::Read<ReadRequest>(request, "request");
    reader = read.ok() ? BatchReader::Open(*read, pipeline, wanted) : read.status();
  }
  if (!reader.ok()) throw NativeError(reader.status());
  return *std::move(reader);
}

// Returns (epoch, index, columns, num_skipped, num_filtered, reason), or None after the last batch.
nb::object Next(BatchReader& reader) {
  BatchReader::Taken taken;
  while (!taken.is_ready) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    absl::StatusOr<BatchReader::Taken> next;
    {
      const nb::gil_scoped_release release;
      next = reader.Next(kPatience);
    }
    if (!next.ok()) throw NativeError(next.status());
    taken = *std::move(next);
  }
  if (!taken.batch) return nb::none();
  const loader::TrainingBatch& batch = *taken.batch;
  return nb::make_tuple(batch.epoch, batch.index, ColumnsOf(batch.rows), batch.num_skipped,
                        batch.num_filtered, batch.reason);
}

}  // namespace
}  // namespace tidemill::python

NB_MODULE(_native, module) {
  using tidemill::python::BatchReader;
  // A process that ends may hold a reader.
  nb::set_leak_warnings(false);
  module.doc() = "Batches of training sets as arrays, without a copy. Use tidemill.arrays.";
  const nb::exception<tidemill::python::NativeError> failure(module, "NativeError");
  module.def("use_programs", &tidemill::process::UseProgramFolder, nb::arg("folder"),
             "Says where the programs of Tidemill are, before any reader is opened.");
  nb::class_<BatchReader>(module, "BatchReader")
      .def("next", &tidemill::python::Next)
      .def("close", &BatchReader::Close, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("num_samples", &BatchReader::num_samples)
      .def_prop_ro("num_batches", &BatchReader::num_batches)
      .def_prop_ro("num_epochs", &BatchReader::num_epochs)
      .def_prop_ro("batch_size", &BatchReader::batch_size);
  module.def("open", &tidemill::python::Open, nb::arg("request"), nb::arg("pipeline"),
             nb::arg("keys"));
}
