#include "ggufvet/vet/deep_scan.h"

#include <algorithm>
#include <mutex>
#include <pthread.h>

#include "ggufvet/vet/scan_units.h"
#include "ggufvet/vet/unit_scan.h"

namespace ggufvet {
namespace {

// A tensor of which some units are still being scanned.
struct OpenTensor {
  const TensorGeometry* tensor = nullptr;
  std::uint64_t bytes_left = 0;
  PayloadTally tally;
};

// What the threads share. Units are handed out in order, so few tensors are open at a time.
class DeepScan {
 public:
  DeepScan(ByteSource& source, const ModelFacts& facts, const DeepOptions& options)
      : source_(source),
        facts_(facts),
        options_(options),
        tensors_(readable_tensors(facts)),
        scans_(tensors_, facts.file.header.byte_order),
        jobs_(jobs_worth_having()),
        cursor_(tensors_, std::clamp(kRoomBytesMax / jobs_, kUnitBytesMin, kUnitBytes)) {}

  [[nodiscard]] DeepOutcome run() {
    if (options_.bytes != nullptr)
      run_in_order();
    else
      run_in_threads();
    outcome_.finished = !stopped() && !outcome_.error;
    outcome_.tensors_left_out = facts_.tensors.size() - tensors_.size();
    std::sort(outcome_.found.begin(), outcome_.found.end(),
              [](const PayloadSubject& a, const PayloadSubject& b) {
                const std::uint64_t place_a = a.first[0].where.begin, place_b = b.first[0].where.begin;
                return place_a != place_b ? place_a < place_b : a.fault < b.fault;
              });
    return std::move(outcome_);
  }

 private:
  static constexpr unsigned kThreadsMax = 256;
  static constexpr std::uint64_t kRoomBytesMax = 4 << 20;  // of what all threads look at
  // Linux maps the whole folio of the page cache around a page that is touched, up to 2 MiB on either side.
  static constexpr std::uint64_t kFolioBytesMax = 2 << 20;
  // Beyond so many threads that is more memory than a scan may take, so they get copies.
  static constexpr unsigned kMappedJobsMax = 2;
  static constexpr std::uint64_t kDigestTileBytes = 64 << 10;  // stays in the cache between digest and scan

  [[nodiscard]] bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool take(ScanUnit& unit) {
    const std::lock_guard lock(mutex_);
    if (stopped() || outcome_.error || !cursor_.next(unit)) return false;
    if (unit.begin == 0) open_.push_back({unit.tensor, unit.tensor->where.size(), {}});
    return true;
  }

  void done(const ScanUnit& unit, const PayloadTally& tally) {
    const std::lock_guard lock(mutex_);
    outcome_.bytes_scanned += unit.end - unit.begin;
    const auto open = std::find_if(open_.begin(), open_.end(),
                                   [&](const OpenTensor& each) { return each.tensor == unit.tensor; });
    open->tally.merge(tally);
    open->bytes_left -= unit.end - unit.begin;
    if (open->bytes_left != 0) return;
    judge_whole(*unit.tensor, facts_, open->tally);
    open->tally.append_to(outcome_.found, unit.tensor->tensor);
    ++outcome_.tensors_scanned;
    if (!scans_.of(*unit.tensor->layout).documented()) note_not_judged(unit.tensor->tensor);
    *open = std::move(open_.back());
    open_.pop_back();
  }

  void note_not_judged(std::uint32_t tensor) {
    const bool first = outcome_.tensors_not_judged++ == 0;
    outcome_.first_not_judged = first ? tensor : std::min(outcome_.first_not_judged, tensor);
  }

  [[nodiscard]] bool failed(const IoError& error) {
    const std::lock_guard lock(mutex_);
    if (!outcome_.error) outcome_.error = error;
    return false;
  }

  void work(bool reports) {
    const std::unique_ptr<std::byte[]> room(new std::byte[room_bytes()]);
    UnitScanner scanner(facts_, scans_);
    ScanUnit unit;
    while (take(unit)) {
      PayloadTally tally;
      if (!scan_unit(unit, scanner, room.get(), tally)) return;
      done(unit, tally);
      if (reports && options_.progress != nullptr) options_.progress->advanced(bytes_done(), total_);
    }
  }

  [[nodiscard]] std::uint64_t bytes_done() {
    const std::lock_guard lock(mutex_);
    return outcome_.bytes_scanned;
  }

  [[nodiscard]] bool scan_unit(const ScanUnit& unit, UnitScanner& scanner, std::byte* room,
                               PayloadTally& tally) {
    const std::uint64_t begin = unit.tensor->where.begin + unit.begin;
    const std::span<std::byte> copy(room, unit.end - unit.begin);
    if (jobs_ > kMappedJobsMax) {
      if (const auto read = source_.read(begin, copy); !read) return failed(read.error());
      scanner.scan(*unit.tensor, unit.begin, copy, tally);
      return true;
    }
    const auto bytes = source_.view(begin, copy);
    if (!bytes) return failed(bytes.error());
    scanner.scan(*unit.tensor, unit.begin, *bytes, tally);
    release({begin, begin + bytes->size()});
    return true;
  }

