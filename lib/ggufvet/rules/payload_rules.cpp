// The tensors' own bytes, looked at by a deep scan. No loader refuses any of this by default: what is wrong here shows
// as garbage, or as NaN everywhere, once the model runs.
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr Levels kBroken{.spec = Severity::off,
                         .hardened = Severity::warning,
                         .publish = Severity::error,
                         .ggml = Severity::off};
constexpr Levels kDoubtful{.spec = Severity::off,
                           .hardened = Severity::warning,
                           .publish = Severity::warning,
                           .ggml = Severity::off};
constexpr Levels kRemark{.spec = Severity::off,
                         .hardened = Severity::info,
                         .publish = Severity::info,
                         .ggml = Severity::off};

constexpr std::string_view kRequantise =
    "Fetch the file again and compare its hash; if it is the same, the quantiser wrote this: a newer build, or "
    "another imatrix, usually does not.";
constexpr std::string_view kRowValidator =
    "Mainline's --check-tensors refuses it; without that option it loads and runs.";

// The first few places, each with its block, first element, expert and the count in the tensor.
template <PayloadFault kFault>
void raise_places(const PayloadSubject& subject, const ModelFacts&, const Raise& raise) {
  if (subject.fault != kFault) return;
  for (const PayloadPlace& place : subject.places())
    raise(place.where, place.block, place.element, place.expert, subject.count);
}

// One range and its size.
template <PayloadFault kFault>
void raise_range(const PayloadSubject& subject, const ModelFacts&, const Raise& raise) {
  if (subject.fault != kFault) return;
  const PayloadPlace& place = subject.first[0];
  raise(place.where, place.where.size(), place.block, place.element, subject.count);
}

