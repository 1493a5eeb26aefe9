#include "deep_check.h"

#include "digests.h"
#include "scanning.h"

namespace ggufvet::tool {
namespace {

class DigestSink final : public ByteSink {
 public:
  explicit DigestSink(Algorithm algorithm) : digest_(make_digest(algorithm)) {}
  void take(std::span<const std::byte> bytes) override { digest_->update(bytes); }
  [[nodiscard]] std::string finish() { return digest_->finish(); }

 private:
  std::unique_ptr<Digest> digest_;
};

}  // namespace

std::unique_ptr<Vetted> vet_deeply(ByteSource& source, const std::string& path, VetOptions options,
                                   const std::string& hash) {
  ProgressBar progress(path);
  options.deep.progress = &progress;
  options.deep.stop = &interrupt_flag();
  const auto algorithm = find_algorithm(hash);
  if (!algorithm) return vet(source, options);
  DigestSink sink(*algorithm);
  options.deep.bytes = &sink;
  auto vetted = vet(source, options);
  const bool undisturbed = vetted->report.deep.finished && source.verify().has_value();
  if (undisturbed) {
    vetted->report.digest_algorithm = hash;
    vetted->report.digest = sink.finish();
  }
  return vetted;
}

}  // namespace ggufvet::tool
