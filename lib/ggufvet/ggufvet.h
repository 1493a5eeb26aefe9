// The public API, the one header a user includes. Vets GGUF model files: bytes -> model -> findings ->
// verdict.
//
//   #include "ggufvet/ggufvet.h"
//
//   // True when a cautious program may hand the file to a loader; otherwise `why` says what was found.
//   bool may_load(const char* path, std::string& why) {
//     auto file = ggufvet::FileHandle::open_for_reading(path);
//     if (!file) return why = "cannot be opened", false;
//     const auto stamp = ggufvet::stamp_of(file->get());
//     if (!stamp) return why = "has no size", false;
//     ggufvet::FileSource source(std::move(*file), *stamp);
//     const auto vetted = ggufvet::vet(source, ggufvet::VetOptions{});
//     why = ggufvet::text_report(path, *vetted, ggufvet::TextStyle{});
//     return vetted->report.verdict == ggufvet::Verdict::accept;
//   }
//
// Sources. MemorySource borrows bytes, FileSource reads a file with pread, MappedSource maps it under a guard
// that the program installs once; a class of your own that derives from ByteSource serves anything else. The
// source owns the bytes: it must outlive what vet() returns, and nobody may ask it for another window
// meanwhile.
//
// Errors. What is wrong with a file is a finding, never an error of the call: vet() always returns a report.
// `reject` means an error about the file was found; `undecided` that none was, and not everything was looked
// at (a limit of VetOptions::limits, a failed read, a file that changed). Only opening and reading give an
// IoError. Nothing throws; the library builds with -fno-exceptions -fno-rtti, where running out of memory
// ends the program.
//
// Threads. Different sources may be vetted at the same time; one Vetted may be read from several threads.
//
// Text. Findings hold no strings; names and keys in the model are the file's own bytes. text_report,
// message_of and the JSON renderers escape them; whoever prints model fields directly passes them through
// escaped().
#pragma once

#include "ggufvet/base/limits.h"
#include "ggufvet/base/text.h"
#include "ggufvet/read/file_model.h"
#include "ggufvet/render/byte_map.h"
#include "ggufvet/render/catalogue.h"
#include "ggufvet/render/json_report.h"
#include "ggufvet/render/message.h"
#include "ggufvet/render/show.h"
#include "ggufvet/render/text_report.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/source/file_source.h"
#include "ggufvet/source/mapped_source.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/types/type_registry.h"
#include "ggufvet/vet/vet.h"
