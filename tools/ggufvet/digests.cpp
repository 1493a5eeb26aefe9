#include "digests.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include <openssl/evp.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ggufvet::tool {
namespace {

template <class Bytes>
[[nodiscard]] std::string hexadecimal(const Bytes& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

struct Xxh3State {
  XXH3_state_t state;
};

class Xxh3Digest final : public Digest {
 public:
  Xxh3Digest() { XXH3_128bits_reset(&state_.state); }
  void update(std::span<const std::byte> bytes) override {
    XXH3_128bits_update(&state_.state, bytes.data(), bytes.size());
  }
  std::string finish() override {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_.state));
    return hexadecimal(canonical.digest);
  }

 private:
  alignas(64) Xxh3State state_;
};

class Xxh64Digest final : public Digest {
 public:
  Xxh64Digest() { XXH64_reset(&state_, 0); }
  void update(std::span<const std::byte> bytes) override { XXH64_update(&state_, bytes.data(), bytes.size()); }
  std::string finish() override {
    XXH64_canonical_t canonical;
    XXH64_canonicalFromHash(&canonical, XXH64_digest(&state_));
    return hexadecimal(canonical.digest);
  }

 private:
  XXH64_state_t state_;
};

class EvpDigest : public Digest {
 public:
  explicit EvpDigest(const EVP_MD* kind) : context_(EVP_MD_CTX_new()) {
    if (context_ == nullptr || EVP_DigestInit_ex(context_, kind, nullptr) != 1)
      throw std::runtime_error("the digest cannot be set up");
  }
  EvpDigest(const EvpDigest&) = delete;
  EvpDigest& operator=(const EvpDigest&) = delete;
  ~EvpDigest() override { EVP_MD_CTX_free(context_); }

  void update(std::span<const std::byte> bytes) override {
    if (EVP_DigestUpdate(context_, bytes.data(), bytes.size()) != 1) throw std::runtime_error("a digest failed");
  }
  std::string finish() override { return hexadecimal(value()); }

 protected:
  [[nodiscard]] std::vector<unsigned char> value() {
    std::vector<unsigned char> bytes(EVP_MAX_MD_SIZE);
    unsigned count = 0;
    if (EVP_DigestFinal_ex(context_, bytes.data(), &count) != 1) throw std::runtime_error("a digest failed");
    bytes.resize(count);
    return bytes;
  }

 private:
  EVP_MD_CTX* context_;
};

class UuidDigest final : public EvpDigest {
 public:
  UuidDigest() : EvpDigest(EVP_sha1()) {
    // ef001206-dadc-5f6d-a15f-3359e577d4e5, mainline's namespace.
    constexpr std::array<std::uint8_t, 16> kNamespace{0xef, 0x00, 0x12, 0x06, 0xda, 0xdc, 0x5f, 0x6d,
                                                      0xa1, 0x5f, 0x33, 0x59, 0xe5, 0x77, 0xd4, 0xe5};
    update(std::as_bytes(std::span(kNamespace)));
  }
  std::string finish() override {
    std::vector<unsigned char> bytes = value();
    bytes.resize(16);
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x50);  // version 5
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);  // the variant of RFC 9562
    std::string text = hexadecimal(bytes);
    for (const std::size_t place : {std::size_t{20}, std::size_t{16}, std::size_t{12}, std::size_t{8}}) text.insert(place, 1, '-');
    return text;
  }
};

// Roughly what a byte costs, to share work out evenly.
[[nodiscard]] unsigned cost_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::xxh3_128:
      return 1;
    case Algorithm::xxh64:
      return 2;
    default:
      return 9;
  }
}

}  // namespace

std::string_view algorithm_name(Algorithm algorithm) {
  constexpr std::array<std::string_view, 5> kNames{"xxh3_128", "xxh64", "sha1", "sha256", "uuid"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

std::optional<Algorithm> find_algorithm(std::string_view name) {
  for (const Algorithm algorithm : kAlgorithms)
    if (algorithm_name(algorithm) == name) return algorithm;
  return std::nullopt;
}

std::unique_ptr<Digest> make_digest(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::xxh3_128:
      return std::make_unique<Xxh3Digest>();
    case Algorithm::xxh64:
      return std::make_unique<Xxh64Digest>();
    case Algorithm::sha1:
      return std::make_unique<EvpDigest>(EVP_sha1());
    case Algorithm::sha256:
      return std::make_unique<EvpDigest>(EVP_sha256());
    case Algorithm::uuid:
      return std::make_unique<UuidDigest>();
  }
  throw std::invalid_argument("no such digest");
}

// A round is one update(): threads wait for its number, do their share, and the last one tells.
struct DigestCrew::State {
  std::mutex mutex;
  std::condition_variable begun, ended;
  std::uint64_t round = 0;
  std::size_t running = 0;
  bool over = false;
  std::span<const Task> tasks;
  std::vector<unsigned> worker_of;  // for each task
  std::span<const std::byte> bytes;
  std::exception_ptr failure;
  std::vector<std::thread> threads;

  void do_share(unsigned worker) {
    try {
      for (std::size_t task = 0; task < tasks.size(); ++task)
        if (worker_of[task] == worker) tasks[task].digest->update(bytes);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  }

  void work(unsigned worker) {
    for (std::uint64_t seen = 0;;) {
      std::unique_lock lock(mutex);
      begun.wait(lock, [&] { return over || round != seen; });
      if (over) return;
      seen = round;
      lock.unlock();
      do_share(worker);
      lock.lock();
      if (--running == 0) ended.notify_one();
    }
  }
};

DigestCrew::DigestCrew(unsigned jobs) : state_(std::make_unique<State>()) {
  for (unsigned worker = 1; worker < std::min(jobs, 16u); ++worker)
    state_->threads.emplace_back([state = state_.get(), worker] { state->work(worker); });
}

DigestCrew::~DigestCrew() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->over = true;
  }
  state_->begun.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

void DigestCrew::update(std::span<const Task> tasks, std::span<const std::byte> bytes) {
  // Costly ones first, each to whoever has least; where one thread would get everything none is woken.
  std::vector<std::size_t> order(tasks.size());
  for (std::size_t task = 0; task < order.size(); ++task) order[task] = task;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cost_of(tasks[a].algorithm) > cost_of(tasks[b].algorithm);
  });
  std::vector<unsigned> load(state_->threads.size() + 1, 0);
  std::vector<unsigned> worker_of(tasks.size(), 0);
  constexpr std::size_t kWorthWaking = 64 << 10;
  if (bytes.size() >= kWorthWaking)
    for (const std::size_t task : order) {
      const auto least = std::min_element(load.begin(), load.end());
      *least += cost_of(tasks[task].algorithm);
      worker_of[task] = static_cast<unsigned>(least - load.begin());
    }
  const bool shared = std::any_of(worker_of.begin(), worker_of.end(), [](unsigned worker) { return worker != 0; });
  {
    const std::lock_guard lock(state_->mutex);
    state_->tasks = tasks;
    state_->worker_of = std::move(worker_of);
    state_->bytes = bytes;
    if (shared) {
      state_->running = state_->threads.size();
      ++state_->round;
    }
  }
  if (shared) state_->begun.notify_all();
  state_->do_share(0);
  std::unique_lock lock(state_->mutex);
  state_->ended.wait(lock, [this] { return state_->running == 0; });
  if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
}

}  // namespace ggufvet::tool
