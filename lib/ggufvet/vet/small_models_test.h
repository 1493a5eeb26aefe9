// A small valid model of any architecture in the table: keys by what the table requires, tensors by its rows
// and the sizes that follow from the keys. What unit tests and fuzzers begin from.
#pragma once

#include "ggufvet/rules/architectures.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {

[[nodiscard]] FileSpec small_model(const Architecture& architecture);

}  // namespace ggufvet

#include "ggufvet/vet/small_models_test.inl.h"
