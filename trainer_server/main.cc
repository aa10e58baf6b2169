// The trainer server's process.
#include "trainer_server/trainer_server.h"

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(argc, argv, "trainer_server",
                                    tidemill::trainer_server::StartTrainerServer);
}