  // With what touching the unit's pages brought back of units that were done before, or memory would grow:
  // one thread's last page is often the first of another's unit.
  void release(ByteRange range) {
    const std::uint64_t reach_end = range.end + kFolioBytesMax;
    range.begin -= std::min(range.begin, kFolioBytesMax);
    {
      const std::lock_guard lock(mutex_);
      released_end_ = std::max(released_end_, range.end);
      range.end = std::min(released_end_, reach_end);
    }
    source_.release(range);
  }

  static void* work_in_thread(void* self) {
    static_cast<DeepScan*>(self)->work(false);
    return nullptr;
  }

  [[nodiscard]] unsigned jobs_worth_having() {
    if (options_.bytes != nullptr) return 1;
    for (const TensorGeometry& tensor : tensors_) total_ += tensor.where.size();
    const std::uint64_t useful = std::min<std::uint64_t>(total_ / kUnitBytes + 1, kThreadsMax);
    return static_cast<unsigned>(std::clamp<std::uint64_t>(options_.jobs, 1, useful));
  }

  void run_in_threads() {
    std::vector<pthread_t> threads;
    while (threads.size() + 1 < jobs_) {
      pthread_t thread{};
      // With fewer threads than asked for it takes longer, no more.
      if (pthread_create(&thread, nullptr, work_in_thread, this) != 0) break;
      threads.push_back(thread);
    }
    work(true);
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }

  // Every byte of the file goes to the sink, tensors are scanned on the way.
  void run_in_order() {
    const std::unique_ptr<std::byte[]> room(new std::byte[room_bytes()]);
    UnitScanner scanner(facts_, scans_);
    std::uint64_t at = 0;
    ScanUnit unit;
    while (take(unit)) {
      const std::uint64_t begin = unit.tensor->where.begin + unit.begin;
      if (!pass_on({at, begin}, room.get()) || !scan_and_pass_on(unit, scanner, room.get())) return;
      at = begin + (unit.end - unit.begin);
      if (options_.progress != nullptr) options_.progress->advanced(at, facts_.file.file_bytes);
    }
    if (!stopped()) static_cast<void>(pass_on({at, facts_.file.file_bytes}, room.get()));
  }

  [[nodiscard]] bool pass_on(ByteRange range, std::byte* room) {
    for (std::uint64_t begin = range.begin; begin < range.end; begin += kUnitBytes) {
      const std::uint64_t end = std::min(range.end, begin + kUnitBytes);
      if (stopped()) return false;
      const auto bytes = source_.view(begin, std::span(room, end - begin));
      if (!bytes) return failed(bytes.error());
      options_.bytes->take(*bytes);
      source_.release({begin, end});
    }
    return true;
  }

  [[nodiscard]] bool scan_and_pass_on(const ScanUnit& unit, UnitScanner& scanner, std::byte* room) {
    const std::uint64_t begin = unit.tensor->where.begin + unit.begin;
    const auto bytes = source_.view(begin, std::span(room, unit.end - unit.begin));
    if (!bytes) return failed(bytes.error());
    PayloadTally tally;
    for (std::uint64_t at = 0; at < bytes->size();) {
      const std::uint64_t end = tile_end(*unit.tensor, unit.begin + at, unit.end) - unit.begin;
      const auto tile = bytes->subspan(at, end - at);
      options_.bytes->take(tile);
      PayloadTally of_tile;
      scanner.scan(*unit.tensor, unit.begin + at, tile, of_tile);
      tally.merge(of_tile);
      at = end;
    }
    source_.release({begin, begin + bytes->size()});
    done(unit, tally);
    return true;
  }

  // A tile that splits no block; where rows have headers the unit is taken whole.
  [[nodiscard]] static std::uint64_t tile_end(const TensorGeometry& tensor, std::uint64_t begin,
                                              std::uint64_t end) {
    if (tensor.header_bytes != 0 || tensor.body_bytes != tensor.bytes) return end;
    const std::uint64_t tile =
        std::max(kDigestTileBytes / tensor.block_bytes, std::uint64_t{1}) * tensor.block_bytes;
    return end - begin > tile ? begin + tile : end;
  }

  // A block or a group of row headers may be larger than a unit is meant to be; nothing is larger than the
  // file.
  [[nodiscard]] std::size_t room_bytes() const {
    return static_cast<std::size_t>(std::min(kRoomBytesMax, facts_.file.file_bytes));
  }

  ByteSource& source_;
  const ModelFacts& facts_;
  const DeepOptions& options_;
  std::vector<TensorGeometry> tensors_;
  LayoutScans scans_;
  std::uint64_t total_ = 0;
  unsigned jobs_;
  std::mutex mutex_;
  UnitCursor cursor_;
  std::uint64_t released_end_ = 0;
  std::vector<OpenTensor> open_;
  DeepOutcome outcome_;
};

}  // namespace

DeepOutcome deep_scan(ByteSource& source, const ModelFacts& facts, const DeepOptions& options) {
  return DeepScan(source, facts, options).run();
}

}  // namespace ggufvet
