// vet FILE...: a line of JSON for each file under each of two profiles, data scanned. What it prints is the
// same on every machine; conformance/cross/vet compares.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "ggufvet/base/text.h"
#include "ggufvet/render/json_report.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/vet/vet.h"

int main(int count, char** arguments) {
  using namespace ggufvet;
  for (int index = 1; index < count; ++index) {
    std::ifstream in(arguments[index], std::ios::binary);
    const std::vector<char> read((std::istreambuf_iterator<char>(in)), {});
    if (!in) {
      std::fprintf(stderr, "%s: cannot be read\n", arguments[index]);
      return 1;
    }
    MemorySource source(as_bytes({read.data(), read.size()}));
    for (const Profile profile : {Profile::hardened, Profile::publish}) {
      VetOptions options;
      options.profile = profile;
      options.deep.scan = true;
      std::puts(json_file(arguments[index], *vet(source, options)).c_str());
    }
  }
  return 0;
}
