// How long gRPC's own threads live.
#pragma once

namespace tidemill::preprocess {

// Keeps gRPC set up until the process ends. When its last object goes, gRPC would wait for a thread
// of its own that may be polling connections for ten seconds more, as it does where the last bytes
// were sent by a thread that is not gRPC's: an outbox' producer, say.
void KeepGrpc();

}  // namespace tidemill::preprocess