constexpr Rule kRows[] = {
    {.id = {4001},
     .slug = "payload-scale-not-finite",
     .stage = Stage::data,
     .levels = kBroken,
     .text = "block {0} (from element {1}){2:expert} has a scale that is infinite or not a number{3:more}",
     .why = "Every value of the block decodes to NaN or infinity, and so does all that is computed from it.",
     .advice = kRequantise,
     .sources = kRowValidator,
     .check_payload = raise_places<PayloadFault::scale_not_finite>},
    {.id = {4002},
     .slug = "payload-minimum-not-finite",
     .stage = Stage::data,
     .levels = kBroken,
     .text = "block {0} (from element {1}){2:expert} has a minimum that is infinite or not a number{3:more}",
     .why = "The minimum is added to every value of the block: none of them is a number.",
     .advice = kRequantise,
     .sources = kRowValidator,
     .check_payload = raise_places<PayloadFault::minimum_not_finite>},
    {.id = {4003},
     .slug = "payload-element-not-finite",
     .stage = Stage::data,
     .levels = kBroken,
     .text = "element {1}{2:expert} is infinite or not a number{3:more}",
     .why = "One such weight makes every output that touches it NaN.",
     .advice = "Fetch the file again and compare its hash; if it is the same, the weights it was made from hold it.",
     .sources = kRowValidator,
     .check_payload = raise_places<PayloadFault::element_not_finite>},
    {.id = {4004},
     .slug = "payload-scale-e8m0-nan",
     .stage = Stage::data,
     .levels = kBroken,
     .text = "block {0} (from element {1}){2:expert} has the scale 255, which is NaN in E8M0{3:more}",
     .why = "The OCP format calls it NaN; mainline's decoder takes it for 2^127, others may not.",
     .advice = kRequantise,
     .sources = kRowValidator,
     .check_payload = raise_places<PayloadFault::scale_e8m0_nan>},
    {.id = {4005},
     .slug = "payload-scale-ue4m3-nan",
     .stage = Stage::data,
     .levels = kBroken,
     .text = "block {0} (from element {1}){2:expert} has the scale 0x7f, which is NaN in E4M3{3:more}",
     .why = "Decoders differ: mainline reads 0, others NaN or 480.",
     .advice = kRequantise,
     .sources = kRowValidator,
     .check_payload = raise_places<PayloadFault::scale_ue4m3_nan>},
    {.id = {4006},
     .slug = "payload-scale-ue4m3-signed",
     .stage = Stage::data,
     .levels = kBroken,
     .text = "block {0} (from element {1}){2:expert} has a scale with bit 7 set; UE4M3 has no sign{3:more}",
     .why = "Some decoders drop the bit, some take the scale for negative, and 0xff for a number.",
     .advice = kRequantise,
     .check_payload = raise_places<PayloadFault::scale_ue4m3_signed>},
    {.id = {4007},
     .slug = "payload-code-not-canonical",
     .stage = Stage::data,
     .levels = kBroken,
     .text = "block {0} (from element {1}){2:expert} has a code that no encoder of the type writes{3:more}",
     .why = "The bytes are something else than what the type says: a damaged file, or another type under the same id.",
     .advice = "Fetch the file again and compare its hash; if it is the same, ask which program wrote it, and try "
               "--dialect.",
     .check_payload = raise_places<PayloadFault::code_not_canonical>},
    {.id = {4008},
     .slug = "payload-scale-overflows",
     .stage = Stage::data,
     .levels = kBroken,
     .text = "block {0} (from element {1}){2:expert} has a scale or a value beyond what a 32-bit float can "
             "hold{3:more}",
     .why = "It is finite as stored, but decodes to infinity; of a scale that is so for its largest codes.",
     .advice = kRequantise,
     .sources = "Mainline's --check-tensors refuses such binary64 values, but not such scales.",
     .check_payload = raise_places<PayloadFault::scale_overflows>},
    {.id = {4009},
     .slug = "payload-extreme",
     .stage = Stage::data,
     .levels = kRemark,
     .text = "block {0} (from element {1}){2:expert} can reach 65,536 or more",
     .why = "Half precision ends below that; a runtime that computes in it gets infinity. Weights are rarely above 100.",
     .advice = "Look at the tensor's statistics; some tables (rope frequencies, masks) are meant to hold such values.",
     .check_payload = raise_places<PayloadFault::extreme>},
    {.id = {4010},
     .slug = "payload-all-zero",
     .stage = Stage::data,
     .levels = kDoubtful,
     .text = "all {0:bytes} of the tensor are zero",
     .why = "A matrix of zeros does nothing: usually a part of the file that never arrived, or was never written.",
     .advice = "Compare the file's hash with its source's, and fetch it again.",
     .check_payload = raise_range<PayloadFault::all_zero>},
    {.id = {4011},
     .slug = "payload-one-block-repeated",
     .stage = Stage::data,
     .levels = kDoubtful,
     .text = "all {0:bytes} of the tensor repeat one block",
     .why = "A matrix of one value carries nothing: filler, a failed conversion, or a test file.",
     .advice = "Compare the file's hash with its source's; if it is the same, ask its publisher.",
     .check_payload = raise_range<PayloadFault::block_repeated>},
    {.id = {4012},
     .slug = "payload-zero-tail",
     .stage = Stage::data,
     .levels = kDoubtful,
     .text = "the tensor's last {0:bytes} are zero, from the middle of a row on",
     .why = "That is how a download looks that was cut off after the file had been given its full size.",
     .advice = "Compare the file's hash with its source's, and fetch it again.",
     .check_payload = raise_range<PayloadFault::zero_tail>},
    {.id = {4013},
     .slug = "payload-not-judged",
     .stage = Stage::data,
     .levels = kRemark,
     .text = "the fields of this type are not documented; {3} tensors were only looked at for zeros and repetition",
     .why = "Scales of such tensors were not checked, so nothing is known of them.",
     .advice = "Nothing to mend; do not take the silence for an approval.",
     .check_payload = raise_range<PayloadFault::not_judged>},
};

}  // namespace

std::span<const Rule> payload_rules() { return kRows; }

}  // namespace ggufvet
