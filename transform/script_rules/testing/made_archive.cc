#include "transform/script_rules/testing/made_archive.h"

#include <zlib.h>

#include <cstdint>

namespace tidemill::models::testing {
namespace {

template <typename Number>
void Put(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// What a record's head and its entry in the table of contents share, from the version on.
std::string HeadOf(const std::string& name, const std::string& bytes) {
  std::string head;
  Put<uint16_t>(head, 20);
  Put<uint16_t>(head, 0);
  Put<uint16_t>(head, 0);
  Put<uint32_t>(head, 0);
  Put<uint32_t>(head, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()),
                                                  static_cast<uInt>(bytes.size()))));
  Put<uint32_t>(head, static_cast<uint32_t>(bytes.size()));
  Put<uint32_t>(head, static_cast<uint32_t>(bytes.size()));
  Put<uint16_t>(head, static_cast<uint16_t>(name.size()));
  Put<uint16_t>(head, 0);
  return head;
}

}  // namespace

std::string MadeArchive(const Records& records) {
  std::string file;
  std::string table;
  for (const auto& [record, bytes] : records) {
    const std::string name = "net/" + record;
    const auto at = static_cast<uint32_t>(file.size());
    const std::string head = HeadOf(name, bytes);
    file += "PK\x03\x04" + head + name + bytes;
    table += "PK\x01\x02";
    Put<uint16_t>(table, 20);
    table += head;
    table.append(10, '\0');
    Put<uint32_t>(table, at);
    table += name;
  }
  const auto begin = static_cast<uint32_t>(file.size());
  file += table + "PK\x05\x06";
  Put<uint32_t>(file, 0);
  Put<uint16_t>(file, static_cast<uint16_t>(records.size()));
  Put<uint16_t>(file, static_cast<uint16_t>(records.size()));
  Put<uint32_t>(file, static_cast<uint32_t>(table.size()));
  Put<uint32_t>(file, begin);
  Put<uint16_t>(file, 0);
  return file;
}

Records NetworkRecords(const std::string& code) {
  const std::string object(
      "\x80\x02"
      "c__torch__\nNet\n"
      ")\x81}(X\x08\0\0\0training\x88ub.",
      38);
  return {{"data.pkl", object},
          {"code/__torch__.py", code},
          {"constants.pkl", std::string("\x80\x02).", 4)},
          {"version", "3\n"}};
}

std::string CodeOf(const std::string& body, const std::string& method) {
  return "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
         "  def " +
         method + "(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n    " + body + "\n";
}

std::string NetworkOf(const std::string& body) { return MadeArchive(NetworkRecords(CodeOf(body))); }

std::vector<std::string> HostileBodies() {
  return {
      // Reads, and with True writes and makes files.
      "return torch.from_file(\"/etc/passwd\", False, 10)",
      "return torch.from_file(\"/tmp/made\", True, 10)",
      "return ops.aten.from_file(\"/etc/passwd\", False, 10)",
      "return torch.add(x, torch.from_file(\"/etc/passwd\", False, 10, dtype=6))",
      "return \"/etc/passwd\".from_file(False, 10)",
      "return getattr(\"/etc/passwd\", \"from_file\")(False, 10)",
      "return torch . \\\n      from_file(\"/etc/passwd\", False, 10)",
      "y = torch\n    return y.from_file(\"/etc/passwd\", False, 10)",
      "f = torch.from_file\n    return f(\"/etc/passwd\", False, 10)",
      "return torch.autograd.from_file(\"/etc/passwd\", False, 10)",
      "torch.save(x, \"/tmp/made\")\n    return x",
      "return ops.image.decode_image(ops.image.read_file(\"/etc/passwd\"))",
      "ops.image.write_file(\"/tmp/made\", x)\n    return x",
      "return ops.debugprims.load_tensor(\"/etc/passwd\", [1], [1], dtype=6, device=\"cpu\")",
      // Speaks with others.
      "return ops.c10d.allreduce_([x])",
      "return ops._c10d_functional.broadcast(x, 0, \"world\")",
      "y = __torch__.torch.classes.c10d.ProcessGroup(\"/tmp/store\", 1)\n    return x",
      "return ops.prim.rpc_sync(\"worker\", x)",
      "return torch.to_here(x)",
      // Starts, loads and prints.
      "y = fork(self.forward, x)\n    return torch.wait(y)",
      "y = __torch__.torch.classes._nnapi.Compilation()\n    return x",
      "return ops.mylib.run(x)",
      "ops.profiler._record_function_enter(\"name\")\n    return x",
      "print(x)\n    return x",
      "ops.prim.Print(x)\n    return x",
      "return ops.prim.PythonOp(x)",
      "return eval(\"x\")",
      "open(\"/etc/passwd\")\n    return x",
      "return __import__(\"os\")",
      // Shows uninitialised memory, or gives a script access to it.
      "return torch.empty([1000])",
      "return torch.empty_like(x)",
      "return x.resize_([1000000])",
      "return torch.set_(x, x, 1000, [1], [1])",
      // Trusts numbers of a script, or hides from the backward pass what it changes.
      "return torch.ctc_loss(x, x, [1], [1], 0, 0, False)",
      "return ops.aten.ctc_loss(x, x, [1], [1], 0, 0, False)",
      "return x.ctc_loss(x, [1], [1], 0, 0, False)",
      "return torch._fft_c2r(x, [0], 0, 1000000)",
      "return torch._transform_bias_rescale_qkv(x, x, 1)",
      "return torch.lu_unpack(x, x)",
      "return ops.prim.data(x)",
      "torch.fill_(torch._unsafe_view(x, [-1]), 7)\n    return x",
      "return torch.add(x, x, out=x)",
      "return torch._foobar(x)",
      "return torch.what_comes_next_year(x)",
  };
}

}  // namespace tidemill::models::testing
