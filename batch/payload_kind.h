// The kinds of bytes in the column `payload`.
#pragma once

namespace tidemill::batch {

enum class PayloadKind {
  kCsv,       // One record of a CSV or TSV file, without its line end.
  kRecord,    // One binary record of fixed size.
  kFile,      // A whole file, or a member of an archive.
  kJson,      // A JSON object.
  kTfRecord,  // A record of a TFRecord file, often a tf.train.Example.
};

}  // namespace tidemill::batch
