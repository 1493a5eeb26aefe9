// The grids, under the names and with the linkage codebooks.h declares. Constant-initialised.
#include "ggufvet/types/codebooks.h"

namespace ggufvet {

#include "ggufvet/types/codebooks_iq1.inc"
#include "ggufvet/types/codebooks_iq1_packed.inc"
#include "ggufvet/types/codebooks_iq2.inc"
#include "ggufvet/types/codebooks_iq3.inc"

}  // namespace ggufvet
